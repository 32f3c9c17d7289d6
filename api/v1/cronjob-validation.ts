/** What a CronJob must be to be stored. */
import type { FieldError } from 'controller-runtime/kubernetes';
import { CronJob } from './cronjob-types.ts';
import { valueAt } from './raw-object.ts';

/**
 * Every fault of the CronJob, but for those inside its jobTemplate, which the API server knows best. Of an update only what it
 * changes is looked at, so that an object which has a fault already can still be labelled, suspended, or fixed bit by bit; one
 * that is being deleted always passes. Never throws, whatever the object is in truth.
 *
 * Says what the CRD says too, from the same schema: the API server may have an older one.
 */
export function validateCronJob(cronJob: unknown, old?: unknown): readonly FieldError[] {
  return isBeingDeleted(cronJob) ? [] : CronJob.schema.faults(cronJob, old);
}

/** Whether nothing about it matters any more. */
export function isBeingDeleted(cronJob: unknown): boolean {
  return valueAt(cronJob, 'metadata', 'deletionTimestamp') !== undefined;
}
