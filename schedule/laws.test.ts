/** Laws for every schedule, zone and instant. A failure prints the seed that repeats it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadTimeZone, parseSchedule } from './index.ts';
import { parseValidSchedule } from './testing/valid-schedule.ts';

const anInstant = fc.date({ min: new Date('2010-01-01'), max: new Date('2036-01-01'), noInvalidDate: true });
const aZone = fc.constantFrom(
  ...['UTC', 'America/New_York', 'America/St_Johns', 'America/Havana', 'Africa/Cairo', 'Antarctica/Troll'],
  ...['Asia/Kathmandu', 'Australia/Lord_Howe', 'Europe/Berlin', 'Pacific/Apia', 'Pacific/Chatham'],
);

/** Fields with values, ranges and steps. */
const aText = fc
  .tuple(aField(0, 59), aField(0, 23), aField(1, 28), aField(1, 12), aField(0, 6))
  .map((fields) => fields.join(' '));

function aField(min: number, max: number): fc.Arbitrary<string> {
  const value = fc.integer({ min, max });
  const step = fc.integer({ min: 1, max: 20 });
  return fc.oneof(
    fc.constant('*'),
    fc.array(value, { minLength: 1, maxLength: 4 }).map((values) => values.join(',')),
    fc.tuple(value, value, step).map(([a, b, by]) => `${Math.min(a, b)}-${Math.max(a, b)}/${by}`),
    step.map((by) => `*/${by}`),
  );
}

test('next and previous return the same instants, from any time between two of them', () => {
  fc.assert(
    fc.property(aText, aZone, anInstant, (text, timeZone, instant) => {
      const schedule = parseValidSchedule(text, timeZone);
      const next = schedule.next(instant);
      const previous = schedule.previous(instant);
      if (next === undefined || previous === undefined) return;
      expect(next.getTime()).toBeGreaterThan(instant.getTime());
      expect(previous.getTime()).toBeLessThanOrEqual(instant.getTime());
      expect(schedule.next(previous)).toEqual(next);
      expect(schedule.previous(next)).toEqual(next);
      expect(schedule.previous(new Date(next.getTime() - 1))).toEqual(previous);
      expect(schedule.next(new Date(previous.getTime() - 1))).toEqual(previous);
    }),
  );
});

test('take, timesAfter and between return the same instants', () => {
  fc.assert(
    fc.property(aText, aZone, anInstant, fc.nat(5), (text, timeZone, instant, count) => {
      const schedule = parseValidSchedule(text, timeZone);
      const taken = schedule.take(count, instant);
      const times: Date[] = [];
      for (const time of schedule.timesAfter(instant)) {
        if (times.length === count) break;
        times.push(time);
      }
      expect(times).toEqual(taken);
      expect(schedule.between(instant, taken.at(-1) ?? instant)).toEqual(taken);
    }),
  );
});

const zones = [
  'UTC',
  'America/New_York',
  'America/Havana',
  'Antarctica/Troll',
  'Pacific/Apia',
  'Africa/Casablanca',
].map((name) => loadTimeZone(name)!);
/** Days that few months have, so that a search skips months. */
const aRareText = fc
  .tuple(aField(0, 59), aField(0, 23), aField(28, 31), aField(1, 12), fc.constant('*'))
  .map((fields) => fields.join(' '));

/** By the definition: visits every span, and searches its local times as those of UTC. */
function findBySpans(text: string, zone: (typeof zones)[number], after: Date): Date | undefined {
  const onUtc = parseValidSchedule(text);
  let fromMs = after.getTime();
  for (let span = zone.offsetAt(fromMs); ; span = zone.offsetAt(fromMs + 1)) {
    const match = onUtc.next(new Date(fromMs + span.offsetMs));
    if (match === undefined) return undefined;
    if (match.getTime() - span.offsetMs < span.endMs) return new Date(match.getTime() - span.offsetMs);
    fromMs = span.endMs - 1;
  }
}

test('a search that skips spans finds the same as a search through every span', () => {
  fc.assert(
    fc.property(fc.oneof(aText, aRareText), fc.constantFrom(...zones), anInstant, (text, zone, instant) => {
      const schedule = parseValidSchedule(text, zone.name);
      const next = schedule.next(instant);
      expect(next).toEqual(findBySpans(text, zone, instant));
      if (next !== undefined) expect(schedule.previous(next)).toEqual(next);
    }),
    { numRuns: 300 },
  );
});

test('a description begins with "Never" if and only if the schedule never fires', () => {
  fc.assert(
    fc.property(fc.oneof(aText, aRareText), (text) => {
      const schedule = parseValidSchedule(text);
      const fires = schedule.next(new Date('2001-01-01T00:00:00Z')) !== undefined;
      expect(schedule.describe().startsWith('Never: ')).toBe(!fires);
    }),
    { numRuns: 300 },
  );
});

const pieces = fc.constantFrom(
  ...['*', '?', '/', '-', ',', ' ', '\t', '@', '@every ', 'TZ=', '+', '.'],
  ...['0', '5', '59', 'sun', 'JAN', 'L', '#', '1h', 'µs', '99999999999999999999'],
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

test('every text is parsed or rejected with a message', () => {
  fc.assert(
    fc.property(anyText, fc.oneof(aZone, fc.string({ unit: 'binary' })), anInstant, (text, timeZone, instant) => {
      const parsed = parseSchedule(text, { timeZone });
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
