/** `daylightSaving`: what a change of the clock does to the times that it skips or repeats. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type DaylightSaving,
  describeDstNote,
  loadTimeZone,
  parseScheduleOrThrow,
  type Schedule,
  type TimeZone,
} from './index.ts';
import { formatInZone } from './testing/valid-schedule.ts';

const BERLIN = 'Europe/Berlin';

function parse(text: string, timeZone: string | TimeZone, daylightSaving: DaylightSaving): Schedule {
  return parseScheduleOrThrow(text, { timeZone, daylightSaving });
}

/** The instants of a local day, forwards and backwards, in local time. */
function timesOn(date: string, text: string, timeZone: string, daylightSaving: DaylightSaving): readonly string[] {
  const schedule = parse(text, timeZone, daylightSaving);
  const midnightMs = Date.parse(`${date}T00:00:00Z`);
  const [from, until] = [new Date(midnightMs - 15 * 3_600_000), new Date(midnightMs + 36 * 3_600_000)];
  const forwards = schedule.between(from, until);
  const backwards: Date[] = [];
  for (let slot = schedule.previous(until); slot && slot > from; slot = schedule.previous(new Date(slot.getTime() - 1)))
    backwards.unshift(slot);
  expect(backwards).toEqual(forwards);
  return forwards.map((slot) => formatInZone(slot, timeZone)).filter((slot) => slot.startsWith(date));
}

describe('RunAfter', () => {
  const policy = { skippedTimes: 'RunAfter' } as const;
  test.each<[text: string, zone: string, date: string, want: readonly string[]]>([
    ['30 2 * * *', BERLIN, '2026-03-29', ['2026-03-29T03:00:00+02:00']],
    ['0,15,30 2 * * *', BERLIN, '2026-03-29', ['2026-03-29T03:00:00+02:00']],
    ['0 2,3 * * *', BERLIN, '2026-03-29', ['2026-03-29T03:00:00+02:00']],
    ['30 2,3 * * *', BERLIN, '2026-03-29', ['2026-03-29T03:00:00+02:00', '2026-03-29T03:30:00+02:00']],
    ['30 1 * * *', BERLIN, '2026-03-29', ['2026-03-29T01:30:00+01:00']],
    ['30 2 * * 1', BERLIN, '2026-03-29', []],
    ['0 0 * * *', 'America/Santiago', '2026-09-06', ['2026-09-06T01:00:00-03:00']],
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-04', ['2026-10-04T02:30:00+11:00']],
    ['0 12 30 12 *', 'Pacific/Apia', '2011-12-31', ['2011-12-31T00:00:00+14:00']],
  ])('%s in %s on %s', (text, zone, date, want) => {
    expect(timesOn(date, text, zone, policy)).toEqual(want);
  });

  test('does not change schedules that run every hour', () => {
    const on = timesOn('2026-03-29', '30 * * * *', BERLIN, policy);
    expect(on).toEqual(timesOn('2026-03-29', '30 * * * *', BERLIN, {}));
  });

  test('is described in the notes', () => {
    const notes = parse('30 2 * * *', BERLIN, policy).dstNotes(new Date('2026-01-01T00:00:00Z'), { months: 6 });
    expect(notes.map(describeDstNote)).toEqual(['2026-03-29 02:30 runs at 03:00: the clock goes from 02:00 to 03:00']);
    const several = parse('0,30 2 * * *', BERLIN, policy).dstNotes(new Date('2026-01-01T00:00:00Z'), { months: 6 });
    expect(several.map(describeDstNote)).toEqual([
      '2026-03-29 02:00 and 02:30 run once, at 03:00: the clock goes from 02:00 to 03:00',
    ]);
  });
});

