/** The command line of `npm run simulate`. */
import { parseArgs } from 'node:util';
import { CRON_JOBS, type Limits, MISHAPS, type Mishap, WHOLE_YEAR } from './limits.ts';

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
  readonly showsHelp: boolean;
}

/** Throws an error that says what to give instead. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      runs: { type: 'string' },
      only: { type: 'string' },
      'cron-jobs': { type: 'string' },
      until: { type: 'string' },
      'no-shrink': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const seed =
    values.seed === undefined ? undefined : wholeNumber('seed', values.seed, { least: 0, most: 2 ** 32 - 1 });
  const most = 1e6;
  return {
    seed,
    runs: values.runs === undefined ? defaultRuns(seed) : wholeNumber('runs', values.runs, { least: 1, most }),
    limits: {
      cronJobs: values['cron-jobs'] === undefined ? WHOLE_YEAR.cronJobs : cronJobNumbers(values['cron-jobs']),
      mishaps: values.only === undefined ? MISHAPS : mishapsNamed(values.only),
      ...(values.until === undefined ? {} : { until: time(values.until) }),
    },
    shrinks: !values['no-shrink'],
    showsHelp: values.help,
  };
}

/** The command that lives through such a year again. */
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

function defaultRuns(seed: number | undefined): number {
  return seed === undefined ? MANY : 1;
}

function wholeNumber(flag: string, text: string, { least, most }: { least: number; most: number }): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most) {
    throw new Error(`--${flag}: "${text}" is not valid: give a whole number from ${least} to ${most}`);
  }
  return value;
}

function cronJobNumbers(text: string): readonly number[] {
  const numbers = text.split(',').map((each) => wholeNumber('cron-jobs', each, { least: 1, most: CRON_JOBS }));
  return [...new Set(numbers)].toSorted((left, right) => left - right);
}

function mishapsNamed(text: string): readonly Mishap[] {
  if (text === NONE) return [];
  const names = text.split(',');
  const unknown = names.find((name) => !MISHAPS.some((mishap) => mishap === name));
  if (unknown !== undefined) {
    throw new Error(`--only: "${unknown}" is not valid: give some of ${MISHAPS.join(', ')}, or ${NONE}`);
  }
  return MISHAPS.filter((mishap) => names.includes(mishap));
}

function time(text: string): Date {
  const instant = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT.*Z$/.test(text) || Number.isNaN(instant.getTime())) {
    throw new Error(`--until: "${text}" is not valid: give a time in UTC, as in 2026-03-29T01:30:00Z`);
  }
  return instant;
}
