/** `kubectl tcj` in a scene. */
import { type Clock, SystemClock } from 'controller-runtime';
import { expect, inject } from 'vitest';
import type { Job } from '../../../api/kubernetes.ts';
import { connect } from '../../../kubectl-tcj/plugin/cluster-session.ts';
import { runCommand } from '../../../kubectl-tcj/plugin/run-command.ts';
import { CapturedTerminal } from '../../support/captured-terminal.ts';
import type { Scene } from '../../support/scene.ts';

/** Where and when the command runs. */
type TcjScene = Pick<Scene, 'namespace' | 'clock'> & {
  /** For a command that waits until its timeout: shortens each wait to a tenth. */
  readonly willTimeOut?: boolean;
};

const SPEED_UP = 10;

function createFastClock(): Clock {
  const system = new SystemClock();
  return {
    now: () => system.now(),
    monotonicMs: () => system.monotonicMs() * SPEED_UP,
    schedule: (delayMs, callback) => system.schedule(delayMs / SPEED_UP, callback),
  };
}

export interface TcjResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs `kubectl tcj` with these words, in the namespace and at the time of the scene, as its administrator unless a kubeconfig is given.
 */
export async function tcj(scene: TcjScene, line: string, ...more: readonly string[]): Promise<TcjResult> {
  const terminal = new CapturedTerminal();
  const code = await tcjWithTerminal(terminal, scene, line, ...more);
  return { code, ...terminal.texts };
}

/** The same, with a terminal that the test can read, and optionally a signal that ends it. @returns the exit code. */
export async function tcjWithTerminal(
  terminal: CapturedTerminal,
  scene: TcjScene,
  line: string,
  ...rest: readonly (string | AbortSignal)[]
): Promise<number> {
  const more = rest.filter((each) => typeof each === 'string');
  const signal = rest.find((each) => typeof each !== 'string') ?? new AbortController().signal;
  const own = more.includes('--kubeconfig') ? [] : ['--kubeconfig', inject('kubeconfig')];
  const args = [...line.split(' '), ...more, '-n', scene.namespace, ...own];
  return await runCommand(args, {
    terminal,
    now: scene.clock.now(),
    clock: scene.willTimeOut ? createFastClock() : new SystemClock(),
    signal,
    connect: (options) => connect(options, 'test'),
  });
}

/** The CronJob `backup`, which a manager has seen, and which is never due. */
export async function createObserved(scene: Scene, spec: object = {}): Promise<void> {
  await scene.createCronJob({ schedule: '0 0 1 1 *', ...spec }, 'backup');
  await scene.startManager();
  await scene.waitUntilObserved('backup');
}

/** Starts a manual run. @returns the Job, which is active in the status. */
export async function startManualRun(scene: Scene): Promise<Job> {
  await tcj(scene, 'run backup');
  const job = await getOnlyJob(scene);
  await scene.eventually(async () => expect((await scene.cronJob('backup')).status?.activeCount).toBe(1));
  return job;
}

export async function getOnlyJob(scene: Scene): Promise<Job> {
  const [job] = await scene.waitForJobs(1);
  return job ?? expect.fail('no Job');
}
