/** Sentences about runs and scheduled times. Each ends with a full stop. */
import { isAfter, parseTime, toWholeSeconds } from '../../../api/time.ts';
import { MAX_MISSED_SLOTS } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { slotFromJobName } from '../../../api/v1/job-names.ts';
import type { RecentRun, RecentSkip } from '../../../api/v1/recent-lines.ts';
import { formatDuration, formatZonedTime } from '../terminal/times.ts';
import { getTimeZone, parseCronJobSchedule } from './cron-job-schedule.ts';
import { explainSkip } from './explain-skip.ts';
import { getResumeTime, isResumePending } from './suspension-state.ts';
import { listWaitingRuns } from './timeline.ts';

/** A CronJob whose sentences show times in a zone that the user has chosen. */
export interface CronJobInZone extends CronJob {
  /** IANA name. Default: the zone of the schedule. */
  readonly shownZone?: string;
}

/** The time in the chosen zone, or else in the zone of the schedule. */
export function formatLocalTime(cronJob: CronJobInZone, instant: Date): string {
  return formatZonedTime(instant, cronJob.shownZone ?? getTimeZone(cronJob));
}

/** The time, with how long ago it was or how far ahead it is. */
export function formatRelativeTime(cronJob: CronJob, instant: Date, now: Date): string {
  const ms = instant.getTime() - now.getTime();
  return `${formatLocalTime(cronJob, instant)} (${ms > 0 ? `in ${formatDuration(ms)}` : `${formatDuration(-ms)} ago`})`;
}

export function describeRun(cronJob: CronJob, run: RecentRun): string {
  const name = getRunName(cronJob, run);
  switch (run.result) {
    case 'Running':
      return `${name} is running, as Job ${run.jobName}.`;
    case 'Succeeded':
      return `${name} succeeded${formatRunDuration(run)}.`;
    case 'Failed':
      return `${name} failed${formatRunDuration(run)}${formatFailure(run)}.`;
    case 'Replaced':
      return `${name} was replaced by a newer run (concurrencyPolicy Replace).`;
    case 'Unknown':
      return `${name} has an unknown result: its Job ${run.jobName} was deleted before the manager recorded it.`;
  }
}

/** Such as `The run of Mon 2026-11-23 02:00 UTC`. */
export function getRunName(cronJob: CronJob, { trigger, scheduledTime, createdTime }: RecentRun): string {
  if (scheduledTime) return `The run of ${formatLocalTime(cronJob, scheduledTime)}`;
  const kind = trigger === 'Manual' ? 'The manual run' : 'The run that another client started';
  return `${kind} at ${formatLocalTime(cronJob, createdTime)}`;
}

function formatRunDuration({ startTime, completionTime }: RecentRun): string {
  return startTime && completionTime ? ` after ${formatDuration(completionTime.getTime() - startTime.getTime())}` : '';
}

function formatFailure({ reason, message }: RecentRun): string {
  return reason === undefined ? '' : `: ${formatReason(reason, message?.replace(/\.+$/, ''))}`;
}

/** @param slot A scheduled time of the skip. */
export function describeSkip(cronJob: CronJob, slot: Date, skip: RecentSkip): string {
  return `${formatLocalTime(cronJob, slot)}${formatOtherTimes(skip)} did not run, because ${explainSkip(skip).cause}.`;
}

function formatOtherTimes({ count }: RecentSkip): string {
  if (count === 1) return '';
  if (count > MAX_MISSED_SLOTS) return ` (and more than ${MAX_MISSED_SLOTS - 1} other times)`;
  return count === 2 ? ' (and another time)' : ` (and ${count - 1} other times)`;
}

export function describeNextRun(cronJob: CronJob, now: Date): string {
  // While the status still shows a suspension or a pause, it has no next time.
  const nextAfterResume = isResumePending(cronJob, now) ? parseCronJobSchedule(cronJob)?.next(now) : undefined;
  const next = parseTime(cronJob.status?.nextScheduleTime) ?? nextAfterResume;
  return next === undefined
    ? 'No further run is scheduled.'
    : `The next run is due ${formatRelativeTime(cronJob, next, now)}.`;
}

/** Empty unless the CronJob was resumed and has not run since. */
export function describeResume(cronJob: CronJob, newest: Date | undefined, now: Date): string {
  if (isResumePending(cronJob, now)) return 'It was resumed, but no manager has reconciled that yet.';
  const at = getResumeTime(cronJob);
  if (at === undefined || (newest && isAfter(newest, at))) return '';
  return `It was resumed at ${formatRelativeTime(cronJob, toWholeSeconds(at), now)}.`;
}

/** Maximum number of times to count. */
const MAX_COUNTED = 1000;

/** The sentence on the scheduled times from now on that a suspension skips. `undefined` for an invalid schedule. */
export function describeSkippedRuns(cronJob: CronJob, now: Date, until: Date): string | undefined {
  // The end time itself runs.
  const times = parseCronJobSchedule(cronJob)?.between(now, new Date(until.getTime() - 1), { limit: MAX_COUNTED + 1 });
  if (times === undefined) return undefined;
  const [first] = times;
  if (first === undefined) return 'The suspension skips no runs.';
  if (times.length === 1) return `The suspension skips one run: ${formatLocalTime(cronJob, first)}.`;
  const many = times.length > MAX_COUNTED ? `more than ${MAX_COUNTED}` : times.length;
  return `The suspension skips ${many} runs, the first at ${formatLocalTime(cronJob, first)}.`;
}

/** The sentence on the runs that wait for the active run. Empty when no run waits. */
export function describeWaitingRuns(cronJob: CronJob): string {
  const slots = listWaitingRuns(cronJob).map((jobName) => slotFromJobName(cronJob, jobName));
  // Manual runs start first.
  const sorted = [...slots.filter((slot) => slot === undefined), ...slots.filter((slot) => slot !== undefined)];
  const runs = sorted.map((slot) =>
    slot === undefined ? 'a manual run' : `the run of ${formatLocalTime(cronJob, slot)}`,
  );
  if (runs.length === 0) return '';
  const wait = runs.length === 1 ? 'waits' : 'wait';
  return `${capitalize(runs.join(', then '))} ${wait} for the active run to end (concurrencyPolicy Forbid).`;
}

export const CHECK_MANAGER = 'check that the manager runs and watches this namespace';

/** Joins sentences, and leaves out empty ones. */
export function joinSentences(...sentences: readonly (string | undefined)[]): string {
  return sentences.filter((sentence) => sentence).join(' ');
}

export function capitalize(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** Such as `Evicted: the node was low on memory`. */
export function formatReason(reason: string | undefined, message: string | undefined): string {
  return [reason, message].filter((text) => text).join(': ');
}

/** A foreign text as a part of a sentence: without characters that would end the sentence, and short enough to read. */
export function toExcerpt(text = ''): string {
  const line = text.trim().replace(/\s+/g, ' ').replace(/\.+$/, '');
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH).toWellFormed()}…`;
}

const MAX_LENGTH = 300;
