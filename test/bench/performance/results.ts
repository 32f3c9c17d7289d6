/** The stored results of one invocation of the benchmark, and its environment. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { ETCD_VERSION, KUBERNETES_VERSION } from '../../../hack/control-plane/versions.ts';
import { getRevision } from '../../../hack/image/revision.ts';
import type { TrialRun } from './run.ts';

const FOLDER = 'bench-results';

export interface BenchResults {
  /** RFC 3339. */
  readonly startedAt: string;
  readonly commit: string;
  readonly machine: string;
  readonly versions: string;
  readonly repetitions: number;
  readonly runs: readonly TrialRun[];
}

/** The environment of this invocation. */
export function readEnvironment(): Omit<BenchResults, 'runs' | 'repetitions'> {
  const processors = cpus();
  const gib = Math.round(totalmem() / 2 ** 30);
  return {
    startedAt: new Date().toISOString(),
    commit: getRevision(join(import.meta.dirname, '../../..')) || 'unknown',
    machine: `${processors.length} × ${processors[0]?.model.trim()}, ${gib} GiB, Linux ${release()}`,
    versions: `Kubernetes ${KUBERNETES_VERSION}, etcd ${ETCD_VERSION}, Node ${process.versions.node}`,
  };
}

/** Writes the results into a file named after their time; resolves to its path. */
export async function writeResults(results: BenchResults): Promise<string> {
  await mkdir(FOLDER, { recursive: true });
  const file = join(FOLDER, `${results.startedAt.replaceAll(/[:.]/g, '-')}.json`);
  await writeFile(file, `${JSON.stringify(results)}\n`);
  return file;
}

export async function readResults(file: string): Promise<BenchResults> {
  return JSON.parse(await readFile(file, 'utf8')); // writeResults wrote it
}
