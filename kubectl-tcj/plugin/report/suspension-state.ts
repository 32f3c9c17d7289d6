/** Requests of a user to suspend or resume a CronJob. The status shows them only after a manager has handled them. */
import { getCondition } from 'controller-runtime/kubernetes';
import { parseTime } from '../../../api/time.ts';
import { isStoredValue } from '../../../api/v1/annotation-values.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { RESUME_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { hasNewResume, isSuspendedAt } from '../../../api/v1/suspension.ts';

/** Whether too many runs have failed, and no user has resumed the CronJob since. */
export function isPaused(cronJob: CronJob): boolean {
  return cronJob.status?.paused !== undefined && !hasNewResume(cronJob, cronJob.status) && !isSpecPending(cronJob);
}

/** Whether the CronJob was resumed, after a suspension or a pause, and no manager has handled it. */
export function isResumePending(cronJob: CronJob, now: Date): boolean {
  if (isSuspendedAt(cronJob.spec, now)) return false;
  if (cronJob.status?.paused !== undefined) return !isPaused(cronJob);
  return hasSuspendedStatus(cronJob) && isSpecPending(cronJob);
}

/** Whether the CronJob was suspended, and no manager has handled it. */
export function isSuspensionPending(cronJob: CronJob, now: Date): boolean {
  return isSuspendedAt(cronJob.spec, now) && !hasSuspendedStatus(cronJob) && isSpecPending(cronJob);
}

/** When the annotation last resumed the CronJob, if its manager has handled that; `undefined` for a value that is not a time. */
export function getResumeTime({ metadata, status }: CronJob): Date | undefined {
  const value = metadata.annotations?.[RESUME_ANNOTATION];
  return value !== undefined && isStoredValue(value, status?.lastResume) ? parseTime(value) : undefined;
}

function hasSuspendedStatus({ status }: CronJob): boolean {
  return getCondition(status?.conditions, 'Available')?.reason === 'Suspended';
}

/** Whether the spec has changed since a manager last reconciled the CronJob. */
function isSpecPending({ metadata: { generation }, status }: CronJob): boolean {
  const observed = status?.observedGeneration;
  return generation !== undefined && observed !== undefined && generation > observed;
}
