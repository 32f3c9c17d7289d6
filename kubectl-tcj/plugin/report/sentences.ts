/** Sentences about runs and scheduled times. Each ends with a full stop. */
import { isAfter, parseTime, wholeSeconds } from '../../../api/time.ts';
import { DEFAULT_TIME_ZONE, MAX_MISSED_SLOTS } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { RecentRun, RecentSkip } from '../../../api/v1/recent-lines.ts';
import { shownDuration, shownTime } from '../terminal/times.ts';
import { isResumeUnseen, resumedAt } from './asked.ts';
import { scheduleOf } from './schedule-of.ts';
import { whySkipped } from './why-skipped.ts';

/** A CronJob of which sentences tell times in a zone that somebody has chosen. */
export interface ToldInZone extends CronJob {
  /** IANA name. Default that of the schedule. */
  readonly shownZone?: string;
}

/** In the zone that is chosen, or else in that of the schedule. */
export function timeOf({ spec, shownZone = spec.timeZone ?? DEFAULT_TIME_ZONE }: ToldInZone, instant: Date): string {
  return shownTime(instant, shownZone);
}

/** With how long ago it was, or how far ahead it is. */
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
      return `${name} was ended for a newer run (concurrencyPolicy Replace).`;
    case 'Unknown':
      return `${name} is not known to have ended: its Job ${run.jobName} was deleted before its result was seen.`;
  }
}

/** Such as `The run of Mon 2026-11-23 02:00 UTC`. */
export function nameOfRun(cronJob: CronJob, { trigger, scheduledTime, createdTime }: RecentRun): string {
  if (scheduledTime) return `The run of ${timeOf(cronJob, scheduledTime)}`;
  const kind = trigger === 'Manual' ? 'The manual run' : 'The run that somebody else started';
  return `${kind} at ${timeOf(cronJob, createdTime)}`;
}

function after({ startTime, completionTime }: RecentRun): string {
  return startTime && completionTime ? ` after ${shownDuration(completionTime.getTime() - startTime.getTime())}` : '';
}

function because({ reason, message }: RecentRun): string {
  if (reason === undefined) return '';
  return message === undefined ? `: ${reason}` : `: ${reason}: ${message.replace(/\.+$/, '')}`;
}

/** @param slot One of its scheduled times. */
export function skipSentence(cronJob: CronJob, slot: Date, skip: RecentSkip): string {
  return `${timeOf(cronJob, slot)} did not run${othersOf(skip)}, because ${whySkipped(skip).cause}.`;
}

function othersOf({ count }: RecentSkip): string {
  if (count === 1) return '';
  if (count > MAX_MISSED_SLOTS) return `, nor did more than ${MAX_MISSED_SLOTS - 1} other times`;
  return `, nor ${count === 2 ? 'did another time' : `did ${count - 1} other times`}`;
}

export function nextSentence(cronJob: CronJob, now: Date): string {
  // While the status still tells of a suspension or a pause, it has none.
  const unseen = isResumeUnseen(cronJob, now) ? scheduleOf(cronJob)?.next(now) : undefined;
  const next = parseTime(cronJob.status?.nextScheduleTime) ?? unseen;
  return next === undefined ? 'No further run is scheduled.' : `The next one is due ${timeFrom(cronJob, next, now)}.`;
}

/** Empty unless it has been resumed, and no run has come since. */
export function resumedSentence(cronJob: CronJob, newest: Date | undefined, now: Date): string {
  if (isResumeUnseen(cronJob, now)) return 'It was resumed, and no manager has seen that yet.';
  const at = resumedAt(cronJob);
  if (at === undefined || (newest && isAfter(newest, at))) return '';
  return `It was resumed at ${timeFrom(cronJob, wholeSeconds(at), now)}.`;
}

/** A text of others as a part of a sentence: without what would end it, and no more of it than one reads. */
export function ended(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ').replace(/\.+$/, '');
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH).toWellFormed()}…`;
}

const MAX_LENGTH = 300;
