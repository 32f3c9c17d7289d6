import { expect, test } from 'vitest';
import { type Limits, MISHAPS, WHOLE_YEAR } from './limits.ts';
import { lawOf, shrink } from './shrink.ts';

const DAY_MS = 86_400_000;
const violation = (rule: string, day = 100) => ({ key: 'red/cron-4', rule, at: new Date(day * DAY_MS), journal: [] });
const always = () => true;

test('is left with the one CronJob and the kinds of trouble that it takes', async () => {
  const tried: Limits[] = [];
  const live = async (limits: Limits) => {
    tried.push(limits);
    const isBroken = limits.mishaps.includes('cuts') && limits.mishaps.includes('hangs');
    return isBroken ? violation('no slot is started twice', 50 + limits.mishaps.length) : undefined;
  };
  const shrunk = await shrink(live, { limits: WHOLE_YEAR, violation: violation('no slot is started twice') }, always);
  expect(shrunk).toMatchObject({ limits: { cronJobs: [4], mishaps: ['cuts', 'hangs'] }, isComplete: true });
  expect(shrunk.limits.until).toEqual(new Date(52 * DAY_MS));
  // Each attempt ends where the best one did.
  expect(Math.max(...tried.map(({ until }) => Number(until)))).toBe(100 * DAY_MS);
});

test('keeps the other CronJobs that it takes, and does not go after another law', async () => {
  const live = async ({ cronJobs }: Limits) =>
    cronJobs.includes(2) ? violation('the first law (17)') : violation('another law');
  const shrunk = await shrink(live, { limits: WHOLE_YEAR, violation: violation('the first law (3)') }, always);
  expect(shrunk.limits).toMatchObject({ cronJobs: [2, 4], mishaps: [] });
  expect(shrunk.violation.rule).toBe('the first law (17)');
});

test('ends when the time is over, with what it has', async () => {
  let tries = 0;
  const live = async () => undefined;
  const shrunk = await shrink(live, { limits: WHOLE_YEAR, violation: violation('a law') }, () => tries++ < 2);
  expect(shrunk.isComplete).toBe(false);
  expect(shrunk.limits).toMatchObject({ cronJobs: WHOLE_YEAR.cronJobs, mishaps: MISHAPS });
});

test('a law is a rule without times, names and numbers', () => {
  expect(lawOf({ rule: 'in peace a slot starts at once (2026-01-01T00:00:00.000Z)' })).toBe(
    lawOf({ rule: 'in peace a slot starts at once (2027-01-01T00:00:00.000Z)' }),
  );
  expect(lawOf({ rule: 'cron-1-12 has Failed' })).toBe(lawOf({ rule: 'cron-2-13 has Failed' }));
});
