import { type Schedule, TIME_ZONE_NAMES } from 'kubernetes-cron-schedule';
import { describe, expect, test } from 'vitest';
import { formatTime } from '../time.ts';
import { MAX_TIME_ZONE_LENGTH } from './cronjob-defaults.ts';
import { findClockChanges, formatInZone, parseSchedule, toLocalTime } from './schedule.ts';

const UNKNOWN = 'unknown time zone; use an IANA name such as Europe/Berlin';

function scheduleOf(text: string, timeZone?: string): Schedule {
  const parsed = parseSchedule(text, { timeZone });
  if (parsed.kind === 'invalid') throw new Error(parsed.message);
  return parsed.schedule;
}

test.each([
  ['61 * * * *', 'UTC', 'UnparseableSchedule', 'spec.schedule: "61 * * * *": minute must be 0-59, not "61"'],
  ['* * * * *', 'Mars/Olympus', 'UnknownTimeZone', `spec.timeZone: "Mars/Olympus": ${UNKNOWN}`],
  // The message quotes the first 100 characters of a very long zone.
  ['* * * * *', 'x'.repeat(1_000_000), 'UnknownTimeZone', `spec.timeZone: "${'x'.repeat(100)}…": ${UNKNOWN}`],
])('what is refused names its field: %.20s in %.20s', (text, timeZone, reason, message) => {
  expect(parseSchedule(text, { timeZone })).toEqual({ kind: 'invalid', reason, message });
});

test('an @every counts from the anchor of each, however often its text came before', () => {
  const next = (anchor: string) => {
    const parsed = parseSchedule('@every 1h', { anchor: new Date(anchor) });
    return parsed.kind === 'ok' ? parsed.schedule.next(new Date('2026-01-01T12:00:00Z')) : undefined;
  };
  expect(next('2026-01-01T00:10:00Z')).toEqual(new Date('2026-01-01T12:10:00Z'));
  expect(next('2026-01-01T00:20:00Z')).toEqual(new Date('2026-01-01T12:20:00Z'));
});

test('an instant is written in the zone people read it in', () => {
  expect(formatInZone(new Date('2026-07-01T12:00:00Z'), 'America/New_York')).toBe('2026-07-01T08:00:00-04:00');
  expect(formatInZone(new Date('2026-07-01T12:00:00Z'))).toBe('2026-07-01T12:00:00Z');
});

/** More schedules than the cache of compiled schedules holds. */
const MANY = 12_000;

describe('compiled schedules', () => {
  /** Any number of different valid texts. */
  const other = (i: number) => `${i % 60} ${Math.floor(i / 60) % 24} ${1 + Math.floor(i / 1440)} * *`;

  test('a schedule in use stays, however many others come', () => {
    const compiled = scheduleOf('8 8 8 8 *');
    for (let i = 0; i < MANY; i++) {
      scheduleOf(other(i));
      expect(scheduleOf('8 8 8 8 *')).toBe(compiled);
    }
  });

  test('an unused schedule gives way to others', () => {
    const compiled = scheduleOf('9 9 9 9 *');
    for (let i = 0; i < MANY; i++) scheduleOf(other(i));
    expect(scheduleOf('9 9 9 9 *')).not.toBe(compiled);
  });
});

describe('what is invalid', () => {
  /** Each runs more often than the cache has entries. */
  const invalid: readonly (readonly [what: string, textOf: (i: number) => string, zoneOf: (i: number) => string])[] = [
    ['schedules', (i) => `${i} * * *`, () => 'UTC'],
    ['time zones', () => '* * * * *', (i) => `Zone/${i}`],
    ['time zones beyond measure', () => '* * * * *', (i) => `${i}`.padEnd(MAX_TIME_ZONE_LENGTH + 1, 'x')],
  ];

  test.each(invalid)('%s take no place among the compiled schedules', (_, textOf, zoneOf) => {
    const compiled = scheduleOf('7 7 7 7 *');
    expect(scheduleOf('7 7 7 7 *')).toBe(compiled);
    for (let i = 0; i < MANY; i++) {
      expect(parseSchedule(textOf(i), { timeZone: zoneOf(i) }).kind).toBe('invalid');
    }
    expect(scheduleOf('7 7 7 7 *')).toBe(compiled);
  });

  test('no time zone of the list is longer than may be given', () => {
    expect(TIME_ZONE_NAMES.filter((name) => name.length > MAX_TIME_ZONE_LENGTH)).toEqual([]);
  });
});

describe('the clock changes', () => {
  const changesIn = (timeZone: string) =>
    findClockChanges(timeZone, new Date('2026-01-01T00:00:00Z'), new Date('2027-03-28T01:00:00Z')).map(formatTime);

  test.each([
    ['Europe/Berlin', '2026-03-29T01:00:00Z', '2026-10-25T01:00:00Z', '2027-03-28T01:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T15:00:00Z', '2026-10-03T15:30:00Z'],
    ['Asia/Tokyo'],
    ['UTC'],
    ['Mars/Olympus'],
  ])('of %s', (timeZone, ...want) => {
    expect(changesIn(timeZone)).toEqual(want);
  });
});

test.each([
  ['2026-11-23T01:00:00Z', 'Europe/Berlin', '2026-11-23T02:00:00'],
  ['2026-03-29T01:00:00Z', 'Europe/Berlin', '2026-03-29T03:00:00'],
  // A time that no clock in New York shows that day.
  ['2026-03-08T02:30:00Z', 'UTC', '2026-03-08T02:30:00'],
  ['2026-11-23T01:00:00Z', 'Mars/Olympus', undefined],
])('the clock at %s in %s shows %s', (instant, timeZone, shown) => {
  expect(toLocalTime(new Date(instant), timeZone)).toBe(shown);
});
