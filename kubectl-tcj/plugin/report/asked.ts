/** What somebody has asked of a CronJob: to be suspended or resumed. The status tells of it only when a manager has seen it. */
import { getCondition } from 'controller-runtime/kubernetes';
import { parseTime } from '../../../api/time.ts';
import { isSameValue } from '../../../api/v1/asked-values.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { RESUME_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { hasNewResume, isSuspendedAt } from '../../../api/v1/suspension.ts';

/** Too many runs have failed, and nobody has resumed it since. */
export function isPaused(cronJob: CronJob): boolean {
  return cronJob.status?.paused !== undefined && !hasNewResume(cronJob, cronJob.status) && !isSpecUnseen(cronJob);
}

/** It has been resumed, after a suspension or a pause, and no manager has seen that. */
export function isResumeUnseen(cronJob: CronJob, now: Date): boolean {
  if (isSuspendedAt(cronJob.spec, now)) return false;
  if (cronJob.status?.paused !== undefined) return !isPaused(cronJob);
  return isSeenSuspended(cronJob) && isSpecUnseen(cronJob);
}

/** It has been suspended, and no manager has seen that. */
export function isSuspensionUnseen(cronJob: CronJob, now: Date): boolean {
  return isSuspendedAt(cronJob.spec, now) && !isSeenSuspended(cronJob) && isSpecUnseen(cronJob);
}

/** When the annotation has resumed it last, if its manager has seen that; a value that is no time tells nothing. */
export function resumedAt({ metadata, status }: CronJob): Date | undefined {
  const value = metadata.annotations?.[RESUME_ANNOTATION];
  return value !== undefined && isSameValue(value, status?.lastResume) ? parseTime(value) : undefined;
}

function isSeenSuspended({ status }: CronJob): boolean {
  return getCondition(status?.conditions, 'Available')?.reason === 'Suspended';
}

/** The spec has changed since a manager looked at it. */
function isSpecUnseen({ metadata: { generation }, status }: CronJob): boolean {
  const observed = status?.observedGeneration;
  return generation !== undefined && observed !== undefined && generation > observed;
}
