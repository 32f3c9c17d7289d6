/** Formats times and durations for users. */
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import { toLocalTime } from '../../../api/v1/schedule.ts';

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/**
 * Returns a text such as `Mon 2026-11-23 02:00 Europe/Berlin`. Omits seconds if they are 0. Uses UTC if the time zone
 * is unknown.
 */
export function formatZonedTime(instant: Date, timeZone: string = DEFAULT_TIME_ZONE): string {
  const localTime = toLocalTime(instant, timeZone);
  if (localTime === undefined) return formatZonedTime(instant, DEFAULT_TIME_ZONE);
  const [date = '', time = ''] = localTime.split('T');
  const weekday = WEEKDAYS[new Date(`${date}T00:00:00Z`).getUTCDay()];
  return `${weekday} ${date} ${time.endsWith(':00') ? time.slice(0, 'hh:mm'.length) : time} ${timeZone}`;
}

/** Returns a time without its zone, such as `Mon 2026-11-23 02:00`. */
export function formatClockTime(instant: Date, timeZone: string): string {
  return formatZonedTime(instant, timeZone).split(' ').slice(0, -1).join(' ');
}

/** The width of a time whose time zone is truncated. */
export const ZONED_TIME_WIDTH = 'Mon 2026-11-23 02:00:00 …'.length;

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;

/** The formats of durations. Each format applies to durations below `bound`. Some formats also have a smaller unit. */
const DURATION_FORMATS: readonly (readonly [
  bound: number,
  unit: number,
  name: string,
  small?: readonly [number, string],
])[] = [
  [2 * MINUTE_MS, SECOND_MS, 's'],
  [10 * MINUTE_MS, MINUTE_MS, 'm', [SECOND_MS, 's']],
  [3 * HOUR_MS, MINUTE_MS, 'm'],
  [8 * HOUR_MS, HOUR_MS, 'h', [MINUTE_MS, 'm']],
  [2 * DAY_MS, HOUR_MS, 'h'],
  [8 * DAY_MS, DAY_MS, 'd', [HOUR_MS, 'h']],
  [2 * YEAR_MS, DAY_MS, 'd'],
  [8 * YEAR_MS, YEAR_MS, 'y', [DAY_MS, 'd']],
  [Number.POSITIVE_INFINITY, YEAR_MS, 'y'],
];

/** Formats a duration like an age in kubectl: `45s`, `5m30s`, `3h` or `2d4h`. A negative duration becomes `0s`. */
export function formatDuration(ms: number): string {
  const durationMs = Math.max(0, ms);
  const [, unit, name, smallUnit] = DURATION_FORMATS.find(([bound]) => durationMs < bound) ?? [0, YEAR_MS, 'y'];
  const smallUnitCount = smallUnit && Math.floor((durationMs % unit) / smallUnit[0]);
  return `${Math.floor(durationMs / unit)}${name}${smallUnit && smallUnitCount ? `${smallUnitCount}${smallUnit[1]}` : ''}`;
}
