/** The suites that are to find the planted faults, the cheapest first. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EndedRun } from './bounded-run.ts';
import { type Finding, findingOfModel, findingOfSimulation, findingOfVitest } from './findings.ts';

/** A part of a suite: what comes behind its command. */
export type Part = readonly string[];

export interface Suite {
  /** For people. */
  readonly title: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** It starts the manager that `npm run build` makes. */
  readonly needsBundle: boolean;
  readonly timeoutMs: number;
  /** What a search tries. */
  readonly parts: readonly Part[];
  /** Called before a run in `folder`. */
  readonly prepare?: (folder: string) => void;
  readonly judge: (run: EndedRun, folder: string) => Finding;
  /** The part that has only this test. */
  readonly partOf?: (test: string) => Part;
}

const MINUTE_MS = 60_000;
const REPORT = 'coverage/planted-report.json';
/** So that each run of a suite breaks the same things. */
const FAULTS_SEED = '1';

interface VitestSuite {
  readonly title: string;
  readonly project: 'envtest' | 'faults' | 'soak';
  readonly file: string;
  readonly minutes: number;
  readonly needsBundle?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

function ofVitest({ title, project, file, minutes, needsBundle = true, env = {} }: VitestSuite): Suite {
  const report = (folder: string) => join(folder, REPORT);
  return {
    title,
    command: ['vitest', 'run', '--project', project, '--bail=1', '--reporter=json', `--outputFile=${REPORT}`, file],
    env: { FAULTS_SEED, ...(project === 'faults' && { FAULTS: '1' }), ...env },
    needsBundle,
    timeoutMs: minutes * MINUTE_MS,
    parts: [[]],
    prepare: (folder) => rmSync(report(folder), { force: true }),
    judge: (run, folder) => findingOfVitest(run, report(folder)),
    partOf: (test) => ['-t', `^${test.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`],
  };
}

const envtest = (title: string, file: string) =>
  ofVitest({ title, project: 'envtest', file: `test/envtest/${file}`, minutes: 10 });

const faults = (title: string, file: string, minutes: number) =>
  ofVitest({ title, project: 'faults', file: `test/faults/${file}`, minutes });

/** By the name that records have. */
export const SUITES: Readonly<Record<string, Suite>> = {
  model: {
    title: 'model',
    command: ['node', 'test/model/model.ts'],
    env: { TZ: 'UTC' },
    needsBundle: false,
    timeoutMs: 20 * MINUTE_MS,
    parts: [['--max-states', '20000']],
    judge: findingOfModel,
  },
  simulation: {
    title: 'simulation',
    command: ['node', 'test/simulation/simulate.ts', '--no-shrink'],
    env: { TZ: 'UTC' },
    needsBundle: false,
    timeoutMs: 10 * MINUTE_MS,
    parts: [5003, 5000, 5005, 5009, 6000, 6010].map((seed) => ['--seed', `${seed}`]),
    judge: findingOfSimulation,
  },
  'stored-objects': envtest('stored objects', 'stored-objects.test.ts'),
  restore: envtest('restore', 'restore.test.ts'),
  'hostile-inputs': ofVitest({
    title: 'hostile inputs',
    project: 'faults',
    file: 'test/faults/hostile/in-process.test.ts',
    minutes: 30,
    needsBundle: false,
  }),
  'hostile-servers': faults('hostile inputs, real servers', 'hostile/real-servers.test.ts', 30),
  memory: faults('memory', 'memory.test.ts', 10),
  credentials: faults('credentials', 'credentials.test.ts', 10),
  beside: faults('faults that take minutes', 'beside.test.ts', 20),
  'leader-election': faults('leader election', 'leader-election.test.ts', 30),
  'api-server': faults('faults of the API server', 'api-server.test.ts', 30),
  crash: faults('crash', 'crash.test.ts', 60),
  soak: ofVitest({
    title: 'soak',
    project: 'soak',
    file: 'test/faults/soak/soak.test.ts',
    minutes: 30,
    env: { SOAK_MINUTES: '10' },
  }),
};