describe('RunOnce', () => {
  const policy = { repeatedTimes: 'RunOnce' } as const;
  test.each<[text: string, zone: string, date: string, want: readonly string[]]>([
    ['30 2 * * *', BERLIN, '2026-10-25', ['2026-10-25T02:30:00+02:00']],
    ['0 2,3 * * *', BERLIN, '2026-10-25', ['2026-10-25T02:00:00+02:00', '2026-10-25T03:00:00+01:00']],
    ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-05', ['2026-04-05T01:45:00+11:00']],
  ])('%s in %s on %s', (text, zone, date, want) => {
    expect(timesOn(date, text, zone, policy)).toEqual(want);
  });

  test('does not change schedules that run every hour', () => {
    const on = timesOn('2026-10-25', '*/30 * * * *', BERLIN, policy);
    expect(on).toEqual(timesOn('2026-10-25', '*/30 * * * *', BERLIN, {}));
  });

  test('has no note', () => {
    expect(parse('30 2 * * *', BERLIN, policy).dstNotes(new Date('2026-07-01T00:00:00Z'), { months: 6 })).toEqual([]);
  });
});

const MINUTE_MS = 60_000;
const ZONES = [
  BERLIN,
  'America/New_York',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'Antarctica/Troll',
];

/** The clock changes of a zone within some years. */
function findChanges(zone: TimeZone): readonly number[] {
  const changes: number[] = [];
  for (let span = zone.offsetAt(Date.UTC(2020, 0)); span.endMs < Date.UTC(2030, 0); span = zone.offsetAt(span.endMs)) {
    if (zone.offsetAt(span.endMs).offsetMs !== span.offsetMs) changes.push(span.endMs);
  }
  return changes;
}

/** By the definition: looks at each minute around a change of the clock. */
function bruteForce(text: string, zone: TimeZone, changeMs: number, policy: DaylightSaving): readonly Date[] {
  const onUtc = parse(text, 'UTC', {});
  const matches = (localMs: number) => onUtc.previous(new Date(localMs))?.getTime() === localMs;
  const [before, after] = [zone.offsetAt(changeMs - 1).offsetMs, zone.offsetAt(changeMs).offsetMs];
  const found = new Set<number>();
  for (let ms = changeMs - 1440 * MINUTE_MS; ms < changeMs + 1440 * MINUTE_MS; ms += MINUTE_MS) {
    const localMs = ms + (ms < changeMs ? before : after);
    const isRepeated = ms >= changeMs && localMs - before < changeMs;
    if (matches(localMs) && !(isRepeated && policy.repeatedTimes === 'RunOnce')) found.add(ms);
  }
  for (let localMs = changeMs + before; localMs < changeMs + after; localMs += MINUTE_MS) {
    if (matches(localMs) && policy.skippedTimes === 'RunAfter') found.add(changeMs);
  }
  return [...found].sort((left, right) => left - right).map((ms) => new Date(ms));
}

test('every policy equals its definition, minute by minute, at every clock change', () => {
  const zones = ZONES.map((name) => loadTimeZone(name)!);
  const aField = (max: number) => fc.uniqueArray(fc.integer({ min: 0, max }), { minLength: 1, maxLength: 4 });
  const aText = fc
    .tuple(aField(59), aField(4), fc.constantFrom('*', '0', '0-5'))
    .map(([m, h, d]) => `${m} ${h} * * ${d}`);
  const aPolicy = fc.record({
    skippedTimes: fc.constantFrom('Skip', 'RunAfter', undefined),
    repeatedTimes: fc.constantFrom('RunTwice', 'RunOnce', undefined),
  });
  const aChange = fc
    .constantFrom(...zones)
    .chain((zone) => fc.tuple(fc.constant(zone), fc.constantFrom(...findChanges(zone))));
  fc.assert(
    fc.property(aText, aChange, aPolicy, (text, [zone, changeMs], policy) => {
      const [from, until] = [changeMs - 1440 * MINUTE_MS - 1, changeMs + 1440 * MINUTE_MS - 1];
      const schedule = parse(text, zone, policy);
      expect(schedule.between(new Date(from), new Date(until))).toEqual(bruteForce(text, zone, changeMs, policy));
    }),
    { numRuns: 60 },
  );
});
