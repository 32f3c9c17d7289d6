/**
 * Explains why a CronJob did or did not run at a certain time, from its object alone: reports facts outside of the status as
 * unknown.
 */
import { isAfter, latest, parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { IMPORTED_FROM_ANNOTATION, TAKES_OVER_FROM_ANNOTATION } from '../../../api/v1/groupversion.ts';
import type { Answer, Known } from './answer.ts';
import { isPaused } from './asked.ts';
import { scheduleOf, sinceOf } from './schedule-of.ts';
import { joined, nextSentence, timeFrom, timeOf } from './sentences.ts';
import { type Entry, entryOf, type Timeline, timelineOf } from './timeline.ts';
import { entryAnswer, why } from './why.ts';

/** @param at The scheduled time, or a time after it and before the next one. */
export function whyAt(cronJob: CronJob, at: Date, known: Known): Answer {
  const timeline = timelineOf(cronJob);
  const slot = scheduleOf(cronJob)?.previous(at);
  const exact = entryOf(timeline, at);
  const entry = slot && entryOf(timeline, slot);
  // A run of an earlier schedule, or a time that it skipped.
  if (exact && (exact.kind === 'Run' || !entry)) return entryAnswer(cronJob, exact, known, at);
  const answer = entry
    ? entryAnswer(cronJob, entry, known, slot)
    : withoutEntry(cronJob, { at, slot, timeline }, known);
  return { ...answer, sentence: joined(unscheduledSentence(cronJob, at, slot), answer.sentence) };
}

interface Asked {
  readonly at: Date;
  /** The slot at the time, or the last slot before it. */
  readonly slot: Date | undefined;
  readonly timeline: Timeline;
}

function withoutEntry(cronJob: CronJob, { at, slot, timeline }: Asked, known: Known): Answer {
  const { now } = known;
  if (isAfter(at, now)) {
    return { sentence: `${timeFrom(cronJob, at, now)} is in the future. ${nextSentence(cronJob, now)}` };
  }
  const byHand = timeline.entries.find((each) => isUnscheduledRun(each, at));
  if (byHand !== undefined) return entryAnswer(cronJob, byHand, known);
  if (slot === undefined) return { sentence: `No run was scheduled up to ${timeOf(cronJob, at)}.` };
  return unlistedAnswer(cronJob, { at, slot }, known);
}

const MINUTE_MS = 60_000;

/** Whether the entry is a manual run that was started in the minute that begins with the time, or was active then. */
function isUnscheduledRun(entry: Entry, at: Date): boolean {
  if (entry.kind === 'Skip' || entry.run.scheduledTime !== undefined) return false;
  const { createdTime, completionTime } = entry.run;
  if (isAfter(createdTime, at)) return createdTime.getTime() - at.getTime() < MINUTE_MS;
  return completionTime !== undefined && !isAfter(at, completionTime);
}

/** Empty for a time that is in the current schedule. */
function unscheduledSentence(cronJob: CronJob, at: Date, before: Date | undefined): string {
  const since = sinceOf(cronJob);
  // The slots of an earlier schedule are unknown.
  if (before?.getTime() === at.getTime() || (since && !isAfter(at, since))) return '';
  const next = scheduleOf(cronJob)?.next(at);
  const around = [
    before && `the previous time is ${timeOf(cronJob, before)}`,
    next && `the next time is ${timeOf(cronJob, next)}`,
  ].filter((text) => text !== undefined);
  if (around.length === 0) return '';
  return `${timeOf(cronJob, at)} is not in its schedule (${cronJob.spec.schedule}): ${around.join(' and ')}.`;
}

function unlistedAnswer(
  cronJob: CronJob,
  { at, slot }: { readonly at: Date; readonly slot: Date },
  { now, pods }: Known,
): Answer {
  const { status = {} } = cronJob;
  const early = earlyAnswer(cronJob, at, slot);
  if (early !== undefined) return early;
  const accounted = latest(parseTime(status.lastScheduleTime), parseTime(status.handledThrough));
  if (accounted && !isAfter(slot, accounted)) {
    return {
      sentence: `The result of ${timeOf(cronJob, slot)} is unknown: the status lists only newer times.`,
    };
  }
  const answer = why(cronJob, now, pods);
  const pausedSince = isPaused(cronJob) ? parseTime(status.paused?.since) : undefined;
  if (pausedSince && !isAfter(pausedSince, slot)) {
    const sentence = `${timeFrom(cronJob, slot, now)} did not run, because the CronJob was paused. ${answer.sentence}`;
    return { ...answer, sentence };
  }
  return { ...answer, sentence: `${timeFrom(cronJob, slot, now)} has not run yet. ${answer.sentence}` };
}

/** The report on a time before the schedule took effect. */
function earlyAnswer(cronJob: CronJob, at: Date, slot: Date): Answer | undefined {
  const since = sinceOf(cronJob);
  if (since === undefined || isAfter(slot, since)) return undefined;
  const annotations = cronJob.metadata.annotations ?? {};
  const imported = parseTime(annotations[TAKES_OVER_FROM_ANNOTATION]) ?? parseTime(cronJob.metadata.creationTimestamp);
  if (annotations[IMPORTED_FROM_ANNOTATION] !== undefined && imported && !isAfter(slot, imported)) {
    const from = timeOf(cronJob, imported);
    return {
      sentence: `${timeOf(cronJob, slot)} belongs to the batch/v1 CronJob that it was imported from: times after ${from} run here.`,
    };
  }
  const began = `The schedule took effect at ${timeOf(cronJob, since)}`;
  if (isAfter(at, since)) return { sentence: `${began}, and has no time between then and ${timeOf(cronJob, at)}.` };
  const order = at.getTime() === since.getTime() ? 'and applies only to later times' : `after ${timeOf(cronJob, at)}`;
  return { sentence: `${began}, ${order}; the runs of an earlier schedule are unknown.` };
}
