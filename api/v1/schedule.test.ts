import { describe, expect, test } from 'vitest';
import { MAX_TIME_ZONE_LENGTH } from './cronjob-defaults.ts';
import { TIME_ZONE_NAMES } from './schedule/time-zone-names.ts';
import { unmetSlots } from './schedule/unmet-slots.ts';
import { formatInZone, parseSchedule, type Schedule } from './schedule.ts';

function scheduleOf(text: string, timeZone?: string, anchor?: string): Schedule {
  const parsed = parseSchedule(text, { timeZone, ...(anchor === undefined ? {} : { anchor: new Date(anchor) }) });
  if (parsed.kind === 'invalid') throw new Error(parsed.message);
  return parsed.schedule;
}

/** The next `count` slots after `after`, in UTC. */
function nextOf(text: string, timeZone: string, after: string, count: number): string[] {
  const schedule = scheduleOf(text, timeZone);
  return schedule.between(new Date(after), new Date('2200-01-01'), count).map(iso);
}

const iso = (instant: Date) => instant.toISOString().replace('.000', '');
const isoOf = (instant: Date | undefined) => instant && iso(instant);

describe('a schedule', () => {
  test.each([
    ['*/15 * * * *', '2026-01-01T00:00:00Z', ['2026-01-01T00:15:00Z', '2026-01-01T00:30:00Z', '2026-01-01T00:45:00Z']],
    [
      '30 6 1,15 * 1-5',
      '2026-01-01T00:00:00Z',
      ['2026-01-01T06:30:00Z', '2026-01-02T06:30:00Z', '2026-01-05T06:30:00Z'],
    ],
    ['0 0 29 2 *', '2026-01-01T00:00:00Z', ['2028-02-29T00:00:00Z', '2032-02-29T00:00:00Z', '2036-02-29T00:00:00Z']],
    ['0 0 * * SUN', '2026-01-01T00:00:00Z', ['2026-01-04T00:00:00Z', '2026-01-11T00:00:00Z', '2026-01-18T00:00:00Z']],
    ['0 0 */2 * 1', '2026-01-01T00:00:00Z', ['2026-01-03T00:00:00Z', '2026-01-05T00:00:00Z', '2026-01-07T00:00:00Z']],
    ['0 0 */1 * 1', '2026-01-01T00:00:00Z', ['2026-01-05T00:00:00Z', '2026-01-12T00:00:00Z', '2026-01-19T00:00:00Z']],
    ['0 0 1 1 *', '2026-12-31T23:59:59.999Z', ['2027-01-01T00:00:00Z', '2028-01-01T00:00:00Z', '2029-01-01T00:00:00Z']],
    ['@monthly', '2026-01-31T00:00:00Z', ['2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z']],
  ])('%s fires at the instants its fields name', (text, after, want) => {
    expect(nextOf(text, 'UTC', after, 3)).toEqual(want);
  });

  test('next is strictly after, previous is at or before', () => {
    const schedule = scheduleOf('0 * * * *');
    expect(isoOf(schedule.next(new Date('2026-01-01T01:00:00Z')))).toBe('2026-01-01T02:00:00Z');
    expect(isoOf(schedule.next(new Date('2026-01-01T00:59:59.999Z')))).toBe('2026-01-01T01:00:00Z');
    expect(isoOf(schedule.previous(new Date('2026-01-01T01:00:00Z')))).toBe('2026-01-01T01:00:00Z');
    expect(isoOf(schedule.previous(new Date('2026-01-01T00:59:59.999Z')))).toBe('2026-01-01T00:00:00Z');
  });

  test('a local time that does not exist is skipped that day', () => {
    expect(nextOf('30 2 * * *', 'America/New_York', '2026-03-07T12:00:00Z', 2)).toEqual([
      '2026-03-09T06:30:00Z',
      '2026-03-10T06:30:00Z',
    ]);
  });

  test('a local time that happens twice fires twice', () => {
    expect(nextOf('30 1 * * *', 'America/New_York', '2026-11-01T00:00:00Z', 3)).toEqual([
      '2026-11-01T05:30:00Z',
      '2026-11-01T06:30:00Z',
      '2026-11-02T06:30:00Z',
    ]);
  });

  test('a day that does not exist is skipped, and the search ends', () => {
    expect(nextOf('0 0 * * *', 'Pacific/Apia', '2011-12-29T00:00:00Z', 3)).toEqual([
      '2011-12-29T10:00:00Z',
      '2011-12-30T10:00:00Z',
      '2011-12-31T10:00:00Z',
    ]);
  });

  test('loses no day after a half-hour change', () => {
    const days = nextOf('0 0 * * *', 'Australia/Lord_Howe', '2026-10-01T00:00:00Z', 7);
    expect(new Set(days.map((day) => day.slice(0, 10))).size).toBe(7);
  });

  test.each(['0 0 31 2 *', '0 0 30 2 *', '0 0 31 4,6,9,11 *'])('%s is accepted and never fires', (text) => {
    expect(scheduleOf(text).next(new Date('2026-01-01'))).toBeUndefined();
    expect(scheduleOf(text, 'Europe/Berlin').previous(new Date('2026-01-01'))).toBeUndefined();
  });

  test('looks five years ahead and no further', () => {
    const leapDay = scheduleOf('0 0 29 2 *');
    expect(leapDay.next(new Date('2096-03-01T00:00:00Z'))).toBeUndefined();
    expect(isoOf(leapDay.next(new Date('2099-03-01T00:00:00Z')))).toBe('2104-02-29T00:00:00Z');
  });

  test('between stops at its limit and at its end, which counts', () => {
    const schedule = scheduleOf('0 * * * *');
    const [after, until] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-01T03:00:00Z')];
    expect(schedule.between(after, until, 10)).toHaveLength(3);
    expect(schedule.between(after, until, 2)).toHaveLength(2);
  });
});

