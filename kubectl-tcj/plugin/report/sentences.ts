/** Builds sentences about runs and scheduled times. Each sentence ends with a full stop. */

import { isAfter, parseTime, toWholeSeconds } from '../../../api/time.ts';
import { formatWaitRule } from '../../../api/v1/concurrency.ts';
import { MAX_MISSED_SLOTS } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { parseRequestedSlot, parseSlotJobName } from '../../../api/v1/job-names.ts';
import { parseRecentRun, type RecentRun, type RecentSkip, type RunTrigger } from '../../../api/v1/recent-lines.ts';
import { listWaitingSlots } from '../../../api/v1/waiting-slots.ts';
import { formatDuration, formatZonedTime } from '../terminal/format-time.ts';
import { getTimeZone, parseCronJobSchedule } from './cron-job-schedule.ts';
import { explainSkip } from './explain-skip.ts';
import { getResumeTime, isResumePending } from './suspension-state.ts';
import { findPodWaitMessage, listWaitingRuns } from './timeline.ts';

/** A CronJob with the time zone that the user chose for the display. */
export interface CronJobInZone extends CronJob {
  /** An IANA name. Default: the time zone of the schedule. */
  readonly displayZone?: string;
}

/** Formats a time in the display zone, or in the zone of the schedule if no display zone is set. */
export function formatLocalTime(cronJob: CronJobInZone, instant: Date): string {
  return formatZonedTime(instant, cronJob.displayZone ?? getTimeZone(cronJob));
}

/** Formats a time with its distance from now, such as `(in 5m)` or `(2h ago)`. */
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

/** Returns a name such as `The run of Mon 2026-11-23 02:00 UTC`. */
export function getRunName(cronJob: CronJob, run: RecentRun): string {
  const { trigger, scheduledTime, createdTime, requestedBy } = run;
  if (scheduledTime) return `The run of ${formatLocalTime(cronJob, scheduledTime)}`;
  const request = requestedBy === undefined ? '' : ` (CronJobRun ${requestedBy})`;
  const slot = getRequestedSlot(run);
  if (slot) return `The requested run of ${formatLocalTime(cronJob, slot)}${request}`;
  return `${UNSCHEDULED_RUNS[trigger]} at ${formatLocalTime(cronJob, createdTime)}${request}`;
}

const UNSCHEDULED_RUNS: Readonly<Record<RunTrigger, string>> = {
  Schedule: 'The run',
  Manual: 'The manual run',
  Backfill: 'The requested run',
  External: 'The run that another client started',
};

/** Returns the scheduled time whose run a CronJobRun requested. */
export function getRequestedSlot({ trigger, jobName }: RecentRun): Date | undefined {
  return trigger === 'Backfill' ? parseRequestedSlot(jobName) : undefined;
}

function formatRunDuration({ startTime, completionTime }: RecentRun): string {
  return startTime && completionTime ? ` after ${formatDuration(completionTime.getTime() - startTime.getTime())}` : '';
}

function formatFailure({ reason, message }: RecentRun): string {
  return reason === undefined ? '' : `: ${formatReason(reason, message?.replace(/\.+$/, ''))}`;
}

/** @param slot One of the skipped scheduled times. */
export function describeSkip(cronJob: CronJob, slot: Date, skip: RecentSkip): string {
  return `${formatLocalTime(cronJob, slot)}${formatSkipCount(skip)} did not run, because ${explainSkip(skip).cause}.`;
}

function formatSkipCount({ count }: RecentSkip): string {
  if (count === 1) return '';
  if (count > MAX_MISSED_SLOTS) return ` (and more than ${MAX_MISSED_SLOTS - 1} other times)`;
  return count === 2 ? ' (and another time)' : ` (and ${count - 1} other times)`;
}

export function describeNextRun(cronJob: CronJob, now: Date): string {
  const { spec, status } = cronJob;
  const end = parseTime(spec.endTime);
  if (end !== undefined && !isAfter(end, now))
    return `No further run starts: spec.endTime was ${formatRelativeTime(cronJob, end, now)}.`;
  // The status has no next scheduled time while it still shows a suspension or a pause.
  const nextAfterResume = isResumePending(cronJob, now) ? parseCronJobSchedule(cronJob)?.next(now) : undefined;
  const nextRunTime = parseTime(status?.nextScheduleTime) ?? nextAfterResume;
  const startTime = parseTime(status?.nextStartTime);
  if (nextRunTime && startTime && !isAfter(nextRunTime, now) && isAfter(startTime, now))
    return `The run of ${formatLocalTime(cronJob, nextRunTime)} starts ${formatRelativeTime(cronJob, startTime, now)}, after its delay (spec.jitterSeconds).`;
  return nextRunTime === undefined
    ? 'No further run is scheduled.'
    : `The next run is due ${formatRelativeTime(cronJob, nextRunTime, now)}.`;
}

