/** Formats times and durations for users. */
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import { toLocalTime } from '../../../api/v1/schedule.ts';

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** For example `Mon 2026-11-23 02:00 Europe/Berlin`. Shows seconds unless they are 0. Uses UTC for an unknown zone. */
export function formatZonedTime(instant: Date, timeZone: string = DEFAULT_TIME_ZONE): string {
  const local = toLocalTime(instant, timeZone);
  if (local === undefined) return formatZonedTime(instant, DEFAULT_TIME_ZONE);
  const [date = '', time = ''] = local.split('T');
  const weekday = WEEKDAYS[new Date(`${date}T00:00:00Z`).getUTCDay()];
  return `${weekday} ${date} ${time.endsWith(':00') ? time.slice(0, 'hh:mm'.length) : time} ${timeZone}`;
}

/** The time without the zone, for a place that shows the zone separately. */
export function formatClockTime(instant: Date, timeZone: string): string {
  return formatZonedTime(instant, timeZone).split(' ').slice(0, -1).join(' ');
}

/** Width of a time whose zone is cut. */
export const ZONED_TIME_WIDTH = 'Mon 2026-11-23 02:00:00 …'.length;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Below the bound: the unit, and the smaller unit that is shown with it. */
const SPANS: readonly (readonly [bound: number, unit: number, name: string, small?: readonly [number, string]])[] = [
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

/** As kubectl shows ages: `45s`, `5m30s`, `3h`, `2d4h`. Negative durations count as 0. */
export function formatDuration(ms: number): string {
  const size = Math.max(0, ms);
  const [, unit, name, small] = SPANS.find(([bound]) => size < bound) ?? [0, YEAR, 'y'];
  const rest = small && Math.floor((size % unit) / small[0]);
  return `${Math.floor(size / unit)}${name}${small && rest ? `${rest}${small[1]}` : ''}`;
}
