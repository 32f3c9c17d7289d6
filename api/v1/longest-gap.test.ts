import fc from 'fast-check';
import { loadTimeZone, TIME_ZONE_NAMES } from 'kubernetes-cron-schedule';
import { describe, expect, test, vi } from 'vitest';
import { findLongestGap } from './longest-gap.ts';
import { findClockChanges, parseSchedule } from './schedule.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
/** Without Factory, for which Intl has no data. */
const ZONES = TIME_ZONE_NAMES.filter((name) => loadTimeZone(name) !== undefined);
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const YEAR_MS = 366 * DAY * 1000;

function scheduleOf(text: string, timeZone = 'UTC') {
  const parsed = parseSchedule(text, { timeZone, anchor: NOW });
  if (parsed.kind === 'invalid') throw new Error(parsed.message);
  return parsed.schedule;
}

/** Searches for a gap of this many seconds, and counts the calls to the schedule. */
function look(text: string, atLeastSeconds: number, { timeZone = 'UTC', now = NOW } = {}) {
  const schedule = scheduleOf(text, timeZone);
  const [next, previous] = [vi.fn(schedule.next.bind(schedule)), vi.fn(schedule.previous.bind(schedule))];
  const first = schedule.next(now) ?? now;
  const changes = findClockChanges(timeZone, now, new Date(first.getTime() + YEAR_MS));
  const gap = findLongestGap({ kind: schedule.kind, next, previous }, atLeastSeconds * 1000, {
    now,
    clockChanges: changes,
  });
  const seconds = gap?.end === undefined ? undefined : (gap.end.getTime() - gap.start.getTime()) / 1000;
  return { gap, seconds, steps: next.mock.calls.length + previous.mock.calls.length };
}

describe('the longest gap', () => {
  test.each([
    ['* * * * *', 1, MINUTE],
    ['0 2 * * *', DAY, DAY],
    ['0 2 * * 1-5', 25 * HOUR, 3 * DAY], // a weekend
    ['*/10 9-16 * * 1-5', 30 * MINUTE, 2 * DAY + 16 * HOUR + 600], // a weekend and a night
    ['0 9,15 * * *', 7 * HOUR, 18 * HOUR], // a night
    ['0 0 1 * *', 30 * DAY, 31 * DAY], // the longest month
    ['0 0 1 3-12/3 *', 10 * DAY, 92 * DAY], // the longest quarter
    ['0 0 29 2 *', 400 * DAY, 1461 * DAY],
    ['@every 1s', 1, 1],
    ['@every 100h', 90 * HOUR, 100 * HOUR],
    ['@every 2562047h', 1, 2_562_047 * HOUR],
  ])('of %s that takes at least %i s takes %i s', (schedule, atLeast, want) => {
    expect(look(schedule, atLeast).seconds).toBe(want);
    expect(look(schedule, want).seconds).toBe(want);
    expect(look(schedule, want + 1).gap).toBeUndefined();
  });

  test.each([
    ['0 4 * * *', 'the day of the autumn change', DAY, 25 * HOUR],
    ['30 2 * * *', 'the two days when a run is skipped', DAY + 1, 47 * HOUR],
    ['0 */6 * * *', 'the night of the autumn change', 6 * HOUR + 1, 7 * HOUR],
    ['0 2,14 * * *', 'the day when a run is skipped', 13 * HOUR, 23 * HOUR],
  ])('of %s in Berlin is %s', (schedule, _, atLeast, want) => {
    expect(look(schedule, atLeast, { timeZone: 'Europe/Berlin' }).seconds).toBe(want);
  });

  test('has no end when nothing comes within five years after it', () => {
    const now = new Date('2095-01-01T00:00:00Z');
    expect(look('0 0 29 2 *', DAY, { now }).gap).toEqual({ start: new Date('2096-02-29T00:00:00Z') });
  });

  test('is none of a schedule that never fires', () => {
    expect(look('0 0 31 2 *', 1)).toEqual({ gap: undefined, seconds: undefined, steps: 1 });
  });

  test.each([2 ** 53, 2 ** 63])('is never as long as %d s', (atLeast) => {
    expect(look('0 0 29 2 *', atLeast).gap).toBeUndefined();
    expect(look('@every 1s', atLeast).gap).toBeUndefined();
  });
});