describe('@every', () => {
  const schedule = scheduleOf('@every 1h30m', 'UTC', '2026-01-01T00:00:00.700Z');

  test('fires on the grid of its anchor, whenever one asks', () => {
    expect(isoOf(schedule.next(new Date('2025-06-01T00:00:00Z')))).toBe('2026-01-01T01:30:00Z');
    expect(isoOf(schedule.next(new Date('2026-01-01T01:29:59Z')))).toBe('2026-01-01T01:30:00Z');
    expect(isoOf(schedule.next(new Date('2026-01-01T01:30:00Z')))).toBe('2026-01-01T03:00:00Z');
    expect(isoOf(schedule.previous(new Date('2026-01-01T04:00:00Z')))).toBe('2026-01-01T03:00:00Z');
  });

  test('had no slot before the first period was over', () => {
    expect(schedule.previous(new Date('2026-01-01T01:29:59Z'))).toBeUndefined();
  });

  test('drops fractions of a second', () => {
    expect(isoOf(scheduleOf('@every 1.9s').next(new Date(0)))).toBe('1970-01-01T00:00:01Z');
  });
});

describe('unmet slots', () => {
  const minutely = scheduleOf('* * * * *');
  const now = new Date('2026-01-01T12:00:30Z');

  test.each([
    ['2026-01-01T12:00:00Z', { count: 0 }],
    ['2026-01-01T11:59:59Z', { newest: new Date('2026-01-01T12:00:00Z'), count: 1 }],
    [
      '2026-01-01T11:58:00Z',
      { newest: new Date('2026-01-01T12:00:00Z'), before: new Date('2026-01-01T11:59:00Z'), count: 2 },
    ],
    [
      '2025-01-01T00:00:00Z',
      { newest: new Date('2026-01-01T12:00:00Z'), before: new Date('2026-01-01T11:59:00Z'), count: 101 },
    ],
  ])('above %s', (floor, want) => {
    expect(unmetSlots(minutely, new Date(floor), now, 101)).toEqual(want);
  });

  test('an uneven schedule loses no slot', () => {
    const uneven = scheduleOf('*/45 * * * *');
    const [floor, noon] = [new Date('2026-01-01T11:45:00Z'), new Date('2026-01-01T12:00:00Z')];
    expect(unmetSlots(uneven, floor, noon, 101)).toEqual({ newest: noon, count: 1 });
  });
});

describe('what is refused', () => {
  test.each([
    ['61 * * * *', 'minute must be 0-59, not "61"'],
    ['* 24 * * *', 'hour must be 0-23, not "24"'],
    ['* * 0 * *', 'day of month must be 1-31, not "0"'],
    ['* * * 13 *', 'month must be 1-12 or jan-dec, not "13"'],
    ['* * * * 7', 'day of week must be 0-6 or sun-sat, not "7"'],
    ['* * * * FRI-MON', 'day of week "FRI-MON" runs backwards; give two ranges instead'],
    ['*/0 * * * *', 'minute "*/0": the step after "/" must be a whole number from 1'],
    ['1/2/3 * * * *', 'minute "1/2/3" has more than one "/"'],
    ['1-2-3 * * * *', 'minute "1-2-3" has more than one "-"'],
    ['H * * * *', 'minute must be 0-59, not "H"'],
    [', * * * *', 'minute must not be empty; minute must be 0-59'],
    ['* * * * * *', 'must have 5 fields (minute, hour, day of month, month, day of week), not 6'],
    ['', 'must have 5 fields (minute, hour, day of month, month, day of week), not 0'],
    ['TZ=UTC 0 0 * * *', 'must not name a time zone; use .spec.timeZone instead of TZ='],
    ['TZ=0', 'must not name a time zone; use .spec.timeZone instead of TZ='],
    ['@every 500ms', 'must be at least 1s after @every'],
    ['@every -1h', 'must be at least 1s after @every'],
    ['@every 1d', '"1d" is not a duration; give numbers with units, such as 90s, 5m or 1h30m'],
    ['@every ', '"" is not a duration; give numbers with units, such as 90s, 5m or 1h30m'],
    [
      '@reboot',
      'must be one of @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly or "@every <duration>"',
    ],
    ['*'.repeat(1025), 'must be at most 1024 characters long, not 1025'],
  ])('%s', (text, fault) => {
    const parsed = parseSchedule(text);
    expect(parsed).toMatchObject({ kind: 'invalid', reason: 'UnparseableSchedule' });
    expect(parsed.kind === 'invalid' && parsed.message.endsWith(`: ${fault}`)).toBe(true);
  });

  test.each(['Mars/Olympus', 'europe/berlin', 'Local', '', 'toString'])('time zone %j', (timeZone) => {
    expect(parseSchedule('* * * * *', { timeZone })).toEqual({
      kind: 'invalid',
      reason: 'UnknownTimeZone',
      message: `spec.timeZone: ${JSON.stringify(timeZone)}: unknown time zone; give an IANA name such as Europe/Berlin`,
    });
  });
});

