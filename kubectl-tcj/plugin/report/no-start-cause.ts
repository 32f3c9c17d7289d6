/** Finds the field that prevents all further runs of a CronJob. */
import { isAfter, parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { hasZeroDeadline } from '../../../api/v1/start-changes.ts';
import { getScheduleStart, parseTimetable } from '../../../api/v1/timetable.ts';
import { formatRelativeTime } from './sentences.ts';

export interface NoStartCause {
  readonly sentence: string;
  /** The advice, in the imperative. */
  readonly change: string;
}

/**
 * Returns the cause, or `undefined` if the CronJob has a scheduled time after `from` or an invalid schedule. Ignores a suspension,
 * a pause, and an `endTime` that has passed.
 * @param from The time from which runs can start, such as the end of a suspension. Default: `now`.
 */
export function findNoStartCause(cronJob: CronJob, now: Date, from = now): NoStartCause | undefined {
  const { spec } = cronJob;
  const end = parseTime(spec.endTime);
  if (end !== undefined && !isAfter(end, now)) return undefined;
  if (hasZeroDeadline(spec)) {
    return {
      sentence: 'Every run is too late to start: spec.startingDeadlineSeconds is 0.',
      change: 'increase or remove startingDeadlineSeconds',
    };
  }
  const timetable = parseTimetable(spec, getScheduleStart(cronJob) ?? new Date(0));
  if (timetable.kind === 'invalid' || timetable.schedule.next(from) !== undefined) return undefined;
  if (timetable.exclusions?.fullTimetable.next(from) !== undefined) {
    return {
      sentence: 'spec.exclude covers every time of the schedule within the next five years.',
      change: 'remove or shorten an entry of exclude',
    };
  }
  if (end !== undefined) {
    return {
      sentence: `No time of the schedule is left before spec.endTime (${formatRelativeTime(cronJob, end, now)}).`,
      change: 'set a later endTime',
    };
  }
  return { sentence: 'The schedule matches no time within the next five years.', change: 'correct the schedule' };
}
