/** One fault after another: tries, searches, and says what came of it. */
import type { PlantedFault } from './patches.ts';
import type { FoundBy } from './records.ts';
import type { PlantedResult } from './results.ts';
import type { Suite } from './suites.ts';
import { commandLineOf, type Trial, type Trials } from './trials.ts';

export interface RoundsOptions {
  readonly trials: Pick<Trials, 'try' | 'trySmallest'>;
  readonly suites: Readonly<Record<string, Pick<Suite, 'title' | 'parts'>>>;
  readonly records: ReadonlyMap<string, readonly FoundBy[]>;
  readonly searches: boolean;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The last line says how many were found. */
export async function tryAll(
  faults: readonly PlantedFault[],
  options: RoundsOptions,
): Promise<readonly PlantedResult[]> {
  const { say, signal } = options;
  const results: PlantedResult[] = [];
  for (const [index, fault] of faults.entries()) {
    if (signal.aborted) break;
    say(`${index + 1} of ${faults.length}: ${fault.name}`);
    const result = await tryOne(fault, options);
    if (!signal.aborted) results.push(result);
  }
  const missing = results.filter(({ foundBy }) => foundBy === undefined).map(({ name }) => name);
  if (missing.length > 0) say(`not found: ${missing.join(', ')}`);
  say(`${results.length - missing.length} of ${faults.length} planted faults were found`);
  return results;
}

async function tryOne(fault: PlantedFault, options: RoundsOptions): Promise<PlantedResult> {
  const { name, fault: text } = fault;
  const { records, suites, searches, trials, say } = options;
  const recorded = records.get(name) ?? [];
  if (recorded.length === 0) say('  NOT FOUND: no suite is recorded for it');
  const tried: Trial[] = [];
  for (const record of recorded) tried.push(told(await trials.try(fault, record), record, say));
  // The first one that does not find it, if any.
  let trial = tried.find(({ kind }) => kind !== 'Found') ?? tried[0];
  if (trial?.kind !== 'Found' && searches) trial = await search(fault, options);
  if (trial?.kind !== 'Found') return { name, fault: text };
  return { name, fault: text, foundBy: suites[trial.by.suite]?.title ?? trial.by.suite, failure: trial.failure };
}

/** Tries all suites, those that come first in the table first. */
async function search(fault: PlantedFault, options: RoundsOptions): Promise<Trial | undefined> {
  const { suites, trials, say, signal } = options;
  for (const [suite, { parts }] of Object.entries(suites)) {
    for (const part of parts) {
      if (signal.aborted) return undefined;
      const by = { suite, part: [...part], env: {} };
      const trial = told(await trials.trySmallest(fault, by), by, say);
      if (trial.kind !== 'Found') continue;
      say(`  to be recorded: ${recordLine(fault.name, trial.by)}`);
      return trial;
    }
  }
  return undefined;
}

function told(trial: Trial, by: FoundBy, say: (line: string) => void): Trial {
  switch (trial.kind) {
    case 'Found':
      say(`  found by ${commandLineOf(trial.by)} after ${trial.seconds} s: ${trial.failure}`);
      break;
    case 'NotFound':
      say(`  NOT FOUND by ${commandLineOf(by)} (${trial.seconds} s)`);
      break;
    default:
      say(`  ERROR with ${commandLineOf(by)}: ${trial.reason}`);
  }
  return trial;
}

function recordLine(name: string, { suite, part, env }: FoundBy): string {
  const record = { suite, ...(part.length > 0 && { part }), ...(Object.keys(env).length > 0 && { env }) };
  return `${JSON.stringify(name)}: ${JSON.stringify(record)}`;
}
