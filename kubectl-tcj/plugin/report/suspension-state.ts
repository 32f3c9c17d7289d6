/** Detects whether a CronJob is paused, and whether a manager has reconciled a suspension or a resume. */
import { getCondition } from 'controller-runtime/kubernetes';
import { parseTime } from '../../../api/time.ts';
import { isStoredValue } from '../../../api/v1/annotation-values.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { RESUME_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { hasNewResumeValue, isSuspendedAt } from '../../../api/v1/suspension.ts';

/** Returns whether the CronJob is paused after too many failed runs and no user has resumed it. */
export function isPaused(cronJob: CronJob): boolean {
  return cronJob.status?.paused !== undefined && !hasNewResumeValue(cronJob, cronJob.status) && !isSpecPending(cronJob);
}

/** Returns whether a user has resumed the CronJob and no manager has reconciled the change. */
export function isResumePending(cronJob: CronJob, now: Date): boolean {
  if (isSuspendedAt(cronJob.spec, now)) return false;
  if (cronJob.status?.paused !== undefined) return !isPaused(cronJob);
  return hasSuspendedStatus(cronJob) && isSpecPending(cronJob);
}

/** Returns whether a user has suspended the CronJob and no manager has reconciled the change. */
export function isSuspensionPending(cronJob: CronJob, now: Date): boolean {
  return isSuspendedAt(cronJob.spec, now) && !hasSuspendedStatus(cronJob) && isSpecPending(cronJob);
}

/**
 * Returns the time in the annotation `resume` if the manager has handled the annotation. Returns `undefined` if the
 * value of the annotation is not a time.
 */
export function getResumeTime({ metadata, status }: CronJob): Date | undefined {
  const value = metadata.annotations?.[RESUME_ANNOTATION];
  return value !== undefined && isStoredValue(value, status?.lastResume) ? parseTime(value) : undefined;
}

function hasSuspendedStatus({ status }: CronJob): boolean {
  return getCondition(status?.conditions, 'Available')?.reason === 'Suspended';
}

/** Returns whether the spec has changed since the last reconcile. */
function isSpecPending({ metadata: { generation }, status }: CronJob): boolean {
  const observedGeneration = status?.observedGeneration;
  return generation !== undefined && observedGeneration !== undefined && generation > observedGeneration;
}