/** Returns an empty string if the CronJob was not resumed, or has run since it was resumed. */
export function describeResume(cronJob: CronJob, newestRunTime: Date | undefined, now: Date): string {
  if (isResumePending(cronJob, now)) return 'The CronJob was resumed, but no manager has reconciled it yet.';
  const resumeTime = getResumeTime(cronJob);
  if (resumeTime === undefined || (newestRunTime && isAfter(newestRunTime, resumeTime))) return '';
  return `The CronJob was resumed at ${formatRelativeTime(cronJob, toWholeSeconds(resumeTime), now)}.`;
}

const MAX_COUNTED_RUNS = 1000;

/** Describes how many future runs a suspension skips. Returns `undefined` for an invalid schedule. */
export function describeSkippedRuns(cronJob: CronJob, now: Date, suspensionEnd: Date): string | undefined {
  // A run can start exactly at the end of the suspension.
  const times = parseCronJobSchedule(cronJob)?.between(now, new Date(suspensionEnd.getTime() - 1), {
    limit: MAX_COUNTED_RUNS + 1,
  });
  if (times === undefined) return undefined;
  const [first] = times;
  if (first === undefined) return 'The suspension skips no runs.';
  if (times.length === 1) return `The suspension skips one run: ${formatLocalTime(cronJob, first)}.`;
  const runCount = times.length > MAX_COUNTED_RUNS ? `more than ${MAX_COUNTED_RUNS}` : times.length;
  return `The suspension skips ${runCount} runs, the first at ${formatLocalTime(cronJob, first)}.`;
}

/** Describes the runs that wait for the active run. Returns an empty string if no run waits. */
export function describeWaitingRuns(cronJob: CronJob, now: Date): string {
  const laterCount = listWaitingSlots(cronJob, now).length - 1;
  const laterSentence = laterCount === 1 ? 'Another run waits' : `${laterCount} more runs wait`;
  const laterRuns = laterCount > 0 ? `${laterSentence} after it.` : '';
  const podWaitMessage = findPodWaitMessage(cronJob);
  if (podWaitMessage !== undefined) return joinSentences(`${capitalize(podWaitMessage)}.`, laterRuns);
  const slots = listWaitingRuns(cronJob).map((jobName) => parseSlotJobName(cronJob, jobName));
  // Manual runs start first.
  const sortedSlots = [...slots.filter((slot) => slot === undefined), ...slots.filter((slot) => slot !== undefined)];
  const runs = sortedSlots.map((slot) =>
    slot === undefined ? 'a manual run' : `the run of ${formatLocalTime(cronJob, slot)}`,
  );
  if (runs.length === 0) return '';
  const verb = runs.length === 1 ? 'waits' : 'wait';
  return joinSentences(
    `${capitalize(runs.join(', then '))} ${verb} for the active run to end (${formatWaitRule(cronJob.spec)}).`,
    laterRuns,
  );
}

/** The minimum number of replaced runs in a row to report, because a single run may be slow by chance. */
const MIN_REPLACED_RUNS = 2;

/**
 * Returns a phrase such as `the last 3 runs` for the newest runs that concurrencyPolicy Replace ended. Returns `undefined` for
 * fewer than two runs.
 */
export function describeReplacedRuns({ spec, status }: CronJob): string | undefined {
  if (spec.concurrencyPolicy !== 'Replace') return undefined;
  const results = status?.recentRuns?.map((line) => parseRecentRun(line)?.result) ?? [];
  const finishedResults = results.slice(results.findIndex((result) => result !== 'Running'));
  const firstOtherIndex = finishedResults.findIndex((result) => result !== 'Replaced');
  const count = firstOtherIndex < 0 ? finishedResults.length : firstOtherIndex;
  if (count < MIN_REPLACED_RUNS) return undefined;
  return results[0] === 'Replaced' ? `the last ${count} runs` : `the previous ${count} runs`;
}

export const CHECK_MANAGER_ADVICE = 'check that the manager runs and watches this namespace';

/** Joins the sentences that are not empty. */
export function joinSentences(...sentences: readonly (string | undefined)[]): string {
  return sentences.filter((sentence) => sentence).join(' ');
}

export function capitalize(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** Returns a text such as `Evicted: the node was low on memory`. */
export function formatReason(reason: string | undefined, message: string | undefined): string {
  return [reason, message].filter((text) => text).join(': ');
}

/** Shortens an external text for use inside a sentence. Removes line breaks and the final full stop. */
export function toExcerpt(text = ''): string {
  const line = text.trim().replace(/\s+/g, ' ').replace(/\.+$/, '');
  return line.length <= MAX_EXCERPT_LENGTH ? line : `${line.slice(0, MAX_EXCERPT_LENGTH).toWellFormed()}…`;
}

const MAX_EXCERPT_LENGTH = 300;
