/** Other years in each run: ten in CI, and one elsewhere. A title has the seed, and a failure has the command that repeats the year. */
import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { WHOLE_YEAR } from './limits.ts';
import { report } from './report.ts';
import { liveThrough } from './year.ts';

const YEARS = process.env['CI'] ? 10 : 1;
const FIRST_SEED = randomInt(2 ** 31);
const SEEDS = Array.from({ length: YEARS }, (_, index) => FIRST_SEED + index);
/** Only ends tests that hang: a year takes seconds, and much longer on a busy machine. */
const YEAR_TIMEOUT_MS = 600_000;

test.each(SEEDS)('keeps every rule through the random year of seed %i', { timeout: YEAR_TIMEOUT_MS }, async (seed) => {
  const { violations } = await liveThrough(seed);
  expect(report(seed, WHOLE_YEAR, violations)).toBe('');
});
