/**
 * Other years for each version of the project: ten in CI, and one elsewhere. The seeds come from the committed files, so that a second run
 * has the same result. A title has the seed, and a failure has the command that repeats the year.
 */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { PROJECT } from '../support/manifests.ts';
import { WHOLE_YEAR } from './limits.ts';
import { formatReport } from './report.ts';
import { simulateYear } from './year.ts';

const YEARS = process.env['CI'] ? 10 : 1;
const TREE = execFileSync('git', ['-C', PROJECT, 'rev-parse', 'HEAD^{tree}'], { encoding: 'utf8' });
const FIRST_SEED = Number.parseInt(TREE.slice(0, 7), 16);
const SEEDS = Array.from({ length: YEARS }, (_, index) => FIRST_SEED + index);
/** Only ends tests that hang: a year takes a minute or two, and ten times as long on a busy machine. */
const YEAR_TIMEOUT_MS = 3_600_000;

test.each(SEEDS)('breaks no rule in the random year of seed %i', { timeout: YEAR_TIMEOUT_MS }, async (seed) => {
  const { violations } = await simulateYear(seed);
  expect(formatReport(seed, WHOLE_YEAR, violations)).toBe('');
});
