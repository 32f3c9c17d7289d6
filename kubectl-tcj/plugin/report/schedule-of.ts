import type { Schedule } from 'kubernetes-cron-schedule';
import { parseTime } from '../../../api/time.ts';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { parseSchedule } from '../../../api/v1/schedule.ts';

/** `undefined` when it cannot be read. */
export function scheduleOf({ metadata, spec, status }: CronJob): Schedule | undefined {
  const { schedule, timeZone = DEFAULT_TIME_ZONE } = spec;
  const anchor = parseTime(status?.effectiveSchedule?.since) ?? parseTime(metadata.creationTimestamp);
  const parsed = parseSchedule(schedule, { timeZone, ...(anchor && { anchor }) });
  return parsed.kind === 'ok' ? parsed.schedule : undefined;
}

/** False of one that cannot be read. */
export function neverFires(cronJob: CronJob, now: Date): boolean {
  const schedule = scheduleOf(cronJob);
  return schedule !== undefined && schedule.next(now) === undefined;
}
