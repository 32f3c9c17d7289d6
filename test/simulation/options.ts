/** The command line of `npm run simulate`. */
import { parseArgs } from 'node:util';
import { someOf, wholeNumber } from '../support/command-line.ts';
import { CRON_JOBS, type Limits, MISHAPS, WHOLE_YEAR } from './limits.ts';

const MANY = 100;

export const USAGE = `Usage: npm run simulate -- [options]

Lives through random years of CronJobs, and checks every rule. A year that breaks a rule is cut down to what still breaks it.

  --seed N             The first year. Default: random.
  --runs N             How many years, from that seed on. Default: ${MANY}, or 1 with --seed.
  --only MISHAPS       Only these kinds of trouble: ${MISHAPS.join(',')}; or none.
  --cron-jobs NUMBERS  Only these CronJobs of the year, of 1 to ${CRON_JOBS}: 2,5.
  --until TIME         Ends then, as in 2026-03-29T01:30:00Z. Default: after a year, or with the first broken rule.
  --no-shrink          Does not cut down a year that breaks a rule.
  --help               Shows this.`;

export interface Options {
  /** `undefined`: random. */
  readonly seed: number | undefined;
  readonly runs: number;
  readonly limits: Limits;
  readonly shrinks: boolean;
}

/** Throws an error that names the valid values. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      runs: { type: 'string' },
      only: { type: 'string', default: MISHAPS.join(',') },
      'cron-jobs': { type: 'string', default: WHOLE_YEAR.cronJobs.join(',') },
      until: { type: 'string' },
      'no-shrink': { type: 'boolean', default: false },
    },
  });
  const seed = values.seed === undefined ? undefined : wholeNumber('seed', values.seed, [0, 2 ** 32 - 1]);
  const only: readonly string[] = someOf('only', values.only, [...MISHAPS, NONE]);
  const numbers = values['cron-jobs'].split(',').map((each) => wholeNumber('cron-jobs', each, [1, CRON_JOBS]));
  return {
    seed,
    runs: wholeNumber('runs', values.runs ?? String(seed === undefined ? MANY : 1)),
    limits: {
      cronJobs: [...new Set(numbers)].toSorted((left, right) => left - right),
      mishaps: MISHAPS.filter((mishap) => only.includes(mishap)),
      ...(values.until === undefined ? {} : { until: time(values.until) }),
    },
    shrinks: !values['no-shrink'],
  };
}

/** The command that repeats such a year. */
export function commandOf(seed: number, { cronJobs, mishaps, until }: Limits): string {
  const isAll = cronJobs.length === WHOLE_YEAR.cronJobs.length;
  return [
    `npm run simulate -- --seed ${seed}`,
    ...(isAll ? [] : [`--cron-jobs ${cronJobs.join(',')}`]),
    ...(mishaps.length === MISHAPS.length ? [] : [`--only ${mishaps.join(',') || NONE}`]),
    ...(until === undefined ? [] : [`--until ${until.toISOString()}`]),
  ].join(' ');
}

const NONE = 'none';

function time(text: string): Date {
  const instant = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT.*Z$/.test(text) || Number.isNaN(instant.getTime())) {
    throw new Error(`--until: "${text}" is not valid: give a time in UTC, as in 2026-03-29T01:30:00Z`);
  }
  return instant;
}
