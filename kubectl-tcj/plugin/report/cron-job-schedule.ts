import type { Timetable } from 'kubernetes-cron-schedule';
import { parseTime } from '../../../api/time.ts';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { parseSchedule } from '../../../api/v1/schedule.ts';
import { parseTimetable } from '../../../api/v1/timetable.ts';

/** Returns the IANA name of the time zone. */
export function getTimeZone({ spec }: Pick<CronJob, 'spec'>): string {
  return spec.timeZone ?? DEFAULT_TIME_ZONE;
}

/** Returns the time at which the schedule took effect. */
export function getScheduleStart({ metadata, status }: Pick<CronJob, 'metadata' | 'status'>): Date | undefined {
  return parseTime(status?.effectiveSchedule?.since) ?? parseTime(metadata.creationTimestamp);
}

/** Returns `undefined` for an invalid schedule. */
export function parseCronJobSchedule(cronJob: CronJob): Timetable | undefined {
  const parsed = parseTimetable(cronJob.spec, getScheduleStart(cronJob) ?? new Date(0));
  return parsed.kind === 'ok' ? parsed.schedule : undefined;
}

/** Describes each schedule in English. An invalid schedule stays as it is. */
export function describeSchedules({ spec }: Pick<CronJob, 'spec'>): string {
  const { schedule, schedules = [], timeZone } = spec;
  const texts = [schedule, ...schedules].map((text) => {
    const parsed = parseSchedule(text, { timeZone });
    return parsed.kind === 'ok' ? parsed.schedule.describe() : text;
  });
  return texts.join('; ');
}

/** Returns false for an invalid schedule. */
export function neverFires(cronJob: CronJob, now: Date): boolean {
  const schedule = parseCronJobSchedule(cronJob);
  return schedule !== undefined && schedule.next(now) === undefined;
}
