import fc from 'fast-check';
import { loadTimeZone, TIME_ZONE_NAMES } from 'kubernetes-cron-schedule';
import { describe, expect, test } from 'vitest';
import { longestGap } from './longest-gap.ts';
import { clockChanges, parseSchedule } from './schedule.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
/** Without Factory, of which Intl has no data. */
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

/** Looks for a gap of so many seconds, and counts how often it asks the schedule. */
function look(text: string, atLeastSeconds: number, { timeZone = 'UTC', now = NOW } = {}) {
  const schedule = scheduleOf(text, timeZone);
  let steps = 0;
  const counted = {
    kind: schedule.kind,
    next: (after: Date) => {
      steps++;
      return schedule.next(after);
    },
    previous: (notAfter: Date) => {
      steps++;
      return schedule.previous(notAfter);
    },
  };
  const first = schedule.next(now) ?? now;
  const changes = clockChanges(timeZone, now, new Date(first.getTime() + YEAR_MS));
  const gap = longestGap(counted, atLeastSeconds * 1000, { now, clockChanges: changes });
  const seconds = gap?.until === undefined ? undefined : (gap.until.getTime() - gap.after.getTime()) / 1000;
  return { gap, seconds, steps };
}

const BERLIN = { timeZone: 'Europe/Berlin' };

describe('the longest gap', () => {
  test.each([
    { schedule: '* * * * *', is: 'a minute', atLeast: 1, want: MINUTE },
    { schedule: '0 2 * * *', is: 'a day', atLeast: DAY, want: DAY },
    { schedule: '0 2 * * 1-5', is: 'a weekend', atLeast: 25 * HOUR, want: 3 * DAY },
    {
      schedule: '*/10 9-16 * * 1-5',
      is: 'a weekend and a night',
      atLeast: 30 * MINUTE,
      want: 2 * DAY + 16 * HOUR + 600,
    },
    { schedule: '0 9,15 * * *', is: 'a night', atLeast: 7 * HOUR, want: 18 * HOUR },
    { schedule: '0 0 1 * *', is: 'the longest month', atLeast: 30 * DAY, want: 31 * DAY },
    { schedule: '0 0 1 3-12/3 *', is: 'the longest quarter', atLeast: 10 * DAY, want: 92 * DAY },
    { schedule: '0 0 29 2 *', is: 'four years', atLeast: 400 * DAY, want: 1461 * DAY },
    { schedule: '@every 1s', is: 'what it says', atLeast: 1, want: 1 },
    { schedule: '@every 100h', is: 'what it says', atLeast: 90 * HOUR, want: 100 * HOUR },
    { schedule: '@every 2562047h', is: 'what it says', atLeast: 1, want: 2_562_047 * HOUR },
  ])('of $schedule is $is', ({ schedule, atLeast, want }) => {
    expect(look(schedule, atLeast).seconds).toBe(want);
    expect(look(schedule, want).seconds).toBe(want);
    expect(look(schedule, want + 1).gap).toBeUndefined();
  });

  test.each([
    { schedule: '0 4 * * *', what: 'the day of the autumn change', atLeast: DAY, want: 25 * HOUR },
    { schedule: '30 2 * * *', what: 'the two days when a run is skipped', atLeast: DAY + 1, want: 47 * HOUR },
    { schedule: '0 */6 * * *', what: 'the night of the autumn change', atLeast: 6 * HOUR + 1, want: 7 * HOUR },
    { schedule: '0 2,14 * * *', what: 'the day when a run is skipped', atLeast: 13 * HOUR, want: 23 * HOUR },
  ])('of $schedule in Berlin is $what', ({ schedule, atLeast, want }) => {
    expect(look(schedule, atLeast, BERLIN).seconds).toBe(want);
  });

  test('has no end when nothing comes within five years after it', () => {
    const now = new Date('2095-01-01T00:00:00Z');
    expect(look('0 0 29 2 *', DAY, { now }).gap).toEqual({ after: new Date('2096-02-29T00:00:00Z') });
  });

  test('is none of a schedule that never fires', () => {
    expect(look('0 0 31 2 *', 1)).toEqual({ gap: undefined, seconds: undefined, steps: 1 });
  });

  test.each([2 ** 53, 2 ** 63])('is never as long as %d s', (atLeast) => {
    expect(look('0 0 29 2 *', atLeast).gap).toBeUndefined();
    expect(look('@every 1s', atLeast).gap).toBeUndefined();
  });
});

/** The gaps after all slots of the year, one by one. */
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
  test.each([
    '* * * * *',
    '*/2 * * * *',
    '@every 1s',
    '0 2 * * 1-5',
    '0 0 29 2 *',
    '0-58 * * * *',
    '* 0-22 * * *',
    '59 23 31 12 *',
  ])('for %s, whatever is asked', (text) => {
    for (const timeZone of ['UTC', 'Europe/Berlin', 'Africa/Casablanca', 'Australia/Lord_Howe']) {
      for (const atLeast of [1, 60, 61, 119, 121, 3601, DAY - 1, DAY, DAY + 1, 400 * DAY, 2 ** 63]) {
        expect(look(text, atLeast, { timeZone }).steps).toBeLessThan(MAX_STEPS);
      }
    }
  });

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
