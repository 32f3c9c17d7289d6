/** Explains why a CronJob did or did not run at a given time. All data comes from the CronJob object and the report on its Pods. */
import { isAfter, latest, parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { IMPORTED_FROM_ANNOTATION, TAKES_OVER_FROM_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { getScheduleStart } from '../../../api/v1/timetable.ts';
import { parseCronJobSchedule } from './cron-job-schedule.ts';
import type { CronJobExplanation, ExplainInput } from './explanation.ts';
import { describeNextRun, formatLocalTime, formatRelativeTime, joinSentences } from './sentences.ts';
import { isPaused } from './suspension-state.ts';
import { buildTimeline, findEntry, type Timeline, type TimelineEntry } from './timeline.ts';
import { explainCronJob, explainEntry } from './why.ts';

/** @param time Any time. If `time` is not a scheduled time, the function explains the last scheduled time before `time`. */
export function explainTime(cronJob: CronJob, time: Date, input: ExplainInput): CronJobExplanation {
  const timeline = buildTimeline(cronJob);
  const slot = parseCronJobSchedule(cronJob)?.previous(time);
  const exactEntry = findEntry(timeline, time);
  const entry = slot && findEntry(timeline, slot);
  // The entry may belong to an earlier schedule.
  if (exactEntry && (exactEntry.kind === 'Run' || !entry)) return explainEntry(cronJob, exactEntry, input, time);
  const explanation = entry
    ? explainEntry(cronJob, entry, input, slot)
    : explainWithoutEntry(cronJob, { time, slot, timeline }, input);
  return {
    ...explanation,
    sentence: joinSentences(describeUnscheduledTime(cronJob, time, slot), explanation.sentence),
  };
}

interface TimeQuery {
  readonly time: Date;
  /** The last slot that is not later than `time`. */
  readonly slot: Date | undefined;
  readonly timeline: Timeline;
}

function explainWithoutEntry(
  cronJob: CronJob,
  { time, slot, timeline }: TimeQuery,
  input: ExplainInput,
): CronJobExplanation {
  const { now } = input;
  if (isAfter(time, now)) {
    return { sentence: `${formatRelativeTime(cronJob, time, now)} is in the future. ${describeNextRun(cronJob, now)}` };
  }
  const manualRun = timeline.entries.find((each) => isUnscheduledRunAt(each, time));
  if (manualRun !== undefined) return explainEntry(cronJob, manualRun, input);
  if (slot === undefined) return { sentence: `No run was scheduled up to ${formatLocalTime(cronJob, time)}.` };
  return explainUnlistedTime(cronJob, { time, slot }, input);
}

const MINUTE_MS = 60_000;

/** Returns whether the entry is a manual run that was active at the time or started within the next minute. */
function isUnscheduledRunAt(entry: TimelineEntry, time: Date): boolean {
  if (entry.kind === 'Skip' || entry.run.scheduledTime !== undefined) return false;
  const { createdTime, completionTime } = entry.run;
  if (isAfter(createdTime, time)) return createdTime.getTime() - time.getTime() < MINUTE_MS;
  return completionTime !== undefined && !isAfter(time, completionTime);
}

/** Returns an empty string for a time at which the current schedule fires. */
function describeUnscheduledTime(cronJob: CronJob, time: Date, previousSlot: Date | undefined): string {
  const scheduleStart = getScheduleStart(cronJob);
  // The slots of an earlier schedule are unknown.
  if (previousSlot?.getTime() === time.getTime() || (scheduleStart && !isAfter(time, scheduleStart))) return '';
  const nextSlot = parseCronJobSchedule(cronJob)?.next(time);
  const neighborTimes = [
    previousSlot && `the previous time is ${formatLocalTime(cronJob, previousSlot)}`,
    nextSlot && `the next time is ${formatLocalTime(cronJob, nextSlot)}`,
  ].filter((text) => text !== undefined);
  if (neighborTimes.length === 0) return '';
  return `${formatLocalTime(cronJob, time)} is not in its schedule (${cronJob.spec.schedule}): ${neighborTimes.join(' and ')}.`;
}

function explainUnlistedTime(
  cronJob: CronJob,
  { time, slot }: { readonly time: Date; readonly slot: Date },
  { now, podReport }: ExplainInput,
): CronJobExplanation {
  const { status = {} } = cronJob;
  const earlyExplanation = explainEarlyTime(cronJob, time, slot);
  if (earlyExplanation !== undefined) return earlyExplanation;
  const lastHandledTime = latest(parseTime(status.lastScheduleTime), parseTime(status.handledThrough));
  if (lastHandledTime && !isAfter(slot, lastHandledTime)) {
    return {
      sentence: `The result of ${formatLocalTime(cronJob, slot)} is unknown: the status lists only newer times.`,
    };
  }
  const explanation = explainCronJob(cronJob, now, podReport);
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

/** Explains why no run started at a time before the schedule took effect. Returns `undefined` if the schedule was in effect. */
function explainEarlyTime(cronJob: CronJob, time: Date, slot: Date): CronJobExplanation | undefined {
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
  if (isAfter(time, scheduleStart))
    return { sentence: `${startSentence}, and has no time between then and ${formatLocalTime(cronJob, time)}.` };
  const timeRelation =
    time.getTime() === scheduleStart.getTime()
      ? 'and applies only to later times'
      : `after ${formatLocalTime(cronJob, time)}`;
  return { sentence: `${startSentence}, ${timeRelation}; the runs of an earlier schedule are unknown.` };
}
