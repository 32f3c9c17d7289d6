/** What every step of an import needs, and how it reports the result of each CronJob. */
import type { Clock, LiveClient } from 'controller-runtime';
import { FAILED_EXIT_CODE, type Terminal } from '../command.ts';
import { formatErrorOrThrow } from '../error-message.ts';

export interface ImportContext {
  /** Repeats reads while the API server cannot be reached. */
  readonly client: LiveClient;
  /** The same client with a time limit. */
  readonly clientFor: (timeoutMs: number) => LiveClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly report: ImportReport;
}

export class ImportReport {
  readonly #terminal: Terminal;
  #exitCode = 0;
  /** The CronJobs in progress whose reports are incomplete, in the order of their reports. */
  #pending: PendingReport[] = [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get exitCode(): number {
    return this.#exitCode;
  }

  /** Reports a finished change. */
  done(name: string, what: string): void {
    this.#write(name, () => this.#terminal.out(`${name} ${what}\n`));
  }

  /** Reports immediately what the import waits for, or a warning. */
  notify(what: string): void {
    this.#terminal.err(`${what}\n`);
  }

  failed(name: string, why: string): void {
    this.#exitCode = FAILED_EXIT_CODE;
    this.#write(name, () => this.#terminal.err(`${name}: ${why}\n`));
  }

  /**
   * Runs `work` for all CronJobs at the same time, and reports their results in the order of their names. Reports a failure and
   * leaves its result out of the returned list; the other CronJobs continue.
   */
  async each<T, R>(
    items: readonly T[],
    nameOf: (item: T) => string,
    work: (item: T) => Promise<R>,
  ): Promise<readonly R[]> {
    const sorted = items.toSorted((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
    this.#pending = sorted.map((item) => ({ name: nameOf(item), lines: [], hasEnded: false }));
    try {
      const results = await Promise.all(sorted.map((item) => this.#one(item, nameOf(item), work)));
      return results.flat();
    } finally {
      // Also when a call rejects: finished changes are reported.
      for (const turn of this.#pending.splice(0)) flush(turn);
    }
  }

  async #one<T, R>(item: T, name: string, work: (item: T) => Promise<R>): Promise<readonly R[]> {
    try {
      return [await work(item)];
    } catch (error) {
      this.failed(name, formatErrorOrThrow(error));
      return [];
    } finally {
      this.#end(name);
    }
  }

  #write(name: string, write: () => void): void {
    const index = this.#pending.findIndex((turn) => turn.name === name);
    if (index <= 0) write();
    else this.#pending[index]?.lines.push(write);
  }

  #end(name: string): void {
    for (const turn of this.#pending) turn.hasEnded ||= turn.name === name;
    while (this.#pending[0]?.hasEnded) {
      this.#pending.shift();
      flush(this.#pending[0]);
    }
  }
}

interface PendingReport {
  readonly name: string;
  /** Reports that wait for the turn of this CronJob. */
  readonly lines: (() => void)[];
  hasEnded: boolean;
}

function flush(turn: PendingReport | undefined): void {
  for (const write of turn?.lines.splice(0) ?? []) write();
}
