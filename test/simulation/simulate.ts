/** Simulates random years: `npm run simulate -- --help`. Exits 1 when a year has broken a rule, and 2 for invalid flags. */
import { randomInt } from 'node:crypto';
import { readCommandLine } from '../support/command-line.ts';
import { parseOptions, type SimulationOptions, USAGE } from './options.ts';
import { formatReport } from './report.ts';
import { shrink } from './shrink.ts';
import { simulateYear } from './year.ts';

const SHRINK_MS = 120_000;
const FIRST_SEEDS = 1_000_000;

/** The report of the year; empty when it kept every rule. */
async function simulateSeed(seed: number, { limits, shouldShrink }: SimulationOptions): Promise<string> {
  const { violations } = await simulateYear(seed, limits);
  const [violation] = violations;
  if (violation === undefined || !shouldShrink) return formatReport(seed, limits, violations);
  process.stderr.write(`seed ${seed}: broken (${violation.rule}); reducing the year\n`);
  const simulate = async (reducedLimits: typeof limits) => (await simulateYear(seed, reducedLimits)).violations[0];
  const endMs = performance.now() + SHRINK_MS;
  const reduced = await shrink(simulate, { limits, violation }, () => performance.now() < endMs);
  return formatReport(seed, reduced.limits, [reduced.violation]);
}

const options = readCommandLine('simulate', USAGE, parseOptions);
const first = options.seed ?? randomInt(FIRST_SEEDS);
let brokenYears = 0;
for (let seed = first; seed < first + options.runs; seed++) {
  const text = await simulateSeed(seed, options);
  process.stdout.write(text === '' ? `seed ${seed}: no rule broken\n` : `${text}\n\n`);
  if (text !== '') brokenYears++;
}
process.stdout.write(`${options.runs} years from seed ${first} on, ${brokenYears} broke a rule\n`);
process.exitCode = brokenYears > 0 ? 1 : 0;
