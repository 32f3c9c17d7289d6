/** The command line of the benchmark. */
import { parseArgs } from 'node:util';
import { parseChoices, parseWholeNumber } from '../../support/command-line.ts';
import { DRIVER_NAMES, type DriverName } from './drivers.ts';
import { SCENARIO_NAMES, type ScenarioName, type Trial } from './run.ts';

export const USAGE = `Usage: make bench ARGS="[options]"  or  npm run bench -- [options]

  --scenarios ${SCENARIO_NAMES.join(',')}  Scenarios to run (default: all).
  --n 100,1000,5000,10000                  Numbers of CronJobs. Scenarios other than burst use one of them: 1,000 or the next lower one.
  --reps 3                                 Number of repetitions; the tables show medians (default: 1).
  --drivers ${DRIVER_NAMES.join(',')}            Drivers to compare (default: all).
  --from FILE                              Print stored results instead of running the benchmark.
  --write-docs                             Write the tables of docs/performance.md.`;

export interface BenchOptions {
  readonly scenarios: readonly ScenarioName[];
  readonly counts: readonly number[];
  readonly repetitions: number;
  readonly drivers: readonly DriverName[];
  /** Path of the results. */
  readonly from: string | undefined;
  readonly shouldWriteDocs: boolean;
}

/** Throws an error that names the valid values. */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      scenarios: { type: 'string', default: SCENARIO_NAMES.join(',') },
      n: { type: 'string', default: '100,1000,5000,10000' },
      reps: { type: 'string', default: '1' },
      drivers: { type: 'string', default: DRIVER_NAMES.join(',') },
      from: { type: 'string' },
      'write-docs': { type: 'boolean', default: false },
    },
  });
  return {
    scenarios: parseChoices('scenarios', values.scenarios, SCENARIO_NAMES),
    counts: values.n.split(',').map((text) => parseWholeNumber('n', text)),
    repetitions: parseWholeNumber('reps', values.reps),
    drivers: parseChoices('drivers', values.drivers, DRIVER_NAMES),
    from: values.from,
    shouldWriteDocs: values['write-docs'],
  };
}

/** CronJobs in the scenarios other than burst: they run long, so their ratios hardly depend on the number. */
const DEFAULT_COUNT = 1000;
const WITHOUT_RAW: ReadonlySet<ScenarioName> = new Set(['steady', 'restart']);

/** All trials, each once; trials to compare run right after each other. */
export function listTrials({
  scenarios,
  counts,
  drivers,
}: Pick<BenchOptions, 'scenarios' | 'counts' | 'drivers'>): readonly Trial[] {
  const sorted = counts.toSorted((left, right) => left - right);
  const usual = sorted.findLast((count) => count <= DEFAULT_COUNT) ?? sorted[0] ?? DEFAULT_COUNT;
  return scenarios.flatMap((scenario) => {
    const selectedDrivers = drivers.filter((driver) => driver !== 'raw' || !WITHOUT_RAW.has(scenario));
    const sizes = scenario === 'burst' ? sorted : [usual];
    return sizes.flatMap((count) => selectedDrivers.map((driver) => ({ scenario, count, driver })));
  });
}
