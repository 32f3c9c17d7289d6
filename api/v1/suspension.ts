import { getCondition } from 'controller-runtime/kubernetes';
import type { Timetable } from 'kubernetes-cron-schedule';
import { isAfter, parseTime } from '../time.ts';
import { toStoredValue } from './annotation-values.ts';
import { getCatchUpLimit } from './concurrency.ts';
import type { CronJob, CronJobSpec, CronJobStatus } from './cronjob-types.ts';
import { RESUME_ANNOTATION } from './groupversion.ts';

/** Returns true if `suspend` or `suspendUntil` prevents scheduled runs. */
export function isSuspendedAt({ suspend, suspendUntil }: CronJobSpec, now: Date): boolean {
  const until = parseTime(suspendUntil);
  return suspend || (until !== undefined && isAfter(until, now));
}

/** Returns the value of the resume annotation in the format of `status.lastResume`, or `undefined` without the annotation. */
export function getResumeValue({ metadata }: Pick<CronJob, 'metadata'>): string | undefined {
  const value = metadata.annotations?.[RESUME_ANNOTATION];
  return value === undefined ? undefined : toStoredValue(value);
}

/** Returns true if the resume annotation has a new value. A value that is present when the CronJob is created is not new. */
export function hasNewResumeValue(cronJob: Pick<CronJob, 'metadata'>, status: CronJobStatus = {}): boolean {
  const value = getResumeValue(cronJob);
  return value !== undefined && value !== status.lastResume && status.observedGeneration !== undefined;
}

/**
 * Returns whether the runs that waited before the last suspension still start after the suspension. The runs still
 * start if the suspension contained no slot: docs/adr/0044-waiting-runs.md.
 */
export function keepsWaitingRuns(
  { spec, status = {} }: Pick<CronJob, 'spec' | 'status'>,
  schedule: Pick<Timetable, 'previous'>,
  now: Date,
): boolean {
  if (getCatchUpLimit(spec) === undefined) return false;
  const suspendedSince = parseTime(getCondition(status.conditions, 'Available')?.lastTransitionTime);
  if (suspendedSince === undefined) return false;
  const newestSlot = schedule.previous(now, suspendedSince);
  return newestSlot === undefined || !isAfter(newestSlot, suspendedSince);
}
