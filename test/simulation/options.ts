/** The command line of `npm run simulate`. */
import { parseArgs } from 'node:util';
import { parseChoices, parseWholeNumber } from '../support/command-line.ts';
import { CRON_JOBS, FAULT_KINDS, type Limits, WHOLE_YEAR } from './limits.ts';

const DEFAULT_RUNS = 100;

export const USAGE = `Usage: npm run simulate -- [options]

Simulate random years of CronJobs, and check every rule. A year that breaks a rule is reduced to a smaller one that still breaks it.

  --seed N             Seed of the first year (default: random).
  --runs N             Number of years, from that seed on (default: ${DEFAULT_RUNS}, or 1 with --seed).
  --only KINDS         Kinds of faults to simulate: ${FAULT_KINDS.join(',')}; or none (default: all).
  --cron-jobs NUMBERS  CronJobs to simulate, from 1 to ${CRON_JOBS}, such as 2,5 (default: all).
  --until TIME         Time of the end, such as 2026-03-29T01:30:00Z (default: a year; a broken rule ends it earlier).
  --no-shrink          Do not reduce a year that breaks a rule.
  --help               Print this help.`;

export interface SimulationOptions {
  /** `undefined`: random. */
  readonly seed: number | undefined;
  readonly runs: number;
  readonly limits: Limits;
  readonly shouldShrink: boolean;
}

/** Throws an error that names the valid values. */
export function parseOptions(args: readonly string[]): SimulationOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      runs: { type: 'string' },
      only: { type: 'string', default: FAULT_KINDS.join(',') },
      'cron-jobs': { type: 'string', default: WHOLE_YEAR.cronJobs.join(',') },
      until: { type: 'string' },
      'no-shrink': { type: 'boolean', default: false },
    },
  });
  const seed = values.seed === undefined ? undefined : parseWholeNumber('seed', values.seed, [0, 2 ** 32 - 1]);
  const only: readonly string[] = parseChoices('only', values.only, [...FAULT_KINDS, NONE]);
  const numbers = values['cron-jobs'].split(',').map((each) => parseWholeNumber('cron-jobs', each, [1, CRON_JOBS]));
  return {
    seed,
    runs: parseWholeNumber('runs', values.runs ?? String(seed === undefined ? DEFAULT_RUNS : 1)),
    limits: {
      cronJobs: [...new Set(numbers)].toSorted((left, right) => left - right),
      faultKinds: FAULT_KINDS.filter((kind) => only.includes(kind)),
      ...(values.until === undefined ? {} : { until: parseTime(values.until) }),
    },
    shouldShrink: !values['no-shrink'],
  };
}

/** The command that repeats such a year. */
export function formatCommand(seed: number, { cronJobs, faultKinds, until }: Limits): string {
  const isAll = cronJobs.length === WHOLE_YEAR.cronJobs.length;
  return [
    `npm run simulate -- --seed ${seed}`,
    ...(isAll ? [] : [`--cron-jobs ${cronJobs.join(',')}`]),
    ...(faultKinds.length === FAULT_KINDS.length ? [] : [`--only ${faultKinds.join(',') || NONE}`]),
    ...(until === undefined ? [] : [`--until ${until.toISOString()}`]),
  ].join(' ');
}

const NONE = 'none';

function parseTime(text: string): Date {
  const instant = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT.*Z$/.test(text) || Number.isNaN(instant.getTime())) {
    throw new Error(`--until: "${text}" is not valid: give a time in UTC, such as 2026-03-29T01:30:00Z`);
  }
  return instant;
}
