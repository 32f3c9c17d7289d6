/** What holds for every schedule, zone and instant. A failure prints the seed that repeats it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSchedule, type Schedule } from './index.ts';
import { scheduleOf, timeZoneOf } from './testing/schedule-of.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const YEAR_MS = 366 * 24 * HOUR_MS;

/** One field of a schedule, written out and as values. */
interface Field {
  readonly text: string;
  readonly values: ReadonlySet<number>;
  readonly isStar: boolean;
}

/** Minute, hour, day of month, month, day of week. */
type Fields = readonly [Field, Field, Field, Field, Field];

const anInstant = fc.date({ min: new Date('2010-01-01'), max: new Date('2036-01-01'), noInvalidDate: true });
const aZone = fc.constantFrom(
  'UTC',
  'America/New_York',
  'America/St_Johns',
  'America/Havana',
  'Africa/Cairo',
  'Antarctica/Troll',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Europe/Berlin',
  'Pacific/Apia',
  'Pacific/Chatham',
);

/** Often beside a change of the clock, where schedules are hard. */
const aZonedInstant = fc
  .tuple(aZone, anInstant, fc.integer({ min: -36 * 60, max: 36 * 60 }), fc.boolean())
  .map(([timeZone, instant, minutes, isBesideChange]) => {
    const change = isBesideChange ? changeAfter(timeZone, instant) : undefined;
    return { timeZone, instant: change === undefined ? instant : new Date(change + minutes * MINUTE_MS) };
  });

/** Fires at least once a year or so, mostly more often. */
const someFields: fc.Arbitrary<Fields> = fc.tuple(
  aField(0, 59, 1),
  aField(0, 23, 1),
  aField(1, 28, 4, 31),
  aField(1, 12, 4),
  aField(0, 6, 4),
);
const aText = someFields.map(textOf);

describe('next', () => {
  test('is a whole minute, strictly later', () => {
    fc.assert(
      fc.property(aText, aZonedInstant, (text, { timeZone, instant }) => {
        const next = scheduleOf(text, timeZone).next(instant);
        if (next === undefined) return;
        expect(next.getTime()).toBeGreaterThan(instant.getTime());
        expect(next.getTime() % MINUTE_MS).toBe(0);
      }),
    );
  });

  test('is the first minute whose local time matches', () => {
    fc.assert(
      fc.property(someFields, aZonedInstant, (fields, { timeZone, instant }) => {
        const until = new Date(instant.getTime() + 12 * HOUR_MS);
        const next = scheduleOf(textOf(fields), timeZone).next(instant);
        expect(next !== undefined && next <= until ? next : undefined).toEqual(
          firstMatch(fields, timeZone, instant, until),
        );
      }),
    );
  });

  test('is the same from anywhere before it', () => {
    fc.assert(
      fc.property(aText, aZonedInstant, fc.double({ min: 0, max: 1, noNaN: true }), (text, given, part) => {
        const { timeZone, instant } = given;
        const next = scheduleOf(text, timeZone).next(instant);
        if (next === undefined) return;
        const between = new Date(instant.getTime() + Math.floor((next.getTime() - instant.getTime() - 1) * part));
        expect(scheduleOf(text, timeZone).next(between)).toEqual(next);
      }),
    );
  });
});

describe('next and previous agree', () => {
  test('at a slot, previous is that slot, and before it an earlier one', () => {
    fc.assert(
      fc.property(aText, aZonedInstant, (text, { timeZone, instant }) => {
        const each = scheduleOf(text, timeZone);
        const next = each.next(instant);
        if (next === undefined) return;
        expect(each.previous(next)).toEqual(next);
        const previous = each.previous(new Date(next.getTime() - 1));
        expect(previous === undefined || previous <= instant).toBe(true);
        expect(previous).toEqual(each.previous(instant));
      }),
    );
  });

  test('going back and on again leads to the same slot', () => {
    fc.assert(
      fc.property(aText, aZonedInstant, (text, { timeZone, instant }) => {
        const each = scheduleOf(text, timeZone);
        const previous = each.previous(instant);
        if (previous === undefined) return;
        expect(previous.getTime()).toBeLessThanOrEqual(instant.getTime());
        expect(each.next(new Date(previous.getTime() - 1))).toEqual(previous);
        expect(each.next(previous)).toEqual(each.next(instant));
      }),
    );
  });
});

describe('between', () => {
  test('is next, again and again', () => {
    const aSpanMs = fc.oneof(fc.integer({ min: 0, max: 48 * HOUR_MS }), fc.integer({ min: 0, max: 2 * YEAR_MS }));
    const aLimit = fc.integer({ min: 0, max: 30 });
    fc.assert(
      fc.property(aText, aZonedInstant, aSpanMs, aLimit, (text, { timeZone, instant }, spanMs, limit) => {
        const until = new Date(instant.getTime() + spanMs);
        const each = scheduleOf(text, timeZone);
        expect(each.between(instant, until, { limit })).toEqual(repeatedNext(each, instant, until, limit));
      }),
    );
  });

  test('of @every lies on the grid of its anchor', () => {
    const seconds = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(seconds, anInstant, fc.integer({ min: 0, max: YEAR_MS }), (period, anchor, laterMs) => {
        const each = scheduleOf(`@every ${period}s`, 'UTC', { anchor });
        const from = new Date(anchor.getTime() + laterMs);
        const slots = each.between(from, new Date(from.getTime() + YEAR_MS), { limit: 5 });
        const first = Math.floor(anchor.getTime() / 1000) * 1000;
        const passed = Math.floor((from.getTime() - first) / (period * 1000));
        expect(slots).toEqual([1, 2, 3, 4, 5].map((index) => new Date(first + (passed + index) * period * 1000)));
      }),
    );
  });
});

