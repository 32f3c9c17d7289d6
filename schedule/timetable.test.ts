/** Several schedules together, a window, and times without runs. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  combineSchedules,
  type Exclusion,
  excludeDates,
  excludeSchedule,
  excludeSpan,
  isCalendarDate,
  loadTimeZone,
  type Timetable,
  type TimetableOptions,
} from './index.ts';
import { parseValidSchedule } from './testing/valid-schedule.ts';

const zone = loadTimeZone('Europe/Berlin')!;
const berlin = (text: string) => parseValidSchedule(text, 'Europe/Berlin');
const at = (text: string) => new Date(text);

/** The instants in (after, until] in both directions. */
function instants(timetable: Timetable, after: string, until: string): readonly string[] {
  const forwards = timetable.between(at(after), at(until)).map((each) => each.toISOString().replace('.000', ''));
  const backwards: string[] = [];
  let slot = timetable.previous(at(until));
  for (; slot && slot > at(after); slot = timetable.previous(new Date(slot.getTime() - 1)))
    backwards.unshift(slot.toISOString().replace('.000', ''));
  expect(backwards).toEqual(forwards);
  return forwards;
}

test('an instant of two schedules occurs once', () => {
  const timetable = combineSchedules({
    schedules: [parseValidSchedule('0 6 * * *'), parseValidSchedule('0 6,18 * * *')],
  });
  const [after, until] = ['2026-01-01T00:00:00Z', '2026-01-02T12:00:00Z'];
  expect(instants(timetable, after, until)).toEqual([
    '2026-01-01T06:00:00Z',
    '2026-01-01T18:00:00Z',
    '2026-01-02T06:00:00Z',
  ]);
});

test('the window begins at its start and ends before its end', () => {
  const timetable = combineSchedules({
    schedules: [parseValidSchedule('0 * * * *')],
    startTime: at('2026-01-01T03:00:00Z'),
    endTime: at('2026-01-01T06:00:00Z'),
  });
  expect(instants(timetable, '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z')).toEqual(
    ['03', '04', '05'].map((hour) => `2026-01-01T${hour}:00:00Z`),
  );
  expect(timetable.next(at('2026-01-01T05:00:00Z'))).toBeUndefined();
  expect(timetable.previous(at('2026-01-01T02:59:59Z'))).toBeUndefined();
});

describe('excludes', () => {
  test.each<[what: string, exclusion: Exclusion, want: readonly string[]]>([
    [
      'the instants of a span, but its end',
      excludeSpan(at('2026-03-29T00:00:00Z'), at('2026-03-29T02:00:00Z')),
      ['22', '23', '02', '03'],
    ],
    ['minutes at which a schedule fires', excludeSchedule(berlin('0-30 3-4 29 * *')), ['22', '23', '00', '03']],
    ['a date in local time', excludeDates(['2026-03-29'], zone), ['22']],
  ])('%s', (_, exclusion, want) => {
    const timetable = combineSchedules({ schedules: [berlin('0 * * * *')], exclusions: [exclusion] });
    const found = instants(timetable, '2026-03-28T21:00:00Z', '2026-03-29T03:00:00Z');
    expect(found.map((each) => each.slice(11, 13))).toEqual(want);
  });

  test('a whole year, quickly', () => {
    const exclusions = [excludeSchedule(parseValidSchedule('* * * * *'))];
    const never = combineSchedules({ schedules: [parseValidSchedule('* * * * *')], exclusions });
    expect(never.next(at('2026-01-01T00:00:00Z'))).toBeUndefined();
    expect(never.previous(at('2026-01-01T00:00:00Z'))).toBeUndefined();
    const summer = combineSchedules({
      schedules: [parseValidSchedule('* * * * *')],
      exclusions: [excludeSchedule(parseValidSchedule('* * * 6-8 *'))],
    });
    expect(summer.next(at('2026-06-01T00:00:00Z'))).toEqual(at('2026-09-01T00:00:00Z'));
    expect(summer.previous(at('2026-08-31T00:00:00Z'))).toEqual(at('2026-05-31T23:59:00Z'));
  });

  test('at most 2,000 instants one by one', () => {
    const exclusions = [excludeSchedule(parseValidSchedule('*/2 * * * *'))];
    const never = combineSchedules({ schedules: [parseValidSchedule('*/2 * * * *')], exclusions });
    expect(never.next(at('2026-01-01T00:00:00Z'))).toBeUndefined();
  });
});

