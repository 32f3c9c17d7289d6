/** The checks that refuse a CronJob. */
import type { FieldError } from 'controller-runtime/kubernetes';
import { CronJob } from './cronjob-types.ts';
import { valueAt } from './raw-object.ts';

/**
 * Returns every fault of the CronJob, except faults inside its jobTemplate, which a dry run of the Job finds. For an update, checks
 * only what the update changes, so that a stored object with a fault can still be labelled, suspended, or fixed step by step. An
 * object that is being deleted has no faults. Never throws.
 *
 * Repeats the checks of the CRD, from the same schema, because the API server may have another CRD.
 */
export function validateCronJob(cronJob: unknown, old?: unknown): readonly FieldError[] {
  return isBeingDeleted(cronJob) ? [] : CronJob.schema.faults(cronJob, old);
}

/** Whether the CronJob is being deleted, which makes its checks unnecessary. */
export function isBeingDeleted(cronJob: unknown): boolean {
  return valueAt(cronJob, 'metadata', 'deletionTimestamp') !== undefined;
}
