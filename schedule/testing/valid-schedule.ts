import { formatInTimeZone } from 'date-fns-tz';
import { parseScheduleOrThrow, type Schedule, type ScheduleOptions } from '../index.ts';

/** Parses a text that must be a valid schedule. */
export function parseValidSchedule(
  text: string,
  timeZone = 'UTC',
  options: Pick<ScheduleOptions, 'anchor'> = {},
): Schedule {
  return parseScheduleOrThrow(text, { timeZone, ...options });
}

/** Formats `instant` in `timeZone` as RFC 3339 with offset and whole seconds. */
export function formatInZone(instant: Date, timeZone = 'UTC'): string {
  return formatInTimeZone(instant, timeZone, "yyyy-MM-dd'T'HH:mm:ssXXX");
}
