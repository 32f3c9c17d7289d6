/** The scheduled time that starts as soon as a suspension is lifted. */
import { isAfter, latest, parseTime } from '../../../api/time.ts';
import { MAX_MISSED_SLOTS } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { unmetSlots } from '../../../api/v1/unmet-slots.ts';
import { scheduleOf } from './schedule-of.ts';

/** The newest that was missed, unless its deadline has passed, or more than a hundred were missed. By what the status says is handled. */
export function startsOnResume(cronJob: CronJob, now: Date): Date | undefined {
  const { status = {}, spec, metadata } = cronJob;
  const handled = [status.effectiveSchedule?.since, status.lastScheduleTime, status.handledThrough].map(parseTime);
  const floor = latest(parseTime(metadata.creationTimestamp), ...handled);
  const schedule = scheduleOf(cronJob);
  if (floor === undefined || schedule === undefined) return undefined;
  const { startingDeadlineSeconds: seconds } = spec;
  const tooLate = seconds === undefined ? floor : latest(floor, new Date(now.getTime() - seconds * 1000));
  if (tooLate === undefined || !isAfter(now, tooLate)) return undefined;
  const { newest, count } = unmetSlots(schedule, tooLate, now, MAX_MISSED_SLOTS + 1);
  return count > MAX_MISSED_SLOTS ? undefined : newest;
}
