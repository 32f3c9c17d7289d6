/** Explains why a CronJob did or did not run at a given time. All data comes from the CronJob object and the report on its Pods. */
import { isAfter, latest, parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { IMPORTED_FROM_ANNOTATION, TAKES_OVER_FROM_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { getScheduleStart, parseCronJobSchedule } from './cron-job-schedule.ts';
import type { CronJobExplanation, ExplainInput } from './explanation.ts';
import { describeNextRun, formatLocalTime, formatRelativeTime, joinSentences } from './sentences.ts';
import { isPaused } from './suspension-state.ts';
import { buildTimeline, findEntry, type Timeline, type TimelineEntry } from './timeline.ts';
import { explainCronJob, explainEntry } from './why.ts';

/** @param time Any time. The function explains the last scheduled time that is not later. */
export function explainTime(cronJob: CronJob, at: Date, input: ExplainInput): CronJobExplanation {
  const timeline = buildTimeline(cronJob);
  const slot = parseCronJobSchedule(cronJob)?.previous(at);
  const exactEntry = findEntry(timeline, at);
  const entry = slot && findEntry(timeline, slot);
  // The entry may belong to an earlier schedule.
  if (exactEntry && (exactEntry.kind === 'Run' || !entry)) return explainEntry(cronJob, exactEntry, input, at);
  const explanation = entry
    ? explainEntry(cronJob, entry, input, slot)
    : explainWithoutEntry(cronJob, { at, slot, timeline }, input);
  return { ...explanation, sentence: joinSentences(describeUnscheduledTime(cronJob, at, slot), explanation.sentence) };
}

interface TimeQuery {
  readonly at: Date;
  /** The last slot that is not later than `time`. */
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
  const manualRun = timeline.entries.find((each) => isUnscheduledRunAt(each, at));
  if (manualRun !== undefined) return explainEntry(cronJob, manualRun, input);
  if (slot === undefined) return { sentence: `No run was scheduled up to ${formatLocalTime(cronJob, at)}.` };
  return explainUnlistedTime(cronJob, { at, slot }, input);
}

const MINUTE_MS = 60_000;

/** Returns whether the entry is a manual run that was active at the time or started within the next minute. */
function isUnscheduledRunAt(entry: TimelineEntry, at: Date): boolean {
  if (entry.kind === 'Skip' || entry.run.scheduledTime !== undefined) return false;
  const { createdTime, completionTime } = entry.run;
  if (isAfter(createdTime, at)) return createdTime.getTime() - at.getTime() < MINUTE_MS;
  return completionTime !== undefined && !isAfter(at, completionTime);
}

/** Returns an empty string for a time that the current schedule contains. */
function describeUnscheduledTime(cronJob: CronJob, at: Date, previousSlot: Date | undefined): string {
  const scheduleStart = getScheduleStart(cronJob);
  // The slots of an earlier schedule are unknown.
  if (previousSlot?.getTime() === at.getTime() || (scheduleStart && !isAfter(at, scheduleStart))) return '';
  const nextSlot = parseCronJobSchedule(cronJob)?.next(at);
  const neighborTimes = [
    previousSlot && `the previous time is ${formatLocalTime(cronJob, previousSlot)}`,
    nextSlot && `the next time is ${formatLocalTime(cronJob, nextSlot)}`,
  ].filter((text) => text !== undefined);
  if (neighborTimes.length === 0) return '';
  return `${formatLocalTime(cronJob, at)} is not in its schedule (${cronJob.spec.schedule}): ${neighborTimes.join(' and ')}.`;
}

function explainUnlistedTime(
  cronJob: CronJob,
  { at, slot }: { readonly at: Date; readonly slot: Date },
  { now, pods }: ExplainInput,
): CronJobExplanation {
  const { status = {} } = cronJob;
  const earlyExplanation = explainEarlyTime(cronJob, at, slot);
  if (earlyExplanation !== undefined) return earlyExplanation;
  const lastHandledTime = latest(parseTime(status.lastScheduleTime), parseTime(status.handledThrough));
  if (lastHandledTime && !isAfter(slot, lastHandledTime)) {
    return {
      sentence: `The result of ${formatLocalTime(cronJob, slot)} is unknown: the status lists only newer times.`,
    };
  }
  const explanation = explainCronJob(cronJob, now, pods);
  const pausedSince = isPaused(cronJob) ? parseTime(status.paused?.since) : undefined;
  if (pausedSince && !isAfter(pausedSince, slot)) {
    const sentence = `${formatRelativeTime(cronJob, slot, now)} did not run, because the CronJob was paused. ${explanation.sentence}`;
    return { ...explanation, sentence };
  }
  return {
    ...explanation,
    sentence: `${formatRelativeTime(cronJob, slot, now)} has not run yet. ${explanation.sentence}`,
  };
}

/** Explains a time before the schedule took effect. Returns `undefined` for later times. */
function explainEarlyTime(cronJob: CronJob, at: Date, slot: Date): CronJobExplanation | undefined {
  const scheduleStart = getScheduleStart(cronJob);
  if (scheduleStart === undefined || isAfter(slot, scheduleStart)) return undefined;
  const annotations = cronJob.metadata.annotations ?? {};
  const importTime =
    parseTime(annotations[TAKES_OVER_FROM_ANNOTATION]) ?? parseTime(cronJob.metadata.creationTimestamp);
  if (annotations[IMPORTED_FROM_ANNOTATION] !== undefined && importTime && !isAfter(slot, importTime)) {
    const importTimeText = formatLocalTime(cronJob, importTime);
    return {
      sentence: `${formatLocalTime(cronJob, slot)} belongs to the batch/v1 CronJob that it was imported from: times after ${importTimeText} run here.`,
    };
  }
  const startSentence = `The schedule took effect at ${formatLocalTime(cronJob, scheduleStart)}`;
  if (isAfter(at, scheduleStart))
    return { sentence: `${startSentence}, and has no time between then and ${formatLocalTime(cronJob, at)}.` };
  const relation =
    at.getTime() === scheduleStart.getTime()
      ? 'and applies only to later times'
      : `after ${formatLocalTime(cronJob, at)}`;
  return { sentence: `${startSentence}, ${relation}; the runs of an earlier schedule are unknown.` };
}
