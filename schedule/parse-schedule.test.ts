import { describe, expect, test } from 'vitest';
import { InvalidScheduleError, MAX_EXPRESSION_LENGTH, parseSchedule, parseScheduleOrThrow } from './index.ts';
import { parseValidSchedule } from './testing/valid-schedule.ts';

/** The next `count` instants after `after`, in UTC. */
function listNext(text: string, timeZone: string, after: string, count: number): string[] {
  return parseValidSchedule(text, timeZone).between(new Date(after), new Date('2200-01-01'), { limit: count }).map(iso);
}

const iso = (instant: Date) => instant.toISOString().replace('.000', '');
const formatOptional = (instant: Date | undefined) => instant && iso(instant);

describe('a schedule', () => {
  test('next is strictly after, previous is at or before', () => {
    const schedule = parseValidSchedule('0 * * * *');
    expect(formatOptional(schedule.next(new Date('2026-01-01T01:00:00Z')))).toBe('2026-01-01T02:00:00Z');
    expect(formatOptional(schedule.next(new Date('2026-01-01T00:59:59.999Z')))).toBe('2026-01-01T01:00:00Z');
    expect(formatOptional(schedule.previous(new Date('2026-01-01T01:00:00Z')))).toBe('2026-01-01T01:00:00Z');
    expect(formatOptional(schedule.previous(new Date('2026-01-01T00:59:59.999Z')))).toBe('2026-01-01T00:00:00Z');
  });

  test.each([
    ['30 2 * * *', '2026-03-07T12:00:00Z', ['2026-03-09T06:30:00Z', '2026-03-10T06:30:00Z']],
    ['30 1 * * *', '2026-11-01T00:00:00Z', ['2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z']],
    ['0 0 31 2 *', '2026-01-01T00:00:00Z', []],
  ])('%s in New York skips a missing local time, and fires twice at a repeated one', (text, after, want) => {
    expect(listNext(text, 'America/New_York', after, 2)).toEqual(want);
  });

  test('searches five years ahead, no further', () => {
    const leapDay = parseValidSchedule('0 0 29 2 *');
    expect(leapDay.next(new Date('2096-03-01T00:00:00Z'))).toBeUndefined();
    expect(formatOptional(leapDay.next(new Date('2099-03-01T00:00:00Z')))).toBe('2104-02-29T00:00:00Z');
  });

  test('between stops at its limit and at its inclusive end', () => {
    const schedule = parseValidSchedule('0 * * * *');
    const [after, until] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-01T03:00:00Z')];
    expect(schedule.between(after, until)).toHaveLength(3);
    expect(schedule.between(after, until, { limit: 2 })).toHaveLength(2);
  });

  test('take returns the first times, or fewer if no more follow', () => {
    const after = new Date('2026-01-01T00:00:00Z');
    const want = ['2026-01-01T06:30:00Z', '2026-01-02T06:30:00Z', '2026-01-05T06:30:00Z'];
    expect(parseValidSchedule('30 6 * * 1-5').take(3, after).map(iso)).toEqual(want);
    expect(parseValidSchedule('0 0 31 2 *').take(3, after)).toEqual([]);
    expect(parseValidSchedule('@every 1h').take(0, after)).toEqual([]);
    for (const count of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => parseValidSchedule('* * * * *').take(count, after)).toThrow(RangeError);
  });

  test('timesAfter is a loop over the times, which ends when no more follow', () => {
    const times: string[] = [];
    for (const time of parseValidSchedule('0 12 * * *', 'Asia/Tokyo').timesAfter(new Date('2026-01-01T00:00:00Z'))) {
      times.push(iso(time));
      if (times.length === 2) break;
    }
    expect(times).toEqual(['2026-01-01T03:00:00Z', '2026-01-02T03:00:00Z']);
    const beforeTheGap = new Date('2090-01-01T00:00:00Z');
    const leapDays = [...parseValidSchedule('0 0 29 2 *').timesAfter(beforeTheGap)].map(iso);
    expect(leapDays).toEqual(['2092-02-29T00:00:00Z', '2096-02-29T00:00:00Z']);
  });
});

