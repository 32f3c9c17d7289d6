/** The process of a driver: its resource usage, and when its caches are in sync. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ManagedProcess } from '../../cluster/managed-process.ts';
import { Reaper } from '../../cluster/reaper.ts';
import type { CommandOptions, Driver } from './drivers.ts';
import { readUsage, type Usage } from './process-usage.ts';

const POLL_MS = 10;
const SYNC_TIMEOUT_MS = 180_000;
/** Number of characters shown from the end of the log of a controller that did not sync. */
const LOG_TAIL_CHARACTERS = 2_000;

export interface ControllerProcessOptions extends CommandOptions {
  readonly driver: Driver;
  /** Path of its log. */
  readonly logFile: string;
}

export class ControllerProcess implements AsyncDisposable {
  readonly #options: ControllerProcessOptions;
  readonly #reaper = new Reaper();
  readonly #process: ManagedProcess;
  #hasEnded = false;

  constructor(options: ControllerProcessOptions) {
    const { driver, logFile, kubeconfig } = options;
    const [command, ...args] = driver.command(options);
    const env = { ...process.env, KUBECONFIG: kubeconfig, TZ: 'UTC' };
    this.#options = options;
    this.#process = new ManagedProcess({ name: driver.title, command, args, logFile, env, reaper: this.#reaper });
    void this.#process.exited.then(() => {
      this.#hasEnded = true;
    });
  }

  usage(): Usage {
    return readUsage(this.#process.pid ?? 0);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Resolves when its caches are in sync. Fails when it exits before. */
  async waitUntilSynced(signal: AbortSignal): Promise<void> {
    const startedMs = performance.now();
    while (!(await this.#isInSync().catch(() => false))) {
      if (this.#hasEnded || performance.now() - startedMs > SYNC_TIMEOUT_MS) {
        const problem = this.#hasEnded ? 'ended early' : `was not in sync after ${SYNC_TIMEOUT_MS / 1000} s`;
        throw new Error(`${this.#options.driver.title} ${problem}: ${(await this.#log()).slice(-LOG_TAIL_CHARACTERS)}`);
      }
      await sleep(POLL_MS, undefined, { signal });
    }
  }

  /** Kills it. */
  kill(): Promise<void> {
    return this.#process.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.kill();
    await this.#reaper.close();
  }

  async #isInSync(): Promise<boolean> {
    const { driver, probePort } = this.#options;
    if (driver.inSyncLog) return driver.inSyncLog.test(await this.#log());
    return (await fetch(`http://127.0.0.1:${probePort}/readyz`)).ok;
  }

  #log(): Promise<string> {
    return readFile(this.#options.logFile, 'utf8');
  }
}
