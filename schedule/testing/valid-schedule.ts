import { formatInTimeZone } from 'date-fns-tz';
import { parseSchedule, type Schedule, type ScheduleOptions } from '../index.ts';
import { loadTimeZone, type TimeZone } from '../time-zone.ts';

/** Returns the schedule of a valid text. All schedules of a time zone share the loaded time zone. */
export function parseValidSchedule(
  text: string,
  timeZone = 'UTC',
  options: Pick<ScheduleOptions, 'anchor'> = {},
): Schedule {
  const parsed = parseSchedule(text, { timeZone: loadCachedTimeZone(timeZone), ...options });
  if (parsed.kind === 'invalid') throw new Error(parsed.message);
  return parsed.schedule;
}

/** Returns the time zone of a name from a cache, or the name itself if the time zone does not exist. */
export function loadCachedTimeZone(name: string): TimeZone | string {
  const zone = zones.get(name) ?? loadTimeZone(name);
  if (zone !== undefined) zones.set(name, zone);
  return zone ?? name;
}

const zones = new Map<string, TimeZone>();

/** Formats `instant` in `timeZone`: RFC 3339 with offset, whole seconds. */
export function formatInZone(instant: Date, timeZone = 'UTC'): string {
  return formatInTimeZone(instant, timeZone, "yyyy-MM-dd'T'HH:mm:ssXXX");
}
