import type { FieldError } from 'controller-runtime/kubernetes';
import { CronJob } from './cronjob-types.ts';
import { valueAt } from './raw-object.ts';

/**
 * Returns the faults of the CronJob, except the faults of its jobTemplate. The webhook checks the jobTemplate with a
 * dry run. On update, checks only the fields that the update changes, so that users can edit an object that already has
 * a fault. An object that is being deleted has no faults. Never throws.
 *
 * The webhook repeats the checks of the CRD, because a cluster may have a different CRD for this kind.
 */
export function validateCronJob(cronJob: unknown, oldCronJob?: unknown): readonly FieldError[] {
  return isBeingDeleted(cronJob) ? [] : CronJob.schema.faults(cronJob, oldCronJob);
}

export function isBeingDeleted(cronJob: unknown): boolean {
  return valueAt(cronJob, 'metadata', 'deletionTimestamp') !== undefined;
}
