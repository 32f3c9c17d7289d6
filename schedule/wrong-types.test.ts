/** JavaScript passes values of any type: the messages say what to pass instead. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  combineSchedules,
  excludeDates,
  excludeSchedule,
  loadTimeZone,
  parseGoDuration,
  parseSchedule,
  parseScheduleOrThrow,
  stableDelayMs,
} from './index.ts';

/** A function as JavaScript calls it. */
// biome-ignore lint/suspicious/noExplicitAny: any type is what the tests are about
const untyped = (call: (...values: any[]) => unknown) => call;
const parse = untyped(parseSchedule);

test.each([
  [[undefined], 'the expression must be a string, not undefined'],
  [[null], 'the expression must be a string, not null'],
  [[5], 'the expression must be a string, not the number 5'],
  [[['* * * * *']], 'the expression must be a string, not an object'],
  [[Symbol('x')], 'the expression must be a string, not a symbol'],
  [['* * * * *', { timeZone: null }], 'the time zone must be an IANA name such as Europe/Berlin, not null'],
  [['* * * * *', { timeZone: 1 }], 'the time zone must be an IANA name such as Europe/Berlin, not the number 1'],
  [['* * * * *', { timeZone: {} }], 'the time zone must be an IANA name such as Europe/Berlin, not an object'],
  [['* * * * *', 'Asia/Tokyo'], '"Asia/Tokyo": options must be an object such as { timeZone: "Asia/Tokyo" }'],
])('parseSchedule(...%j) is invalid: %s', (values, message) => {
  expect(parse(...values)).toMatchObject({ kind: 'invalid', message });
});

test('parseSchedule takes null for no options', () => {
  expect(parse('* * * * *', null)).toMatchObject({ kind: 'ok' });
  expect(parse('* * * * *', { daylightSaving: null })).toMatchObject({ kind: 'ok' });
});

test('parseSchedule and parseGoDuration throw for no expression, time zone or duration', () => {
  const anOption = fc.oneof(fc.anything(), fc.record({ timeZone: fc.anything(), daylightSaving: fc.anything() }));
  const anExpression = fc.oneof(fc.anything(), fc.constantFrom('@daily', '@every 1m', '* * * * *'));
  fc.assert(
    fc.property(anExpression, anOption, (expression, options) => {
      const { kind, message } = parse(expression, options) as { kind: string; message?: string };
      expect(kind === 'ok' || /^[^A-Z].{10}/s.test(message ?? '')).toBe(true);
      expect(untyped(parseGoDuration)(expression)).toHaveProperty('kind');
    }),
  );
});

test('parseGoDuration says what a duration is', () => {
  expect(untyped(parseGoDuration)(90)).toEqual({
    kind: 'invalid',
    message: 'a duration must be a string, not the number 90; use numbers with units, such as 90s, 5m or 1h30m',
  });
});

describe.each(['* * * * *', '@every 1m'])('a time of %s', (text) => {
  const schedule = parseScheduleOrThrow(text);
  const timetable = combineSchedules({ schedules: [schedule] });
  const now = new Date(0);
  test.each([
    ['2026-01-01', 'a time must be a Date, not the string "2026-01-01"; use new Date("2026-01-01")'],
    [1, 'a time must be a Date, not the number 1; use new Date(1)'],
    [undefined, 'a time must be a Date, not undefined'],
    [null, 'a time must be a Date, not null'],
    [{}, 'a time must be a Date, not an object'],
  ])('that is %j', (time, message) => {
    const error = new TypeError(message);
    for (const each of [schedule, timetable]) {
      expect(() => untyped(each.next.bind(each))(time)).toThrow(error);
      expect(() => untyped(each.previous.bind(each))(time)).toThrow(error);
      expect(() => untyped(each.between.bind(each))(time, now)).toThrow(error);
      expect(() => untyped(each.between.bind(each))(now, time, { limit: 0 })).toThrow(error);
      expect(() => untyped(each.take.bind(each))(0, time)).toThrow(error);
      expect(() => untyped(each.timesAfter.bind(each))(time)).toThrow(error);
    }
    expect(() => untyped(schedule.dstNotes.bind(schedule))(time)).toThrow(error);
  });
});

test.each<[call: () => unknown, error: Error]>([
  [
    () => untyped(combineSchedules)({ schedules: ['@daily'] }),
    new TypeError('expected the schedule of a parseSchedule result, not the string "@daily"'),
  ],
  [
    () => untyped(combineSchedules)({ schedules: [parseSchedule('@daily')] }),
    new TypeError('expected the schedule of a parseSchedule result, not an object'),
  ],
  [
    () => untyped(excludeSchedule)(undefined),
    new TypeError('expected the schedule of a parseSchedule result, not undefined'),
  ],
  [
    () => untyped(excludeDates)(['2026-12-25'], 'Europe/Berlin'),
    new TypeError('expected a time zone from loadTimeZone, not the string "Europe/Berlin"'),
  ],
  [() => untyped(stableDelayMs)(undefined, 60), new TypeError('the key must be a string, not undefined')],
  [
    () => untyped(parseScheduleOrThrow('@daily').take)('3', new Date(0)),
    new RangeError('the count must be a whole number from 0, not the string "3"'),
  ],
])('%s throws a sentence', (call, error) => {
  expect(call).toThrow(error);
});

test('loadTimeZone has no time zone for another type', () => {
  for (const value of [undefined, null, 5, {}]) expect(untyped(loadTimeZone)(value)).toBeUndefined();
});