/** Finds the longest gap by visiting all slots of the year. */
function longestByWalking(text: string, timeZone: string, now: Date): number {
  const schedule = scheduleOf(text, timeZone);
  const first = schedule.next(now)!;
  let longestMs = 0;
  let slot = first;
  while (slot.getTime() <= first.getTime() + YEAR_MS) {
    const next = schedule.next(slot)!;
    longestMs = Math.max(longestMs, next.getTime() - slot.getTime());
    slot = next;
  }
  return longestMs / 1000;
}

const aField = (min: number, max: number, maxLength: number) =>
  fc
    .uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength })
    .map((values) => values.toSorted((left, right) => left - right).join(','));
const aDayField = (min: number, max: number) => fc.oneof(fc.constant('*'), aField(min, max, 5));
const aSchedule = fc
  .tuple(
    aField(0, 59, 3),
    fc.oneof(fc.constant('*'), aField(0, 23, 12)),
    aDayField(1, 31),
    aDayField(1, 12),
    aDayField(0, 6),
  )
  .filter(([, , day, month]) => month === '*' || /\b([1-9]|1\d|2[0-8])\b|\*/.test(day)) // no leap years
  .map((fields) => fields.join(' '));

test('is the one that a walk over all slots of the year finds, in every zone', () => {
  fc.assert(
    fc.property(
      aSchedule,
      fc.constantFrom(...ZONES),
      fc.date({ min: new Date('2024-01-01'), max: new Date('2028-01-01'), noInvalidDate: true }),
      fc.integer({ min: 1, max: 40 * 24 }),
      (text, timeZone, now, hours) => {
        const want = longestByWalking(text, timeZone, now);
        for (const atLeast of [MINUTE, hours * HOUR, want, want + 1]) {
          expect(look(text, atLeast, { timeZone, now }).seconds).toBe(want >= atLeast ? want : undefined);
        }
      },
    ),
    { numRuns: 60 },
  );
}, 120_000);

const MAX_STEPS = 10_000;

describe('takes a bounded number of steps', () => {
  test.each(['* * * * *', '@every 1s', '0 2 * * 1-5', '0 0 29 2 *', '0-58 * * * *', '* 0-22 * * *', '59 23 31 12 *'])(
    'for %s, whatever is asked',
    (text) => {
      for (const timeZone of ['UTC', 'Europe/Berlin', 'Africa/Casablanca', 'Australia/Lord_Howe']) {
        for (const atLeast of [1, 60, 61, 119, 121, 3601, DAY - 1, DAY, DAY + 1, 400 * DAY, 2 ** 63]) {
          expect(look(text, atLeast, { timeZone }).steps).toBeLessThan(MAX_STEPS);
        }
      }
    },
  );

  test('for any schedule', () => {
    const anyField = (min: number, max: number) =>
      fc.oneof(
        fc.constant('*'),
        fc.integer({ min: 1, max }).map((step) => `*/${step}`),
        aField(min, max, max - min + 1),
      );
    const hostile = fc
      .tuple(anyField(0, 59), anyField(0, 23), anyField(1, 31), anyField(1, 12), anyField(0, 6))
      .map((fields) => fields.join(' '));
    fc.assert(
      fc.property(
        hostile,
        fc.constantFrom(...ZONES),
        fc.integer({ min: 1, max: 2 * DAY }),
        (text, timeZone, atLeast) => {
          expect(look(text, atLeast, { timeZone }).steps).toBeLessThan(MAX_STEPS);
        },
      ),
    );
  });
});
