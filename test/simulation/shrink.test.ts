import { expect, test } from 'vitest';
import { FAULT_KINDS, type Limits, WHOLE_YEAR } from './limits.ts';
import { normalizeRule, shrink } from './shrink.ts';

const DAY_MS = 86_400_000;
const violation = (rule: string, day = 100) => ({ key: 'red/cron-4', rule, at: new Date(day * DAY_MS), journal: [] });
const always = () => true;

test('reduces to the necessary CronJob and kinds of faults', async () => {
  const attempts: Limits[] = [];
  const simulate = async (limits: Limits) => {
    attempts.push(limits);
    const isBroken = limits.faultKinds.includes('cuts') && limits.faultKinds.includes('hangs');
    return isBroken ? violation('no slot starts twice', 50 + limits.faultKinds.length) : undefined;
  };
  const result = await shrink(simulate, { limits: WHOLE_YEAR, violation: violation('no slot starts twice') }, always);
  expect(result).toMatchObject({ limits: { cronJobs: [4], faultKinds: ['cuts', 'hangs'] }, isComplete: true });
  expect(result.limits.until).toEqual(new Date(52 * DAY_MS));
  // Each attempt ends where the best one did.
  expect(Math.max(...attempts.map(({ until }) => Number(until)))).toBe(100 * DAY_MS);
});

test('keeps the other necessary CronJobs, and ignores another rule', async () => {
  const simulate = async ({ cronJobs }: Limits) =>
    cronJobs.includes(2) ? violation('the first rule (17)') : violation('another rule');
  const result = await shrink(simulate, { limits: WHOLE_YEAR, violation: violation('the first rule (3)') }, always);
  expect(result.limits).toMatchObject({ cronJobs: [2, 4], faultKinds: [] });
  expect(result.violation.rule).toBe('the first rule (17)');
});

test('returns the best result when the time is over', async () => {
  let tries = 0;
  const simulate = async () => undefined;
  const result = await shrink(simulate, { limits: WHOLE_YEAR, violation: violation('a rule') }, () => tries++ < 2);
  expect(result.isComplete).toBe(false);
  expect(result.limits).toMatchObject({ cronJobs: WHOLE_YEAR.cronJobs, faultKinds: FAULT_KINDS });
});

test('normalizes a rule by removing times, names and numbers', () => {
  expect(normalizeRule({ rule: 'without faults a slot starts at once (2026-01-01T00:00:00.000Z)' })).toBe(
    normalizeRule({ rule: 'without faults a slot starts at once (2027-01-01T00:00:00.000Z)' }),
  );
  expect(normalizeRule({ rule: 'cron-1-12 has Failed' })).toBe(normalizeRule({ rule: 'cron-2-13 has Failed' }));
});
