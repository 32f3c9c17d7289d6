import type { DstNote, Schedule, Timetable } from 'kubernetes-cron-schedule';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { parseSchedule } from '../../../api/v1/schedule.ts';
import { getScheduleStart, parseTimetable } from '../../../api/v1/timetable.ts';

/** Returns the IANA name of the time zone. */
export function getTimeZone({ spec }: Pick<CronJob, 'spec'>): string {
  return spec.timeZone ?? DEFAULT_TIME_ZONE;
}

/** Returns `undefined` for an invalid schedule. */
export function parseCronJobSchedule(cronJob: CronJob): Timetable | undefined {
  const parsed = parseTimetable(cronJob.spec, getScheduleStart(cronJob) ?? new Date(0));
  return parsed.kind === 'ok' ? parsed.schedule : undefined;
}

/** Returns the texts of `spec.schedule` and `spec.schedules`. */
export function listScheduleTexts({ spec }: Pick<CronJob, 'spec'>): readonly string[] {
  return [spec.schedule, ...(spec.schedules ?? [])];
}

/** Returns the schedule for a table, such as `30 2 * * * (+2)` if the CronJob has two more schedules. */
export function formatScheduleCell({ spec }: Pick<CronJob, 'spec'>): string {
  const otherCount = spec.schedules?.length ?? 0;
  return otherCount === 0 ? spec.schedule : `${spec.schedule} (+${otherCount})`;
}

/** Returns the fields with the schedules for JSON. `schedules` is absent if the CronJob has only one schedule. */
export function pickSchedules({ spec }: Pick<CronJob, 'spec'>): Pick<CronJob['spec'], 'schedule' | 'schedules'> {
  const { schedule, schedules = [] } = spec;
  return { schedule, ...(schedules.length > 0 && { schedules }) };
}

function parseSchedules(cronJob: Pick<CronJob, 'spec'>): readonly (Schedule | string)[] {
  const { timeZone, daylightSaving } = cronJob.spec;
  return listScheduleTexts(cronJob).map((text) => {
    const parsed = parseSchedule(text, { timeZone, daylightSaving });
    return parsed.kind === 'ok' ? parsed.schedule : text;
  });
}

/** Describes each schedule in English, and returns the text of an invalid schedule unchanged. */
export function describeSchedules(cronJob: Pick<CronJob, 'spec'>): string {
  const descriptions = parseSchedules(cronJob).map((each) => (typeof each === 'string' ? each : each.describe()));
  return descriptions.join('; ');
}

/** Returns the clock changes that affect at least one of the schedules, without duplicates. */
export function listDstNotes(cronJob: Pick<CronJob, 'spec'>, from: Date): readonly DstNote[] {
  const notes = parseSchedules(cronJob).flatMap((each) => (typeof each === 'string' ? [] : each.dstNotes(from)));
  return [...new Map(notes.map((note) => [`${note.at.getTime()}/${note.kind}`, note])).values()];
}
