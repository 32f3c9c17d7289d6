/** The checks that refuse a CronJob. */
import type { FieldError } from 'controller-runtime/kubernetes';
import { CronJob } from './cronjob-types.ts';
import { valueAt } from './raw-object.ts';

/**
 * Every fault of the CronJob, except faults inside its jobTemplate, which a dry run of the Job finds. An update is checked only where
 * it changes something, so that a stored object with a fault can still be labelled, suspended, or fixed step by step. An object that
 * is being deleted has no faults. Never throws, whatever the object contains.
 *
 * Repeats the checks of the CRD, from the same schema, because the API server may have another CRD.
 */
export function validateCronJob(cronJob: unknown, old?: unknown): readonly FieldError[] {
  return isBeingDeleted(cronJob) ? [] : CronJob.schema.faults(cronJob, old);
}

/** Whether the CronJob is being deleted, so that no check matters any more. */
export function isBeingDeleted(cronJob: unknown): boolean {
  return valueAt(cronJob, 'metadata', 'deletionTimestamp') !== undefined;
}
