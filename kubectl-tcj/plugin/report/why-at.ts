/**
 * Explains why a CronJob did or did not run at a certain time, from its object alone: reports facts outside of the status as
 * unknown.
 */
import { isAfter, latest, parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { IMPORTED_FROM_ANNOTATION, TAKES_OVER_FROM_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { getScheduleStart, parseCronJobSchedule } from './cron-job-schedule.ts';
import type { CronJobExplanation, ExplainInput } from './explanation.ts';
import { describeNextRun, formatLocalTime, formatRelativeTime, joinSentences } from './sentences.ts';
import { isPaused } from './suspension-state.ts';
import { buildTimeline, findEntry, type Timeline, type TimelineEntry } from './timeline.ts';
import { explainCronJob, explainEntry } from './why.ts';

/** @param at The scheduled time, or a time after it and before the next one. */
export function explainTime(cronJob: CronJob, at: Date, input: ExplainInput): CronJobExplanation {
  const timeline = buildTimeline(cronJob);
  const slot = parseCronJobSchedule(cronJob)?.previous(at);
  const exact = findEntry(timeline, at);
  const entry = slot && findEntry(timeline, slot);
  // A run of an earlier schedule, or a time that it skipped.
  if (exact && (exact.kind === 'Run' || !entry)) return explainEntry(cronJob, exact, input, at);
  const answer = entry
    ? explainEntry(cronJob, entry, input, slot)
    : explainWithoutEntry(cronJob, { at, slot, timeline }, input);
  return { ...answer, sentence: joinSentences(describeUnscheduledTime(cronJob, at, slot), answer.sentence) };
}

interface TimeQuery {
  readonly at: Date;
  /** The slot at the time, or the last slot before it. */
  readonly slot: Date | undefined;
  readonly timeline: Timeline;
}

function explainWithoutEntry(
  cronJob: CronJob,
  { at, slot, timeline }: TimeQuery,
  input: ExplainInput,
): CronJobExplanation {
  const { now } = input;
  if (isAfter(at, now)) {
    return { sentence: `${formatRelativeTime(cronJob, at, now)} is in the future. ${describeNextRun(cronJob, now)}` };
  }
  const manualRun = timeline.entries.find((each) => isUnscheduledRun(each, at));
  if (manualRun !== undefined) return explainEntry(cronJob, manualRun, input);
  if (slot === undefined) return { sentence: `No run was scheduled up to ${formatLocalTime(cronJob, at)}.` };
  return explainUnlistedTime(cronJob, { at, slot }, input);
}

const MINUTE_MS = 60_000;

/** Whether the entry is a manual run that was started in the minute that begins with the time, or was active then. */
function isUnscheduledRun(entry: TimelineEntry, at: Date): boolean {
  if (entry.kind === 'Skip' || entry.run.scheduledTime !== undefined) return false;
  const { createdTime, completionTime } = entry.run;
  if (isAfter(createdTime, at)) return createdTime.getTime() - at.getTime() < MINUTE_MS;
  return completionTime !== undefined && !isAfter(at, completionTime);
}

/** Empty for a time that is in the current schedule. */
function describeUnscheduledTime(cronJob: CronJob, at: Date, before: Date | undefined): string {
  const since = getScheduleStart(cronJob);
  // The slots of an earlier schedule are unknown.
  if (before?.getTime() === at.getTime() || (since && !isAfter(at, since))) return '';
  const next = parseCronJobSchedule(cronJob)?.next(at);
  const around = [
    before && `the previous time is ${formatLocalTime(cronJob, before)}`,
    next && `the next time is ${formatLocalTime(cronJob, next)}`,
  ].filter((text) => text !== undefined);
  if (around.length === 0) return '';
  return `${formatLocalTime(cronJob, at)} is not in its schedule (${cronJob.spec.schedule}): ${around.join(' and ')}.`;
}

function explainUnlistedTime(
  cronJob: CronJob,
  { at, slot }: { readonly at: Date; readonly slot: Date },
  { now, pods }: ExplainInput,
): CronJobExplanation {
  const { status = {} } = cronJob;
  const early = explainEarlyTime(cronJob, at, slot);
  if (early !== undefined) return early;
  const accounted = latest(parseTime(status.lastScheduleTime), parseTime(status.handledThrough));
  if (accounted && !isAfter(slot, accounted)) {
    return {
      sentence: `The result of ${formatLocalTime(cronJob, slot)} is unknown: the status lists only newer times.`,
    };
  }
  const answer = explainCronJob(cronJob, now, pods);
  const pausedSince = isPaused(cronJob) ? parseTime(status.paused?.since) : undefined;
  if (pausedSince && !isAfter(pausedSince, slot)) {
    const sentence = `${formatRelativeTime(cronJob, slot, now)} did not run, because the CronJob was paused. ${answer.sentence}`;
    return { ...answer, sentence };
  }
  return { ...answer, sentence: `${formatRelativeTime(cronJob, slot, now)} has not run yet. ${answer.sentence}` };
}

/** The report on a time before the schedule took effect. */
function explainEarlyTime(cronJob: CronJob, at: Date, slot: Date): CronJobExplanation | undefined {
  const since = getScheduleStart(cronJob);
  if (since === undefined || isAfter(slot, since)) return undefined;
  const annotations = cronJob.metadata.annotations ?? {};
  const imported = parseTime(annotations[TAKES_OVER_FROM_ANNOTATION]) ?? parseTime(cronJob.metadata.creationTimestamp);
  if (annotations[IMPORTED_FROM_ANNOTATION] !== undefined && imported && !isAfter(slot, imported)) {
    const from = formatLocalTime(cronJob, imported);
    return {
      sentence: `${formatLocalTime(cronJob, slot)} belongs to the batch/v1 CronJob that it was imported from: times after ${from} run here.`,
    };
  }
  const began = `The schedule took effect at ${formatLocalTime(cronJob, since)}`;
  if (isAfter(at, since))
    return { sentence: `${began}, and has no time between then and ${formatLocalTime(cronJob, at)}.` };
  const order =
    at.getTime() === since.getTime() ? 'and applies only to later times' : `after ${formatLocalTime(cronJob, at)}`;
  return { sentence: `${began}, ${order}; the runs of an earlier schedule are unknown.` };
}
