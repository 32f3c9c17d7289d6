/** Explains why a CronJob did or did not run at a given time. All data comes from the CronJob object and the report on its Pods. */
import { findLatest, isAfter, parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { IMPORTED_FROM_ANNOTATION, TAKES_OVER_FROM_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { getScheduleStart, parseTimetable } from '../../../api/v1/timetable.ts';
import { listWaitingSlots } from '../../../api/v1/waiting-slots.ts';
import { listScheduleTexts, parseCronJobSchedule } from './cron-job-schedule.ts';
import { describeExclusion } from './explain-skip.ts';
import type { CronJobExplanation, ExplainInput } from './explanation.ts';
import { describeNextRun, formatLocalTime, formatRelativeTime, joinSentences } from './sentences.ts';
import { isPaused } from './suspension-state.ts';
import { buildTimeline, findEntry, type Timeline, type TimelineEntry } from './timeline.ts';
import { explainCronJob, explainEntry } from './why.ts';

/** @param time If `time` is not a scheduled time, the function explains the last scheduled time before `time`. */
export function explainTime(cronJob: CronJob, time: Date, input: ExplainInput): CronJobExplanation {
  const timeline = buildTimeline(cronJob);
  const excluded = findExcludedSlot(cronJob, time);
  if (excluded !== undefined && findEntry(timeline, excluded.slot)?.kind !== 'Run')
    return explainExcludedSlot(cronJob, time, { ...excluded, now: input.now });
  const slot = parseCronJobSchedule(cronJob)?.previous(time);
  const exactEntry = findEntry(timeline, time);
  const entry = slot && findEntry(timeline, slot);
  // An entry at exactly `time` may belong to an earlier schedule of the CronJob.
  if (exactEntry && (exactEntry.kind === 'Run' || !entry)) return explainEntry(cronJob, exactEntry, input, time);
  const explanation = entry
    ? explainEntry(cronJob, entry, input, slot)
    : explainWithoutEntry(cronJob, { time, slot, timeline }, input);
  return {
    ...explanation,
    sentence: joinSentences(describeUnscheduledTime(cronJob, time, slot), explanation.sentence),
  };
}

interface ExcludedSlot {
  readonly slot: Date;
  /** The reason of the entry in `spec.exclude`. */
  readonly note?: string | undefined;
}

/** Returns the last scheduled time that is not later than `time`, if `spec.exclude` covers it and the schedule was in effect. */
function findExcludedSlot(cronJob: CronJob, time: Date): ExcludedSlot | undefined {
  const scheduleStart = getScheduleStart(cronJob) ?? new Date(0);
  const parsed = parseTimetable(cronJob.spec, scheduleStart);
  const exclusions = parsed.kind === 'ok' ? parsed.exclusions : undefined;
  const slot = exclusions?.fullTimetable.previous(time);
  if (slot === undefined || !isAfter(slot, scheduleStart)) return undefined;
  const exclusion = exclusions?.find(slot);
  return exclusion && { slot, note: exclusion.reason };
}

function explainExcludedSlot(
  cronJob: CronJob,
  time: Date,
  { slot, note, now }: ExcludedSlot & { readonly now: Date },
): CronJobExplanation {
  const cause = describeExclusion(note);
  const verb = isAfter(slot, now) ? 'will not run' : 'did not run';
  return {
    sentence: joinSentences(
      describeUnscheduledTime(cronJob, time, slot),
      `${formatRelativeTime(cronJob, slot, now)} ${verb}, because ${cause}.`,
    ),
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
  return `${formatLocalTime(cronJob, time)} ${describeUnscheduledReason(cronJob, time)}: ${neighborTimes.join(' and ')}.`;
}

function describeUnscheduledReason(cronJob: CronJob, time: Date): string {
  const { startTime, endTime } = cronJob.spec;
  const [start, end] = [parseTime(startTime), parseTime(endTime)];
  if (start !== undefined && isAfter(start, time))
    return `is before spec.startTime (${formatLocalTime(cronJob, start)})`;
  if (end !== undefined && !isAfter(end, time)) return `is not before spec.endTime (${formatLocalTime(cronJob, end)})`;
  const schedules = listScheduleTexts(cronJob);
  return `is not in its ${schedules.length === 1 ? 'schedule' : 'schedules'} (${schedules.join('; ')})`;
}

function explainUnlistedTime(
  cronJob: CronJob,
  { time, slot }: { readonly time: Date; readonly slot: Date },
  { now, podReport }: ExplainInput,
): CronJobExplanation {
  const { status = {} } = cronJob;
  const earlyExplanation = explainEarlyTime(cronJob, time, slot);
  if (earlyExplanation !== undefined) return earlyExplanation;
  const lastHandledTime = findLatest(parseTime(status.lastScheduleTime), parseTime(status.handledThrough));
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
  const waitingSlots = listWaitingSlots(cronJob, now);
  const position = waitingSlots.findIndex((each) => each.getTime() === slot.getTime()) + 1;
  const queueClause = position > 1 ? `: it is number ${position} of ${waitingSlots.length} waiting runs` : '';
  return {
    ...explanation,
    sentence: `${formatRelativeTime(cronJob, slot, now)} has not run yet${queueClause}. ${explanation.sentence}`,
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
