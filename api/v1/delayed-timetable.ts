import { delayedStart, lastStartedTime, stableDelayMs } from 'kubernetes-cron-schedule';
import type { CronJob } from './cronjob-types.ts';
import { type ParsedTimetable, parseTimetable, type ValidTimetable } from './timetable.ts';

interface Delays {
  /** Returns when the run of a slot starts. */
  startOf(slot: Date): Date;
  /** At `time`, the runs of all slots up to the returned time may start, because their delays have ended. */
  startedThrough(time: Date): Date;
}

/** The parsed schedule of a CronJob, with the delay of its runs (`spec.jitterSeconds`). */
export type DelayedTimetable = ParsedTimetable & Delays;
export type ValidDelayedTimetable = ValidTimetable & Delays;

/**
 * Without a UID, the runs have no delay, because the UID determines the delay.
 * @param since The time from which `@every` counts.
 */
export function parseDelayedTimetable(
  { metadata, spec }: Pick<CronJob, 'spec'> & { readonly metadata: { readonly uid?: string } },
  since: Date,
): DelayedTimetable {
  const parsed = parseTimetable(spec, since);
  const { uid = '' } = metadata; // a manifest has no UID
  const delayMs = uid === '' || spec.jitterSeconds === undefined ? 0 : stableDelayMs(uid, spec.jitterSeconds);
  if (delayMs === 0 || parsed.kind === 'invalid') return { ...parsed, startOf: identity, startedThrough: identity };
  const { schedule } = parsed;
  return {
    ...parsed,
    startOf: (slot) => delayedStart(schedule, slot, delayMs),
    startedThrough: (time) => lastStartedTime(schedule, time, delayMs),
  };
}

const identity = (time: Date) => time;
