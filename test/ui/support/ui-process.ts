/** `kubectl tcj ui` as users run it: the bundle, as a separate process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { eventually, findFreePort } from 'controller-runtime/testing';
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest';
import { Scene } from '../../support/scene.ts';
import './provided.ts';

const BUNDLE = resolve(import.meta.dirname, '../../../dist/plugin/kubectl-tcj.mjs');

/** One for all tests of a file. @returns a function that returns it within tests. */
export function useUiProcess(kubeconfig: () => string, args: readonly string[] = []): () => UiProcess {
  let process: UiProcess | undefined;
  beforeAll(async () => {
    process = await UiProcess.start(kubeconfig(), args);
  });
  afterAll(() => process?.[Symbol.asyncDispose]());
  return () => {
    if (process === undefined) throw new Error('kubectl tcj ui has not started');
    return process;
  };
}

/** A scene for the running test. */
export async function openTestScene(): Promise<Scene> {
  const scene = await Scene.open();
  onTestFinished(() => scene[Symbol.asyncDispose]());
  return scene;
}

export class UiProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #out = '';
  #err = '';

  /** Resolves when it has printed its URL. @param args Arguments besides `ui`, a port and the kubeconfig. */
  static async start(kubeconfig: string, args: readonly string[] = []): Promise<UiProcess> {
    if (!existsSync(BUNDLE)) throw new Error(`${BUNDLE} is missing: run "make plugin"`);
    const ui = new UiProcess(kubeconfig, [`--port=${await findFreePort()}`, ...args]);
    await eventually(() => ui.link, { intervalMs: 10 });
    return ui;
  }

  /** One for the running test. It ends with the test. */
  static async startForTest(kubeconfig: string, args: readonly string[] = []): Promise<UiProcess> {
    const process = await UiProcess.start(kubeconfig, args);
    onTestFinished(() => process[Symbol.asyncDispose]());
    return process;
  }

  /** The same, for the namespace of a scene. */
  static startInScene({ namespace }: Scene, kubeconfig: string = inject('kubeconfig')): Promise<UiProcess> {
    return UiProcess.startForTest(kubeconfig, ['-n', namespace]);
  }

  private constructor(kubeconfig: string, args: readonly string[]) {
    const words = [BUNDLE, 'ui', '--no-browser', '--kubeconfig', kubeconfig, ...args];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#exited = once(child, 'exit');
    child.stdout.on('data', (chunk: Buffer) => (this.#out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (this.#err += chunk.toString()));
    this.#child = child;
  }

  /** URL with its token. */
  get link(): string {
    const [link] = /^http:\S+$/m.exec(this.#out) ?? [];
    if (link === undefined) throw new Error(`no link was printed; stderr: ${this.#err}`);
    return link;
  }

  get origin(): string {
    return new URL(this.link).origin;
  }

  /** Like Ctrl-C. */
  async stop(): Promise<void> {
    this.#child.kill('SIGINT');
    await this.#exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }
}
