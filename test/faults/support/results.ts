/** The tested faults, for docs/reliability.md: `make reliability` writes them there. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT } from '../../support/manifests.ts';
import { IS_FAST } from './extent.ts';

/** How often each policy was exposed to one fault. */
export interface FaultResultRow {
  readonly fault: string;
  /** Number of times that the fault happened. */
  readonly times: number;
  /** Runs that started during the fault and until full recovery, by concurrencyPolicy. */
  readonly runs: Readonly<Record<string, number>>;
  /** Time from the end of the fault until no run was missing, in seconds. */
  readonly recoveredAfterSeconds?: number;
  /** Requests of the manager per second of the fault, including watches. */
  readonly requestsPerSecond?: number;
}

/** The trend of a figure that must not grow: the straight line through its values. */
export interface FaultFigure {
  /** Name with the unit. */
  readonly name: string;
  readonly first: number;
  readonly last: number;
}

export interface FaultResults {
  /** `crash`: the name of the suite. */
  readonly suite: string;
  readonly rows: readonly FaultResultRow[];
  readonly figures?: readonly FaultFigure[];
}

export const RESULTS_FOLDER = join(PROJECT, 'coverage/faults');

/** Does not save a fast run, which tests little. */
export async function saveResults(results: FaultResults): Promise<void> {
  if (IS_FAST) return;
  await mkdir(RESULTS_FOLDER, { recursive: true });
  await writeFile(join(RESULTS_FOLDER, `${results.suite}.json`), `${JSON.stringify(results, undefined, 2)}\n`);
}

/** Number of Jobs of each policy, by the names that the workload gives. */
export function countByPolicy(jobs: readonly { readonly name: string }[]): Readonly<Record<string, number>> {
  const groups = Map.groupBy(jobs, ({ name }) => name.split('-')[0] ?? '');
  return Object.fromEntries([...groups].sort().map(([policy, of]) => [policy, of.length]));
}
