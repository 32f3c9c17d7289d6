/** `kubectl tcj` in a scene. */
import { type Clock, SystemClock } from 'controller-runtime';
import { expect, inject } from 'vitest';
import type { Job } from '../../../api/kubernetes.ts';
import { runCommand } from '../../../kubectl-tcj/plugin/run-command.ts';
import { connect } from '../../../kubectl-tcj/plugin/session.ts';
import { CapturedTerminal } from '../../support/captured-terminal.ts';
import type { Scene } from '../../support/scene.ts';

/** Where and when the command runs. */
type Place = Pick<Scene, 'namespace' | 'clock'> & {
  /** For a command that waits until its timeout: shortens each wait to a tenth. */
  readonly waitsInVain?: boolean;
};

const HURRY = 10;

function hurriedClock(): Clock {
  const system = new SystemClock();
  return {
    now: () => system.now(),
    monotonicMs: () => system.monotonicMs() * HURRY,
    schedule: (delayMs, callback) => system.schedule(delayMs / HURRY, callback),
  };
}

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs `kubectl tcj` with these words, in the namespace and at the time of the scene, as its administrator unless a kubeconfig is given.
 */
export async function tcj(scene: Place, line: string, ...more: readonly string[]): Promise<Said> {
  const terminal = new CapturedTerminal();
  const code = await tcjOn(terminal, scene, line, ...more);
  return { code, ...terminal.texts };
}

/** The same, with a terminal that the test can read, and optionally a signal that ends it. @returns the exit code. */
export async function tcjOn(
  terminal: CapturedTerminal,
  scene: Place,
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
    clock: scene.waitsInVain ? hurriedClock() : new SystemClock(),
    signal,
    connect: (options) => connect(options, 'test'),
  });
}

/** The CronJob `backup`, which a manager has seen, and which is never due. */
export async function createSeen(scene: Scene, spec: object = {}): Promise<void> {
  await scene.createCronJob({ schedule: '0 0 1 1 *', ...spec }, 'backup');
  await scene.startManager();
  await scene.observed('backup');
}

/** Starts a manual run. @returns the Job, which is active in the status. */
export async function runByHand(scene: Scene): Promise<Job> {
  await tcj(scene, 'run backup');
  const job = await onlyJob(scene);
  await scene.eventually(async () => expect((await scene.cronJob('backup')).status?.activeCount).toBe(1));
  return job;
}

export async function onlyJob(scene: Scene): Promise<Job> {
  const [job] = await scene.hasJobs(1);
  return job ?? expect.fail('no Job');
}