describe('any text', () => {
  const pieces = fc.constantFrom(
    '*',
    '?',
    '/',
    '-',
    ',',
    ' ',
    '\t',
    '@',
    '@every ',
    'TZ=',
    '+',
    '.',
    '0',
    '5',
    '59',
    'sun',
    'JAN',
    'L',
    '#',
    '1h',
    'µs',
    '99999999999999999999',
  );
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 2000 }),
    fc.array(pieces, { maxLength: 400 }).map((each) => each.join('')),
    fc
      .array(
        fc.array(pieces, { maxLength: 6 }).map((each) => each.join('').replaceAll(/\s/g, '')),
        { minLength: 5, maxLength: 5 },
      )
      .map((each) => each.join(' ')),
    fc
      .tuple(fc.constantFrom('1,', '*,', '*/', '1-', '0', ' ', '@', 'sun,'), fc.nat(600))
      .map(([each, count]) => each.repeat(count)),
  );

  test('is read or refused with a message', () => {
    fc.assert(
      fc.property(anyText, fc.oneof(aZone, fc.string({ unit: 'binary' })), anInstant, (text, timeZone, instant) => {
        const parsed = parseSchedule(text, { timeZone: timeZoneOf(timeZone) });
        if (parsed.kind === 'invalid') {
          expect(parsed.message).toMatch(/^".*": ./s);
          expect(parsed.message.length).toBeLessThan(500);
        } else {
          const next = parsed.schedule.next(instant);
          const previous = parsed.schedule.previous(instant);
          expect(next === undefined || next > instant).toBe(true);
          expect(previous === undefined || previous <= instant).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('of five fields with values in range is read', () => {
    fc.assert(
      fc.property(someFields, (fields) => {
        expect(parseSchedule(textOf(fields))).toMatchObject({ kind: 'ok' });
      }),
    );
  });
});

function repeatedNext(each: Schedule, after: Date, until: Date, limit: number): readonly Date[] {
  const slots: Date[] = [];
  let slot = each.next(after);
  while (slot !== undefined && slot <= until && slots.length < limit) {
    slots.push(slot);
    slot = each.next(slot);
  }
  return slots;
}

/** A star, values, ranges and steps. One in `rarity` is not a star. */
function aField(min: number, max: number, rarity: number, end = max): fc.Arbitrary<Field> {
  const aValue = fc.integer({ min, max });
  const star: Field = { text: '*', values: new Set(upTo(min, end, 1)), isStar: true };
  const values = fc.array(aValue, { minLength: 1, maxLength: 4 }).map((each) => field(each.join(','), each));
  const range = fc
    .tuple(aValue, aValue, fc.integer({ min: 1, max: 20 }))
    .map(([one, other, step]) => [Math.min(one, other), Math.max(one, other), step] as const)
    .map(([low, high, step]) => field(`${low}-${high}/${step}`, upTo(low, high, step)));
  const steps = fc.integer({ min: 2, max: 20 }).map((step) => field(`*/${step}`, upTo(min, end, step)));
  return fc.oneof({ arbitrary: fc.constant(star), weight: rarity }, values, range, steps);
}

function field(text: string, values: readonly number[]): Field {
  return { text, values: new Set(values), isStar: false };
}

function upTo(low: number, high: number, step: number): readonly number[] {
  return Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, index) => low + index * step);
}

function textOf(fields: Fields): string {
  return fields.map(({ text }) => text).join(' ');
}

/** By brute force: every minute is turned into local time by Intl, and looked at. */
function firstMatch(fields: Fields, timeZone: string, after: Date, until: Date): Date | undefined {
  const localTime = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    weekday: 'short',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const first = Math.floor(after.getTime() / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  for (let at = first; at <= until.getTime(); at += MINUTE_MS) {
    if (matches(fields, localTime.format(at))) return new Date(at);
  }
  return undefined;
}

/** @param local Such as `Sun, 3/14, 02:30`. */
function matches([minute, hour, dayOfMonth, month, dayOfWeek]: Fields, local: string): boolean {
  const [weekday = '', ...numbers] = local.split(/[^\p{L}\d]+/u);
  const [m = -1, d = -1, h = -1, min = -1] = numbers.map(Number);
  const isDayOfMonth = dayOfMonth.values.has(d);
  const isDayOfWeek = dayOfWeek.values.has(['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'].indexOf(weekday));
  const hasStar = dayOfMonth.isStar || dayOfWeek.isStar;
  const isDay = hasStar ? isDayOfMonth && isDayOfWeek : isDayOfMonth || isDayOfWeek;
  return isDay && month.values.has(m) && hour.values.has(h) && minute.values.has(min);
}

/** To the hour: the next change of the zone's offset within a year. */
function changeAfter(timeZone: string, instant: Date): number | undefined {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset', hour: 'numeric' });
  const offsetAt = (at: number) => format.format(at).split('GMT')[1];
  const start = instant.getTime();
  const before = offsetAt(start);
  for (let at = start; at < start + YEAR_MS; at += 14 * 24 * HOUR_MS) {
    if (offsetAt(at) === before) continue;
    for (let hour = at - 14 * 24 * HOUR_MS; hour <= at; hour += HOUR_MS) if (offsetAt(hour) !== before) return hour;
  }
  return undefined;
}
