/** Sentences about runs and scheduled times. Each ends with a full stop. */
import { isAfter, parseTime, wholeSeconds } from '../../../api/time.ts';
import { MAX_MISSED_SLOTS } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { slotFromJobName } from '../../../api/v1/job-names.ts';
import type { RecentRun, RecentSkip } from '../../../api/v1/recent-lines.ts';
import { shownDuration, shownTime } from '../terminal/times.ts';
import { isResumeUnseen, resumedAt } from './asked.ts';
import { scheduleOf, zoneOf } from './schedule-of.ts';
import { waitingRuns } from './timeline.ts';
import { whySkipped } from './why-skipped.ts';

/** A CronJob whose sentences show times in a zone that the user has chosen. */
export interface ToldInZone extends CronJob {
  /** IANA name. Default: the zone of the schedule. */
  readonly shownZone?: string;
}

/** The time in the chosen zone, or else in the zone of the schedule. */
export function timeOf(cronJob: ToldInZone, instant: Date): string {
  return shownTime(instant, cronJob.shownZone ?? zoneOf(cronJob));
}

/** The time, with how long ago it was or how far ahead it is. */
export function timeFrom(cronJob: CronJob, instant: Date, now: Date): string {
  const ms = instant.getTime() - now.getTime();
  return `${timeOf(cronJob, instant)} (${ms > 0 ? `in ${shownDuration(ms)}` : `${shownDuration(-ms)} ago`})`;
}

export function runSentence(cronJob: CronJob, run: RecentRun): string {
  const name = nameOfRun(cronJob, run);
  switch (run.result) {
    case 'Running':
      return `${name} is running, as Job ${run.jobName}.`;
    case 'Succeeded':
      return `${name} succeeded${after(run)}.`;
    case 'Failed':
      return `${name} failed${after(run)}${because(run)}.`;
    case 'Replaced':
      return `${name} was replaced by a newer run (concurrencyPolicy Replace).`;
    case 'Unknown':
      return `${name} has an unknown result: its Job ${run.jobName} was deleted before the manager recorded it.`;
  }
}

/** Such as `The run of Mon 2026-11-23 02:00 UTC`. */
export function nameOfRun(cronJob: CronJob, { trigger, scheduledTime, createdTime }: RecentRun): string {
  if (scheduledTime) return `The run of ${timeOf(cronJob, scheduledTime)}`;
  const kind = trigger === 'Manual' ? 'The manual run' : 'The run that another client started';
  return `${kind} at ${timeOf(cronJob, createdTime)}`;
}

function after({ startTime, completionTime }: RecentRun): string {
  return startTime && completionTime ? ` after ${shownDuration(completionTime.getTime() - startTime.getTime())}` : '';
}

function because({ reason, message }: RecentRun): string {
  return reason === undefined ? '' : `: ${reasonText(reason, message?.replace(/\.+$/, ''))}`;
}

/** @param slot A scheduled time of the skip. */
export function skipSentence(cronJob: CronJob, slot: Date, skip: RecentSkip): string {
  return `${timeOf(cronJob, slot)}${othersOf(skip)} did not run, because ${whySkipped(skip).cause}.`;
}

function othersOf({ count }: RecentSkip): string {
  if (count === 1) return '';
  if (count > MAX_MISSED_SLOTS) return ` and more than ${MAX_MISSED_SLOTS - 1} other times`;
  return count === 2 ? ' and another time' : ` and ${count - 1} other times`;
}

export function nextSentence(cronJob: CronJob, now: Date): string {
  // While the status still shows a suspension or a pause, it has no next time.
  const unseen = isResumeUnseen(cronJob, now) ? scheduleOf(cronJob)?.next(now) : undefined;
  const next = parseTime(cronJob.status?.nextScheduleTime) ?? unseen;
  return next === undefined ? 'No further run is scheduled.' : `The next run is due ${timeFrom(cronJob, next, now)}.`;
}

/** Empty unless the CronJob was resumed and has not run since. */
export function resumedSentence(cronJob: CronJob, newest: Date | undefined, now: Date): string {
  if (isResumeUnseen(cronJob, now)) return 'It was resumed, but no manager has reconciled that yet.';
  const at = resumedAt(cronJob);
  if (at === undefined || (newest && isAfter(newest, at))) return '';
  return `It was resumed at ${timeFrom(cronJob, wholeSeconds(at), now)}.`;
}

/** Maximum number of times to count. */
const MAX_COUNTED = 1000;

/** The sentence on the scheduled times from now on that a suspension skips. `undefined` for an invalid schedule. */
export function leftOutSentence(cronJob: CronJob, now: Date, until: Date): string | undefined {
  // The end time itself runs.
  const times = scheduleOf(cronJob)?.between(now, new Date(until.getTime() - 1), { limit: MAX_COUNTED + 1 });
  if (times === undefined) return undefined;
  const [first] = times;
  if (first === undefined) return 'The suspension skips no runs.';
  if (times.length === 1) return `The suspension skips one run: ${timeOf(cronJob, first)}.`;
  const many = times.length > MAX_COUNTED ? `more than ${MAX_COUNTED}` : times.length;
  return `The suspension skips ${many} runs, the first at ${timeOf(cronJob, first)}.`;
}

/** The sentence on the runs that wait for the active run. Empty when no run waits. */
export function waitingSentence(cronJob: CronJob): string {
  const slots = waitingRuns(cronJob).map((jobName) => slotFromJobName(cronJob, jobName));
  // Manual runs start first.
  const sorted = [...slots.filter((slot) => slot === undefined), ...slots.filter((slot) => slot !== undefined)];
  const runs = sorted.map((slot) => (slot === undefined ? 'a manual run' : `the run of ${timeOf(cronJob, slot)}`));
  if (runs.length === 0) return '';
  const wait = runs.length === 1 ? 'waits' : 'wait';
  return `${capital(runs.join(', then '))} ${wait} for the active run to end (concurrencyPolicy Forbid).`;
}

export const SEE_MANAGER = 'check that the manager runs and watches this namespace';

/** Joins sentences, and leaves out empty ones. */
export function joined(...sentences: readonly (string | undefined)[]): string {
  return sentences.filter((sentence) => sentence).join(' ');
}

export function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** Such as `Evicted: the node was low on memory`. */
export function reasonText(reason: string | undefined, message: string | undefined): string {
  return [reason, message].filter((text) => text).join(': ');
}

/** A foreign text as a part of a sentence: without characters that would end the sentence, and short enough to read. */
export function excerpt(text = ''): string {
  const line = text.trim().replace(/\s+/g, ' ').replace(/\.+$/, '');
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH).toWellFormed()}…`;
}

const MAX_LENGTH = 300;
