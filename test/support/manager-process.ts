/** A manager as a separate process, as users run it: the bundled one, or that of an example. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from 'controller-runtime/testing';

export interface ManagerProgram {
  /** Path of its main file. */
  readonly file: string;
  /** Path of a Node. Default: this one. */
  readonly node?: string;
  /** Flags of node. Default: empty. */
  readonly nodeFlags?: readonly string[];
}

/** Without a timeout: the wait ends with the process. */
const NO_LIMIT = { timeoutMs: Number.POSITIVE_INFINITY };

export const BUNDLE = resolve(import.meta.dirname, '../../dist/manager.mjs');

export class ManagerProcess implements AsyncDisposable {
  /** Every line of its log, oldest first. */
  readonly lines: Record<string, unknown>[] = [];
  readonly #child: ChildProcess;
  /** Resolves with the next line, and at the end of its output. */
  #news = Promise.withResolvers<void>();
  #isSilent = false;
  /** Its exit code; -1 when a signal ended it. */
  readonly exited: Promise<number>;

  /**
   * @param kubeconfig Path of the kubeconfig.
   * @param args Flags. Probes are served on a free port.
   * @param environment Additional variables besides our environment.
   * @param program Default: the bundle.
   */
  constructor(
    kubeconfig: string,
    args: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
    { file, node = process.execPath, nodeFlags = [] }: ManagerProgram = { file: BUNDLE },
  ) {
    if (!existsSync(file)) throw new Error(`${file} is missing: run "make build"`);
    const flags = ['--health-probe-bind-address=127.0.0.1:0', ...args];
    this.#child = spawn(node, [...nodeFlags, file, ...flags], {
      env: { ...process.env, ...environment, KUBECONFIG: kubeconfig },
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    this.exited = once(this.#child, 'exit').then(([code]) => code ?? -1);
    if (this.#child.stderr) {
      createInterface({ input: this.#child.stderr })
        .on('line', (line) => {
          this.lines.push(parseLine(line));
          this.#announce();
        })
        .on('close', () => {
          this.#isSilent = true;
          this.#announce();
        });
    }
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the manager did not start');
    return this.#child.pid;
  }

  /**
   * Resolves with the first line that has this message and these fields. Without a timeout, because a busy machine starts a process slowly.
   * Rejects when the process ends without this line.
   */
  async waitForLog(message: string, fields: Readonly<Record<string, unknown>> = {}): Promise<Record<string, unknown>> {
    const expected = Object.entries({ ...fields, msg: message });
    for (;;) {
      const line = this.lines.find((each) => expected.every(([key, value]) => each[key] === value));
      if (line !== undefined) return line;
      if (this.#isSilent) throw new Error(`not logged: ${message}; but: ${JSON.stringify(this.lines.slice(-5))}`);
      await this.#news.promise;
    }
  }

  /** Resolves once the process is ready. Rejects when it ends before that. */
  async waitUntilReady(): Promise<void> {
    await eventually(async () => {
      if (this.#isSilent) return;
      const { status, body } = await this.probe('/readyz');
      if (status !== 200) throw new Error(`not ready: ${body}`);
    }, NO_LIMIT);
    if (this.#isSilent) throw new Error(`ended before it was ready: ${JSON.stringify(this.lines.slice(-5))}`);
  }

  #announce(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  /** GET of a probe: status and body. */
  async probe(path: string): Promise<{ readonly status: number; readonly body: string }> {
    const { port } = await this.waitForLog('listening', { server: 'health probes' });
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, body: await response.text() };
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exited;
  }
}

function parseLine(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line);
  } catch {
    return { text: line };
  }
}
