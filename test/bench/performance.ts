/**
 * Compares this operator with Kubernetes' own controller and with the maximum of the API server: docs/performance.md.
 *
 *     make bench                                                    all scenarios, for an hour or two
 *     npm run bench -- --scenarios burst --n 100,1000               some of them; --help shows all options
 *
 * Needs Linux, and a machine without other work.
 */

import { Progress } from '../../hack/control-plane/progress.ts';
import { provision } from '../../hack/control-plane/provision.ts';
import { formatTable } from '../../hack/docs/markdown.ts';
import { readCommandLine } from '../support/command-line.ts';
import { burst } from './performance/burst.ts';
import { compareRuns, formatRows, listDrivers } from './performance/comparison.ts';
import { writeDocumentation } from './performance/documentation.ts';
import { formatGoals } from './performance/goals.ts';
import { idle, start } from './performance/idle.ts';
import { type BenchOptions, listTrials, parseOptions, USAGE } from './performance/options.ts';
import { waitForQuietMachine } from './performance/quiet-machine.ts';
import { type BenchResults, readEnvironment, readResults, writeResults } from './performance/results.ts';
import type { ScenarioName, Trial, TrialRun } from './performance/run.ts';
import type { Bench } from './performance/session.ts';
import { steady } from './performance/steady.ts';
import { createStopSignal } from './performance/stop-signal.ts';

const SCENARIO_FUNCTIONS: Readonly<Record<ScenarioName, (bench: Bench, trial: Trial) => Promise<TrialRun>>> = {
  burst,
  restart: burst,
  steady,
  idle,
  start,
};

async function main(options: BenchOptions): Promise<void> {
  const results = options.from === undefined ? await measure(options) : await readResults(options.from);
  const all = compareRuns(results.runs);
  const rows = all.flatMap((comparison, index) => {
    const [head = [], ...rest] = formatRows(comparison, listDrivers(results.runs));
    const namedRows = [`${comparison.scenario}, ${comparison.count} CronJobs`, ...head.slice(1)];
    return index === 0 ? [namedRows, ...rest] : [[], namedRows, ...rest];
  });
  console.log(`\n${formatTable(rows)}\n\n${formatTable(formatGoals(all))}`);
  for (const { scenario, count, driver, notes } of results.runs) {
    for (const note of notes) console.log(`${scenario}, ${count} CronJobs, ${driver}: ${note}`);
  }
  if (options.shouldWriteDocs) await writeDocumentation(results);
}

async function measure(options: BenchOptions): Promise<BenchResults> {
  if (process.platform !== 'linux') throw new Error('CPU and memory are read from /proc: run this on Linux');
  const progress = new Progress();
  const { signal } = createStopSignal();
  const binaries = await provision(['kube-controller-manager'], { progress });
  const bench: Bench = { controllerManager: binaries['kube-controller-manager'], progress, signal };
  const { repetitions } = options;
  const trials = listTrials(options);
  const runs: TrialRun[] = [];
  const failed: string[] = [];
  const now = readEnvironment();
  for (let repetition = 0; repetition < repetitions; repetition++) {
    for (const trial of trials) {
      const number = runs.length + failed.length + 1;
      progress.note(`run ${number} of ${trials.length * repetitions}: ${Object.values(trial).join(', ')}`);
      await waitForQuietMachine(progress, signal);
      const run = await SCENARIO_FUNCTIONS[trial.scenario](bench, trial).catch((error: unknown) => {
        if (signal.aborted) throw error;
        failed.push(`${Object.values(trial).join(', ')}: ${error instanceof Error ? error.message : error}`);
        return undefined;
      });
      if (run === undefined) continue;
      runs.push(run);
      const file = await writeResults({ ...now, repetitions, runs }); // after each run, because the next one may fail
      if (runs.length === 1) progress.note(`results: ${file}`);
    }
  }
  for (const failure of failed) console.error(`failed: ${failure}`);
  if (failed.length > 0) process.exitCode = 1;
  return { ...now, repetitions, runs };
}

try {
  await main(readCommandLine('bench', USAGE, parseOptions));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
