import { afterAll, beforeAll } from 'vitest';
import { type Row, saveResults } from './results.ts';
import { Rig, type RigOptions } from './rig.ts';
import { SEED } from './seed.ts';

export interface RigOfFile {
  /** There once the tests run. */
  rig: Rig;
  /** Saved when they are over. */
  readonly rows: Row[];
}

/** One rig for all tests of a file. @param suite The name of its results. */
export function rigOfFile(suite: string, options: RigOptions = {}): RigOfFile {
  const scene = { rows: [] as Row[] } as RigOfFile; // the rig comes before the first test
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
