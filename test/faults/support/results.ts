/** What was tried, for docs/reliability.md: `make reliability` writes it there. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT } from '../../support/manifests.ts';
import { IS_FAST } from './extent.ts';

/** How often each policy was exposed to one fault. */
export interface Row {
  readonly fault: string;
  /** How often the fault came. */
  readonly times: number;
  /** Runs that were started while it lasted and until everything was well again, by concurrencyPolicy. */
  readonly runs: Readonly<Record<string, number>>;
  /** From the end of the fault until nothing was missing, in seconds. */
  readonly recoveredAfterSeconds?: number;
  /** Requests of the manager in each second of the fault, watches included. */
  readonly requestsPerSecond?: number;
}

/** What must not grow: the straight line through what was seen. */
export interface Figure {
  /** With its unit. */
  readonly name: string;
  readonly first: number;
  readonly last: number;
}

export interface Results {
  /** `crash`: the name of the suite. */
  readonly suite: string;
  readonly rows: readonly Row[];
  readonly figures?: readonly Figure[];
}

export const RESULTS_FOLDER = join(PROJECT, 'coverage/faults');

/** Not of a fast run, which tries little. */
export async function saveResults(results: Results): Promise<void> {
  if (IS_FAST) return;
  await mkdir(RESULTS_FOLDER, { recursive: true });
  await writeFile(join(RESULTS_FOLDER, `${results.suite}.json`), `${JSON.stringify(results, undefined, 2)}\n`);
}

/** How many Jobs each policy had, by the names that the workload gives. */
export function byPolicy(jobs: readonly { readonly name: string }[]): Readonly<Record<string, number>> {
  const groups = Map.groupBy(jobs, ({ name }) => name.split('-')[0] ?? '');
  return Object.fromEntries([...groups].sort().map(([policy, of]) => [policy, of.length]));
}