describe('@every', () => {
  const schedule = parseValidSchedule('@every 1h30m', 'UTC', { anchor: new Date('2026-01-01T00:00:00.700Z') });

  test('fires at multiples of its period from the anchor, whatever the time of the call', () => {
    expect(formatOptional(schedule.next(new Date('2025-06-01T00:00:00Z')))).toBe('2026-01-01T01:30:00Z');
    expect(formatOptional(schedule.next(new Date('2026-01-01T01:29:59Z')))).toBe('2026-01-01T01:30:00Z');
    expect(formatOptional(schedule.next(new Date('2026-01-01T01:30:00Z')))).toBe('2026-01-01T03:00:00Z');
    expect(formatOptional(schedule.previous(new Date('2026-01-01T04:00:00Z')))).toBe('2026-01-01T03:00:00Z');
  });

  test('has no instant before the first period has passed', () => {
    expect(schedule.previous(new Date('2026-01-01T01:29:59Z'))).toBeUndefined();
  });

  test("drops the anchor's fraction of a second", () => {
    expect(formatOptional(parseValidSchedule('@every 1.9s').next(new Date(0)))).toBe('1970-01-01T00:00:01Z');
  });
});

describe('rejects', () => {
  const MACROS =
    'must be one of @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly or "@every <duration>"';
  test.each([
    ['61 * * * *', 'minute must be 0-59, not "61"'],
    ['* 24 * * *', 'hour must be 0-23, not "24"'],
    ['* * 0 * *', 'day of month must be 1-31, not "0"'],
    ['* * * 13 *', 'month must be 1-12 or jan-dec, not "13"'],
    ['* * * * 7', 'day of week must be 0-6 or sun-sat, not "7"'],
    ['* * * * FRI-MON', 'day of week "FRI-MON" runs backwards; use two ranges instead'],
    ['*/0 * * * *', 'minute "*/0": the step after "/" must be a whole number from 1'],
    ['1/2/3 * * * *', 'minute "1/2/3" has more than one "/"'],
    ['1-2-3 * * * *', 'minute "1-2-3" has more than one "-"'],
    ['H * * * *', 'minute must be 0-59, not "H"'],
    [', * * * *', 'minute must not be empty; minute must be 0-59'],
    ['* * * * * *', 'must have 5 fields (minute, hour, day of month, month, day of week), not 6'],
    ['', 'must have 5 fields (minute, hour, day of month, month, day of week), not 0'],
    ['TZ=UTC 0 0 * * *', 'must not name a time zone; use timeZone instead of TZ='],
    ['TZ=0', 'must not name a time zone; use timeZone instead of TZ='],
    ['@every 500ms', 'must be at least 1s after @every'],
    ['@every -1h', 'must be at least 1s after @every'],
    ['@every 1d', '"1d" is not a duration; use numbers with units, such as 90s, 5m or 1h30m'],
    ['@every ', '"" is not a duration; use numbers with units, such as 90s, 5m or 1h30m'],
    ['@every 99999999h', '"99999999h" is longer than 292 years; use numbers with units, such as 90s, 5m or 1h30m'],
    ['@every', MACROS],
    ['@reboot', MACROS],
    ['@toString', MACROS],
    ['constructor', 'must have 5 fields (minute, hour, day of month, month, day of week), not 1'],
    ['CRON_TZ=UTC 0 0 * * *', 'must not name a time zone; use timeZone instead of TZ='],
    ['*'.repeat(MAX_EXPRESSION_LENGTH + 1), 'must be at most 1024 characters long, not 1025'],
  ])('%s', (text, fault) => {
    const parsed = parseSchedule(text);
    expect(parsed).toMatchObject({ kind: 'invalid', reason: 'InvalidExpression' });
    expect(parsed.kind === 'invalid' && parsed.message.endsWith(`: ${fault}`)).toBe(true);
  });

  const ZONES = ['Mars/Olympus', '../UTC', '+01:00', 'Local', '', 'toString', 'factory'];
  test.each(ZONES)('time zone %j', (timeZone) => {
    expect(parseSchedule('* * * * *', { timeZone })).toEqual({
      kind: 'invalid',
      reason: 'UnknownTimeZone',
      message: `${JSON.stringify(timeZone)}: unknown time zone; use an IANA name such as Europe/Berlin`,
    });
  });
});

test.each([
  ['europe/berlin', 'Europe/Berlin'],
  ['AMERICA/NEW_YORK', 'America/New_York'],
  ['America/New York', 'America/New_York'],
  ['Europe/Berlin ', 'Europe/Berlin'],
  ['utc', 'UTC'],
])('rejects the time zone %j and names %s', (timeZone, name) => {
  const message = `${JSON.stringify(timeZone)}: unknown time zone; use ${name}`;
  expect(parseSchedule('* * * * *', { timeZone })).toEqual({ kind: 'invalid', reason: 'UnknownTimeZone', message });
});

