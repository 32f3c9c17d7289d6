/** Why a CronJob did or did not run at a certain time, from its object alone: what the status does not tell is said to be unknown. */
import { isAfter, latest, parseTime } from '../../api/time.ts';
import { DEFAULT_TIME_ZONE } from '../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { parseSchedule } from '../../api/v1/schedule.ts';
import type { Answer } from './answer.ts';
import { nextSentence, timeFrom, timeOf } from './sentences.ts';
import { entryOf, timelineOf } from './timeline.ts';
import type { PodsTold } from './told-run.ts';
import { entryAnswer, why } from './why.ts';

interface Known {
  readonly now: Date;
  /** What is known of those of {@link Answer.run}. */
  readonly pods?: PodsTold | undefined;
}

/** @param at The scheduled time, or a time after it and before the next one. */
export function whyAt(cronJob: CronJob, at: Date, { now, pods }: Known): Answer {
  const slot = slotAt(cronJob, at);
  const timeline = timelineOf(cronJob);
  const exact = entryOf(timeline, at);
  const entry = slot && entryOf(timeline, slot);
  if (slot && entry && exact?.kind !== 'Run') return entryAnswer(cronJob, entry, pods, slot);
  // One of an earlier schedule.
  if (exact) return entryAnswer(cronJob, exact, pods, at);
  if (isAfter(at, now)) return { sentence: `${timeOf(cronJob, at)} is yet to come. ${nextSentence(cronJob, now)}` };
  return slot === undefined
    ? { sentence: `Nothing was scheduled by ${timeOf(cronJob, at)}.` }
    : unlistedAnswer(cronJob, slot, { now, pods });
}

function slotAt(cronJob: CronJob, at: Date): Date | undefined {
  const { schedule, timeZone = DEFAULT_TIME_ZONE } = cronJob.spec;
  const anchor = sinceOf(cronJob);
  const parsed = parseSchedule(schedule, { timeZone, ...(anchor && { anchor }) });
  return parsed.kind === 'ok' ? parsed.schedule.previous(at) : undefined;
}

function sinceOf({ metadata, status }: CronJob): Date | undefined {
  return parseTime(status?.effectiveSchedule?.since) ?? parseTime(metadata.creationTimestamp);
}

function unlistedAnswer(cronJob: CronJob, slot: Date, { now, pods }: Known): Answer {
  const { status = {} } = cronJob;
  const since = sinceOf(cronJob);
  if (since && !isAfter(slot, since)) {
    const began = `The schedule took effect at ${timeOf(cronJob, since)}, later than that`;
    return { sentence: `${began}; what an earlier one did is no longer known.` };
  }
  const accounted = latest(parseTime(status.lastScheduleTime), parseTime(status.handledThrough));
  if (accounted && !isAfter(slot, accounted)) {
    return {
      sentence: `What became of ${timeOf(cronJob, slot)} is no longer known: the status lists only newer ones.`,
    };
  }
  const answer = why(cronJob, now, pods);
  return { ...answer, sentence: `${timeFrom(cronJob, slot, now)} has not run yet. ${answer.sentence}` };
}