describe('rejects', () => {
  test('an empty span', () => {
    expect(() => excludeSpan(at('2026-01-01T00:00:00Z'), at('2026-01-01T00:00:00Z'))).toThrow(RangeError);
  });
  test('an @every', () => {
    expect(() => excludeSchedule(parseValidSchedule('@every 1h'))).toThrow(
      'an exclusion cannot use @every; use five fields',
    );
  });
  test.each(['2026-02-29', '2026-1-1', '20260101', '2026-13-01', ''])('the date %j', (date) => {
    expect(isCalendarDate(date)).toBe(false);
    expect(() => excludeDates([date], zone)).toThrow('is not a date such as 2026-12-25');
  });
});

test('a timetable equals its definition, minute by minute', () => {
  const texts = fc.constantFrom('* * * * *', '*/7 * * * *', '30 2 * * *', '0 0-6 * * *', '@every 41m', '@hourly');
  const excluded = fc.constantFrom(
    '* 2-3 * * 0',
    '*/5 * * * *',
    '* * 29 3 *',
    '30 * * * *',
    '* * * * 6',
    '0-29 0-12 * * *',
  );
  const span = fc.tuple(fc.nat(3000), fc.integer({ min: 1, max: 600 }));
  const FROM = Date.parse('2026-03-28T00:00:00Z');
  const minute = (count: number) => new Date(FROM + count * 60_000);
  fc.assert(
    fc.property(
      fc.uniqueArray(texts, { minLength: 1, maxLength: 3 }),
      fc.uniqueArray(excluded, { maxLength: 2 }),
      fc.array(span, { maxLength: 2 }),
      fc.option(fc.constantFrom('2026-03-28', '2026-03-29'), { nil: undefined }),
      span,
      (given, without, spans, date, [start, length]) => {
        const schedules = given.map(berlin);
        const exclusions = [
          ...without.map((text) => excludeSchedule(berlin(text))),
          ...spans.map(([from, minutes]) => excludeSpan(minute(from), minute(from + minutes))),
          ...(date === undefined ? [] : [excludeDates([date], zone)]),
        ];
        const options: TimetableOptions = {
          schedules,
          exclusions,
          startTime: minute(start),
          endTime: minute(start + length * 5),
        };
        const all = new Set(schedules.flatMap((each) => each.between(minute(-1), minute(4320)).map(Number)));
        const isExcluded = (ms: number) =>
          without.some((text) => berlin(text).previous(new Date(ms))?.getTime() === Math.floor(ms / 60_000) * 60_000) ||
          spans.some(([from, minutes]) => ms >= Number(minute(from)) && ms < Number(minute(from + minutes))) ||
          (date !== undefined && new Date(ms + zone.offsetAt(ms).offsetMs).toISOString().startsWith(date));
        const want = [...all]
          .filter((ms) => ms >= Number(minute(start)) && ms < Number(minute(start + length * 5)) && !isExcluded(ms))
          .sort((left, right) => left - right)
          .map((ms) => new Date(ms).toISOString().replace('.000', ''));
        expect(instants(combineSchedules(options), minute(-1).toISOString(), minute(4320).toISOString())).toEqual(want);
      },
    ),
    { numRuns: 60 },
  );
});

test('a search backwards ends at its bound', () => {
  const everyHour = parseValidSchedule('0 * * * *');
  let calls = 0;
  const previous = (notAfter: Date) => {
    calls++;
    return everyHour.previous(notAfter);
  };
  const timetable = combineSchedules({
    schedules: [{ next: (after) => everyHour.next(after), previous }],
    exclusions: [excludeSchedule(parseValidSchedule('0 1-23 * * *'))],
  });
  const notAfter = at('2026-01-02T23:30:00Z');
  expect(timetable.previous(notAfter, at('2026-01-02T20:00:00Z'))).toBeUndefined();
  expect(calls).toBe(4);
  expect(timetable.previous(notAfter, at('2026-01-01T23:59:59Z'))).toEqual(at('2026-01-02T00:00:00Z'));
  expect(timetable.previous(notAfter)).toEqual(at('2026-01-02T00:00:00Z'));
});

test('a search that found nothing is not repeated', () => {
  let calls = 0;
  const everyDay = parseValidSchedule('0 3 * * *');
  const next = (after: Date) => {
    calls++;
    return everyDay.next(after);
  };
  const timetable = combineSchedules({
    schedules: [{ next, previous: (notAfter) => everyDay.previous(notAfter) }],
    exclusions: [excludeSchedule(parseValidSchedule('* 3 * * *'))],
  });
  const start = at('2026-01-01T00:00:00Z');
  expect(timetable.next(start)).toBeUndefined();
  const callsOfFirst = calls;
  expect(callsOfFirst).toBeGreaterThan(1000);
  expect(timetable.next(at('2027-01-01T00:00:00Z'))).toBeUndefined();
  expect(calls).toBe(callsOfFirst);
  expect(timetable.next(at('2030-01-01T00:00:00Z'))).toBeUndefined();
  expect(calls).toBeGreaterThan(callsOfFirst);
});
