/** Which suite found which fault, for docs/reliability.md. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RESULTS_FOLDER } from '../../test/faults/support/results.ts';

/** Beside those of the suites themselves. */
export const PLANTED_RESULTS = join(RESULTS_FOLDER, 'planted.json');

export interface PlantedResult {
  /** Of the fault. */
  readonly name: string;
  /** What was changed, in one sentence. */
  readonly fault: string;
  /** The title of the suite; absent when no suite has found it. */
  readonly foundBy?: string;
  /** What the suite said. */
  readonly failure?: string;
}

/** Empty when there are none. */
export function readPlantedResults(path: string): readonly PlantedResult[] {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : [];
}

/** Takes the place of older results of the same faults. @param names All faults: of others no result is kept. */
export function savePlantedResults(path: string, results: readonly PlantedResult[], names: readonly string[]): void {
  const byName = new Map([...readPlantedResults(path), ...results].map((result) => [result.name, result]));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    `${JSON.stringify(
      names.flatMap((name) => byName.get(name) ?? []),
      undefined,
      2,
    )}\n`,
  );
}
