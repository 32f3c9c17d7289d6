/** Formats times and durations for users. */
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import { toLocalTime } from '../../../api/v1/schedule.ts';

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Returns a text such as `Mon 2026-11-23 02:00 Europe/Berlin`. Omits seconds if they are 0. Uses UTC for an unknown zone. */
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

/** The width of a time with a truncated zone. */
export const ZONED_TIME_WIDTH = 'Mon 2026-11-23 02:00:00 …'.length;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** The formats of durations. Each format applies to durations below `bound`. The smaller unit is optional. */
const DURATION_FORMATS: readonly (readonly [
  bound: number,
  unit: number,
  name: string,
  small?: readonly [number, string],
])[] = [
  [2 * MINUTE, SECOND, 's'],
  [10 * MINUTE, MINUTE, 'm', [SECOND, 's']],
  [3 * HOUR, MINUTE, 'm'],
  [8 * HOUR, HOUR, 'h', [MINUTE, 'm']],
  [2 * DAY, HOUR, 'h'],
  [8 * DAY, DAY, 'd', [HOUR, 'h']],
  [2 * YEAR, DAY, 'd'],
  [8 * YEAR, YEAR, 'y', [DAY, 'd']],
  [Number.POSITIVE_INFINITY, YEAR, 'y'],
];

/** Formats a duration like an age in kubectl: `45s`, `5m30s`, `3h` or `2d4h`. A negative duration becomes `0s`. */
export function formatDuration(ms: number): string {
  const durationMs = Math.max(0, ms);
  const [, unit, name, smallUnit] = DURATION_FORMATS.find(([bound]) => durationMs < bound) ?? [0, YEAR, 'y'];
  const smallUnitCount = smallUnit && Math.floor((durationMs % unit) / smallUnit[0]);
  return `${Math.floor(durationMs / unit)}${name}${smallUnit && smallUnitCount ? `${smallUnitCount}${smallUnit[1]}` : ''}`;
}
