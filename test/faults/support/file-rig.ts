import { afterAll, beforeAll } from 'vitest';
import { type FaultResultRow, saveResults } from './results.ts';
import { Rig, type RigOptions } from './rig.ts';
import { SEED } from './seed.ts';

export interface FileRig {
  /** Available once the tests run. */
  rig: Rig;
  /** Saved after the tests. */
  readonly rows: FaultResultRow[];
}

/** One rig for all tests of a file. @param suite Name of its results. */
export function createFileRig(suite: string, options: RigOptions = {}): FileRig {
  const scene = { rows: [] as FaultResultRow[] } as FileRig; // the rig is set before the first test
  beforeAll(async () => {
    console.info(`FAULTS_SEED=${SEED}`);
    scene.rig = await Rig.open(options);
  });
  afterAll(async () => {
    await saveResults({ suite, rows: scene.rows });
    await scene.rig[Symbol.asyncDispose]();
  });
  return scene;
}
