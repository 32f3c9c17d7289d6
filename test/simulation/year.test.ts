/** Years of random CronJobs with random faults, checked against the rules of a reconcile. `npm run simulate` runs other years. */
import { expect, test } from 'vitest';
import { EFFECTS } from './effects.ts';
import { WHOLE_YEAR } from './limits.ts';
import { formatReport } from './report.ts';
import { simulateYear, type Year } from './year.ts';

/** Years that together contain some of every fault, in the least time. The same in every run. */
const FIXED_SEEDS = [5005, 5009, 7005];
/** Only ends tests that hang: a year takes seconds, and much longer on a busy machine. */
const YEAR_TIMEOUT_MS = 3_600_000;

const years = new Map<number, Promise<Year>>();

function getYear(seed: number): Promise<Year> {
  const year = years.get(seed) ?? simulateYear(seed);
  years.set(seed, year);
  return year;
}

test.each(FIXED_SEEDS)('a simulated year breaks no rule: seed %i', { timeout: YEAR_TIMEOUT_MS }, async (seed) => {
  const year = await getYear(seed);
  expect(formatReport(seed, WHOLE_YEAR, year.violations)).toBe('');
});

// A year without activity would keep every rule.
test.each(FIXED_SEEDS)(
  'the year of seed %i has enough reconciles, runs and faults',
  { timeout: YEAR_TIMEOUT_MS },
  async (seed) => {
    const year = await getYear(seed);
    const { reconciles, slotRuns, removals, statusWrites, deaths, rests, promptSlots, repeatedReconciles } =
      year.counts;
    const leastActivity = Math.min(
      reconciles / 20,
      slotRuns,
      removals,
      statusWrites / 5,
      deaths / 2,
      rests / 5,
      promptSlots,
      repeatedReconciles,
    );
    expect(leastActivity).toBeGreaterThan(10);
  },
);

test('the fixed years contain every fault', { timeout: FIXED_SEEDS.length * YEAR_TIMEOUT_MS }, async () => {
  const allYears = await Promise.all(FIXED_SEEDS.map(getYear));
  const missing = EFFECTS.filter((effect) => allYears.every(({ faults }) => !faults.has(effect)));
  expect(missing).toEqual([]);
});
