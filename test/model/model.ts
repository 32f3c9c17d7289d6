/**
 * `npm run model`: each policy and scenario in a separate worker, as many at a time as there are processors. Exits 1 when a law is broken.
 */
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { readCommandLine } from '../support/command-line.ts';
import { type Exploration, explore } from './explore.ts';
import { type ModelTask, parseOptions, USAGE } from './options.ts';
import { initialState } from './state.ts';

/** Heap for the states of a level, and for the keys of the visited states: some kilobytes each. */
const HEAP_MB = 8_000;

async function exploreInWorker(task: ModelTask): Promise<Exploration> {
  const resourceLimits = { maxOldGenerationSizeMb: HEAP_MB };
  const worker = new Worker(new URL(import.meta.url), { workerData: task, resourceLimits });
  return await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

function formatReport({ name }: ModelTask, result: Exploration, seconds: number): string {
  const { states, steps, depth, violation, isComplete } = result;
  const outcome = violation ? 'BROKEN' : isComplete ? 'complete' : 'incomplete, stopped at the limit';
  const counts = `${name}: ${states} states, ${steps} steps, depth ${depth}, ${seconds.toFixed(1)} s: ${outcome}`;
  if (violation === undefined) return counts;
  const story = violation.story.map((description, index) => `  ${index}. ${description}`);
  return [counts, ...story, ...violation.faults.map((fault) => `  => ${fault}`)].join('\n');
}

async function exploreAll(tasks: readonly ModelTask[]): Promise<readonly Exploration[]> {
  const queue = [...tasks];
  const results: Exploration[] = [];
  const worker = async () => {
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
      const startedMs = performance.now();
      const result = await exploreInWorker(task);
      console.log(formatReport(task, result, (performance.now() - startedMs) / 1000));
      results.push(result);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return results;
}

async function main(tasks: readonly ModelTask[]): Promise<void> {
  const results = await exploreAll(tasks);
  const brokenCount = results.filter(({ violation }) => violation !== undefined).length;
  const states = results.reduce((sum, each) => sum + each.states, 0);
  console.log(`${states} states, ${brokenCount} of ${tasks.length} explorations broke a law`);
  process.exitCode = brokenCount > 0 ? 1 : 0;
}

if (isMainThread) {
  await main(readCommandLine('model', USAGE, parseOptions));
} else {
  Error.stackTraceLimit = 0; // thousands of calls fail
  const { scenario, maxStates } = workerData as ModelTask;
  parentPort?.postMessage(await explore(initialState(scenario), { maxStates }));
}
