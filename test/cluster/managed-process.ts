/** A long-running child in a separate process group: Ctrl-C on the terminal reaches only this process, which ends the child in order. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reaper } from './reaper.ts';

const DEFAULT_GRACE_MS = 10_000;
const READY_TIMEOUT_MS = 60_000;
/** Interval between two readiness checks, in milliseconds. */
const POLL_INTERVAL_MS = 50;
/** Number of lines shown from the end of the log of a process that failed. */
const LOG_TAIL_LINES = 15;

export interface ProcessOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Default: our own standard output and error. */
  readonly logFile?: string;
  /** Default: our environment. */
  readonly env?: NodeJS.ProcessEnv;
  /** Ends the process when this process dies without a clean-up. */
  readonly reaper: Reaper;
}

export class ManagedProcess {
  readonly name: string;
  /** Resolves when the process has ended, to its exit. */
  readonly exited: Promise<string>;
  readonly #child: ChildProcess;
  readonly #logFile: string | undefined;
  readonly #reaper: Reaper;
  #ending: string | undefined;

  /** Starts the process. When the start fails, {@link ManagedProcess.waitUntil} throws. */
  constructor({ name, command, args, logFile, env = process.env, reaper }: ProcessOptions) {
    this.name = name;
    this.#logFile = logFile;
    this.#reaper = reaper;
    const log = logFile === undefined ? undefined : openSync(logFile, 'a');
    this.#child = spawn(command, args, { detached: true, env, stdio: ['ignore', log ?? 'inherit', log ?? 'inherit'] });
    if (log !== undefined) closeSync(log);
    if (this.#child.pid !== undefined) reaper.watch(this.#child.pid);
    this.exited = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(this.#end(error.message)));
      this.#child.once('exit', (code, signal) => resolve(this.#end(signal ?? `exit code ${code}`)));
    });
  }

  /** Its process number. `undefined` when the start failed. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resolves when `isReady` returns true; a throw counts as not ready. Throws, with the end of the log, when the process ends first. */
  async waitUntil(
    description: string,
    isReady: () => Promise<boolean>,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<void> {
    const deadlineMs = performance.now() + READY_TIMEOUT_MS;
    let reason = 'no answer';
    while (this.#ending === undefined && performance.now() < deadlineMs) {
      signal?.throwIfAborted();
      try {
        if (await isReady()) return;
        reason = 'not yet';
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error);
      }
      await sleep(POLL_INTERVAL_MS, undefined, { signal });
    }
    const details =
      this.#ending === undefined ? `not within ${READY_TIMEOUT_MS / 1000} s (${reason})` : `it ended: ${this.#ending}`;
    throw new Error(`${this.name}: ${description}: ${details}\n${await this.#logTail()}`);
  }

  /**
   * Ends the process, by force if necessary. Resolves when it is gone.
   * @param graceMs Time between SIGTERM and SIGKILL, in milliseconds.
   */
  async stop(graceMs = DEFAULT_GRACE_MS): Promise<void> {
    if (this.#ending === undefined) {
      this.#child.kill('SIGTERM');
      const force = setTimeout(() => this.#child.kill('SIGKILL'), graceMs);
      await this.exited;
      clearTimeout(force);
    }
  }

  /** Sends a signal that does not end the process, such as SIGSTOP and SIGCONT. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(name);
  }

  /** Kills the process and the other processes of its group. Resolves when it is gone. */
  async kill(): Promise<void> {
    if (this.#ending !== undefined || this.#child.pid === undefined) return;
    process.kill(-this.#child.pid, 'SIGKILL');
    await this.exited;
  }

  async #logTail(): Promise<string> {
    const log = this.#logFile === undefined ? '' : await readFile(this.#logFile, 'utf8').catch(() => '');
    return log.trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
  }

  #end(reason: string): string {
    this.#ending = reason;
    if (this.#child.pid !== undefined) this.#reaper.forget(this.#child.pid);
    return reason;
  }
}
