/** Other years in each run: ten in CI, and one elsewhere. A title has the seed, and a failure has the command that repeats the year. */
import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { WHOLE_YEAR } from './limits.ts';
import { formatReport } from './report.ts';
import { simulateYear } from './year.ts';

const YEARS = process.env['CI'] ? 10 : 1;
const FIRST_SEED = randomInt(2 ** 31);
const SEEDS = Array.from({ length: YEARS }, (_, index) => FIRST_SEED + index);
/** Only ends tests that hang: a year takes seconds, and much longer on a busy machine. */
const YEAR_TIMEOUT_MS = 600_000;

test.each(SEEDS)('breaks no rule in the random year of seed %i', { timeout: YEAR_TIMEOUT_MS }, async (seed) => {
  const { violations } = await simulateYear(seed);
  expect(formatReport(seed, WHOLE_YEAR, violations)).toBe('');
});
