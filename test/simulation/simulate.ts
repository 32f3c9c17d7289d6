/** Simulates random years: `npm run simulate -- --help`. Exits 1 when a year has broken a rule, and 2 for invalid flags. */
import { randomInt } from 'node:crypto';
import { readCommandLine } from '../support/command-line.ts';
import { type Options, parseOptions, USAGE } from './options.ts';
import { report } from './report.ts';
import { shrink } from './shrink.ts';
import { liveThrough } from './year.ts';

const SHRINK_MS = 120_000;
const FIRST_SEEDS = 1_000_000;

/** The report of the year; empty when it kept every rule. */
async function judge(seed: number, { limits, shrinks }: Options): Promise<string> {
  const { violations } = await liveThrough(seed, limits);
  const [violation] = violations;
  if (violation === undefined || !shrinks) return report(seed, limits, violations);
  process.stderr.write(`seed ${seed}: broken (${violation.rule}); looking for less that breaks it\n`);
  const live = async (less: typeof limits) => (await liveThrough(seed, less)).violations[0];
  const endMs = performance.now() + SHRINK_MS;
  const shrunk = await shrink(live, { limits, violation }, () => performance.now() < endMs);
  return report(seed, shrunk.limits, [shrunk.violation]);
}

const options = readCommandLine('simulate', USAGE, parseOptions);
const first = options.seed ?? randomInt(FIRST_SEEDS);
let brokenYears = 0;
for (let seed = first; seed < first + options.runs; seed++) {
  const text = await judge(seed, options);
  process.stdout.write(text === '' ? `seed ${seed}: every rule kept\n` : `${text}\n\n`);
  if (text !== '') brokenYears++;
}
process.stdout.write(`${options.runs} years from seed ${first} on, ${brokenYears} of them broke a rule\n`);
process.exitCode = brokenYears > 0 ? 1 : 0;