describe('what is accepted though cron-parser refuses or misreads it', () => {
  test.each([
    ['1,1-5,3 * * * *', '2026-01-01T00:05:00Z', '2026-01-01T01:01:00Z'],
    ['1,,2 * * * *', '2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z'],
    ['+5 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:05:00Z'],
    ['*/100 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z'],
    ['5/15 * * * *', '2026-01-01T00:50:00Z', '2026-01-01T01:05:00Z'],
    ['0 0 1 jAn-mAr ?', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'],
    ['\t0  0 * * *\n', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
    ['0 0 31 1,2 *', '2026-01-31T00:00:00Z', '2027-01-31T00:00:00Z'],
  ])('%s', (text, after, want) => {
    expect(nextOf(text, 'UTC', after, 1)).toEqual([want]);
  });
});

test('an instant is written in the zone people read it in', () => {
  expect(formatInZone(new Date('2026-07-01T12:00:00Z'), 'America/New_York')).toBe('2026-07-01T08:00:00-04:00');
  expect(formatInZone(new Date('2026-07-01T12:00:00Z'))).toBe('2026-07-01T12:00:00Z');
});

/** More than the cache of compiled schedules holds, whatever that is. */
const MANY = 12_000;

describe('compiled schedules', () => {
  /** As many texts as one likes, all valid. */
  const other = (i: number) => `${i % 60} ${Math.floor(i / 60) % 24} ${1 + Math.floor(i / 1440)} * *`;

  test('one in use stays, however many others come', () => {
    const compiled = scheduleOf('8 8 8 8 *');
    for (let i = 0; i < MANY; i++) {
      scheduleOf(other(i));
      expect(scheduleOf('8 8 8 8 *')).toBe(compiled);
    }
  });

  test('one that nobody uses gives way to others', () => {
    const compiled = scheduleOf('9 9 9 9 *');
    for (let i = 0; i < MANY; i++) scheduleOf(other(i));
    expect(scheduleOf('9 9 9 9 *')).not.toBe(compiled);
  });
});

describe('what is invalid', () => {
  test.each([
    { name: 'schedules', invalidOf: (i: number) => ({ text: `${i} * * *`, timeZone: 'UTC' }) },
    { name: 'time zones', invalidOf: (i: number) => ({ text: '* * * * *', timeZone: `Zone/${i}` }) },
    {
      name: 'time zones beyond measure',
      invalidOf: (i: number) => ({ text: '* * * * *', timeZone: `${i}`.padEnd(MAX_TIME_ZONE_LENGTH + 1, 'x') }),
    },
  ])('$name take no place among the compiled schedules', ({ invalidOf }) => {
    const compiled = scheduleOf('7 7 7 7 *');
    expect(scheduleOf('7 7 7 7 *')).toBe(compiled);
    for (let i = 0; i < MANY; i++) {
      const { text, timeZone } = invalidOf(i);
      expect(parseSchedule(text, { timeZone }).kind).toBe('invalid');
    }
    expect(scheduleOf('7 7 7 7 *')).toBe(compiled);
  });

  test('a time zone beyond measure is unknown, and quoted by its first 100 characters', () => {
    expect(parseSchedule('* * * * *', { timeZone: 'x'.repeat(1_000_000) })).toEqual({
      kind: 'invalid',
      reason: 'UnknownTimeZone',
      message: `spec.timeZone: "${'x'.repeat(100)}…": unknown time zone; give an IANA name such as Europe/Berlin`,
    });
  });

  test('no time zone of the list is longer than may be given', () => {
    expect(TIME_ZONE_NAMES.filter((name) => name.length > MAX_TIME_ZONE_LENGTH)).toEqual([]);
  });
});
