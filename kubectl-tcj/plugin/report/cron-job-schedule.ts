import type { Schedule } from 'kubernetes-cron-schedule';
import { parseTime } from '../../../api/time.ts';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { parseSchedule } from '../../../api/v1/schedule.ts';

/** Returns the IANA name of the time zone. */
export function getTimeZone({ spec }: Pick<CronJob, 'spec'>): string {
  return spec.timeZone ?? DEFAULT_TIME_ZONE;
}

/** Returns the time at which the schedule took effect. */
export function getScheduleStart({ metadata, status }: Pick<CronJob, 'metadata' | 'status'>): Date | undefined {
  return parseTime(status?.effectiveSchedule?.since) ?? parseTime(metadata.creationTimestamp);
}

/** Returns `undefined` for an invalid schedule. */
export function parseCronJobSchedule(cronJob: CronJob): Schedule | undefined {
  const anchor = getScheduleStart(cronJob);
  const parsed = parseSchedule(cronJob.spec.schedule, { timeZone: getTimeZone(cronJob), ...(anchor && { anchor }) });
  return parsed.kind === 'ok' ? parsed.schedule : undefined;
}

/** Returns false for an invalid schedule. */
export function neverFires(cronJob: CronJob, now: Date): boolean {
  const schedule = parseCronJobSchedule(cronJob);
  return schedule !== undefined && schedule.next(now) === undefined;
}
