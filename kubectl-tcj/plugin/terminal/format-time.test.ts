import { expect, test } from 'vitest';
import { formatDuration, formatZonedTime } from './format-time.ts';

test.each([
  ['2026-11-23T01:00:00Z', 'Europe/Berlin', 'Mon 2026-11-23 02:00 Europe/Berlin'],
  ['2026-11-22T23:30:05Z', 'Asia/Tokyo', 'Mon 2026-11-23 08:30:05 Asia/Tokyo'],
  ['2026-11-23T02:00:00Z', undefined, 'Mon 2026-11-23 02:00 UTC'],
  ['2026-11-23T02:00:00Z', 'Mars/Olympus', 'Mon 2026-11-23 02:00 UTC'],
])('formats %s in %s as %s', (instant, timeZone, shown) => {
  expect(formatZonedTime(new Date(instant), timeZone)).toBe(shown);
});

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

// As in kubectl: duration_test.go of apimachinery has the same cases.
test.each([
  [0, '0s'],
  [-5, '0s'],
  [70, '70s'],
  [2 * MINUTE, '2m'],
  [2 * MINUTE + 10, '2m10s'],
  [10 * MINUTE + 30, '10m'],
  [179 * MINUTE, '179m'],
  [3 * HOUR + 4 * MINUTE, '3h4m'],
  [8 * HOUR + 4 * MINUTE, '8h'],
  [47 * HOUR, '47h'],
  [2 * DAY + 4 * HOUR, '2d4h'],
  [8 * DAY + 4 * HOUR, '8d'],
  [729 * DAY, '729d'],
  [730 * DAY, '2y'],
  [2 * 365 * DAY + 30 * DAY, '2y30d'],
  [9 * 365 * DAY, '9y'],
])('formats %d s as %s', (seconds, shown) => {
  expect(formatDuration(seconds * 1000)).toBe(shown);
});