test('parseScheduleOrThrow returns the schedule, or throws the message and the reason', () => {
  expect(parseScheduleOrThrow('@daily').describe()).toBe('At 00:00 every day');
  const message = '"61 * * * *": minute must be 0-59, not "61"';
  const error = new InvalidScheduleError({ reason: 'InvalidExpression', message });
  expect(() => parseScheduleOrThrow('61 * * * *')).toThrow(error);
  expect(() => parseScheduleOrThrow('* * * * *', { timeZone: 'utc' })).toThrow(
    expect.objectContaining({ name: 'InvalidScheduleError', reason: 'UnknownTimeZone' }),
  );
});

describe('accepts what cron-parser rejects or misreads', () => {
  test.each([
    ['1,1-5,3 * * * *', '2026-01-01T00:05:00Z', '2026-01-01T01:01:00Z'],
    ['1,,2 * * * *', '2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z'],
    ['+5 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:05:00Z'],
    ['*/100 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z'],
    ['5/15 * * * *', '2026-01-01T00:50:00Z', '2026-01-01T01:05:00Z'],
    ['0 0 1 jAn-mAr ?', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'],
    ['\t0  0 * * *\n', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
    ['0 0 31 1,2 *', '2026-01-31T00:00:00Z', '2027-01-31T00:00:00Z'],
    ['0 0 */15,2/4 2/2,2-5/6 *', '2026-04-26T00:00:00Z', '2026-04-30T00:00:00Z'],
  ])('%s', (text, after, want) => {
    expect(listNext(text, 'UTC', after, 1)).toEqual([want]);
  });
});

describe('throws for an invalid Date', () => {
  const noDate = new Date(Number.NaN);
  test.each(['* * * * *', '@every 1m'])('%s', (text) => {
    for (const timeZone of ['UTC', 'Europe/Berlin']) {
      const schedule = parseValidSchedule(text, timeZone);
      expect(() => schedule.next(noDate)).toThrow(RangeError);
      expect(() => schedule.previous(noDate)).toThrow(RangeError);
      expect(() => schedule.between(noDate, new Date(0))).toThrow(RangeError);
      expect(() => schedule.between(new Date(0), noDate)).toThrow(RangeError);
      expect(() => schedule.dstNotes(noDate)).toThrow(RangeError);
    }
    expect(() => parseValidSchedule('@every 1m', 'UTC', { anchor: noDate })).toThrow(RangeError);
  });
});

test('accepts a TimeZone object and uses its data', () => {
  const offset = { startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY, offsetMs: 90 * 60_000 };
  const parsed = parseSchedule('0 12 * * *', { timeZone: { name: 'Ship', offsetAt: () => offset } });
  const next = parsed.kind === 'ok' && parsed.schedule.next(new Date('2026-01-01T00:00:00Z'));
  expect(next).toEqual(new Date('2026-01-01T10:30:00Z'));
});

test.each([
  ['30 6 * * 1-5', 'cron', 'At 06:30, Monday to Friday', [1, 2, 3, 4, 5]],
  ['@every 90m', 'every', 'Every 1 hour 30 minutes', undefined],
] as const)('%s has its kind, description and fields', (text, kind, words, daysOfWeek) => {
  const schedule = parseValidSchedule(text);
  expect([schedule.kind, schedule.describe(), schedule.fields?.daysOfWeek]).toEqual([kind, words, daysOfWeek]);
});

describe('a message is short, and has no terminal escapes', () => {
  const long = '9'.repeat(900);
  test.each([
    `@every ${long}`,
    `${long} * * * *`,
    `1-${long} * * * *`,
    `${long}/0 * * * *`,
    '\u001b[2J * * * *',
    '@every \u001b[2J',
    `@every ${'x'.repeat(99)}😀`,
  ])('%j', (text) => {
    const parsed = parseSchedule(text);
    const message = parsed.kind === 'invalid' ? parsed.message : '';
    expect(message).toMatch(/^[^\p{Cc}]+$/u);
    expect(message).not.toContain('\\ud83d');
    expect(message.length).toBeLessThan(400);
  });
});
