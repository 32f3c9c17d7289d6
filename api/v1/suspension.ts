/**
 * Whether a CronJob is suspended, and whether a user requested to resume it after a pause: rules that the controller and the plugin
 * share.
 */
import { isAfter, parseTime } from '../time.ts';
import { toStoredValue } from './annotation-values.ts';
import type { CronJob, CronJobSpec, CronJobStatus } from './cronjob-types.ts';
import { RESUME_ANNOTATION } from './groupversion.ts';

/** Whether `suspend` or `suspendUntil` prevents scheduled runs. */
export function isSuspendedAt({ suspend, suspendUntil }: CronJobSpec, now: Date): boolean {
  const until = parseTime(suspendUntil);
  return suspend || (until !== undefined && isAfter(until, now));
}

/** The value of the resume annotation, as `status.lastResume` records it; `undefined` without the annotation. */
export function resumeValue({ metadata }: Pick<CronJob, 'metadata'>): string | undefined {
  const value = metadata.annotations?.[RESUME_ANNOTATION];
  return value === undefined ? undefined : toStoredValue(value);
}

/**
 * Whether the resume annotation has a value that no pass has handled. A value that is present when the CronJob is created has no
 * effect.
 */
export function hasNewResume(cronJob: Pick<CronJob, 'metadata'>, status: CronJobStatus = {}): boolean {
  const value = resumeValue(cronJob);
  return value !== undefined && value !== status.lastResume && status.observedGeneration !== undefined;
}
