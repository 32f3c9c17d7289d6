/** What every step of an import needs, and how it reports the result of each CronJob. */
import type { Clock, LiveClient } from 'controller-runtime';
import { FAILED_EXIT_CODE, type Terminal } from '../command.ts';
import { explained } from '../message-of.ts';

export interface Context {
  /** Repeats reads while the API server cannot be reached. */
  readonly client: LiveClient;
  /** The same client with a time limit. */
  readonly clientFor: (timeoutMs: number) => LiveClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly report: Report;
}

export class Report {
  readonly #terminal: Terminal;
  #exitCode = 0;
  /** The CronJobs in progress whose reports are incomplete, in the order of their reports. */
  #turns: Turn[] = [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get exitCode(): number {
    return this.#exitCode;
  }

  /** Reports a finished change. */
  done(name: string, what: string): void {
    this.#say(name, () => this.#terminal.out(`${name} ${what}\n`));
  }

  /** Reports immediately what the import waits for, or a warning. */
  waits(what: string): void {
    this.#terminal.err(`${what}\n`);
  }

  failed(name: string, why: string): void {
    this.#exitCode = FAILED_EXIT_CODE;
    this.#say(name, () => this.#terminal.err(`${name}: ${why}\n`));
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
    this.#turns = sorted.map((item) => ({ name: nameOf(item), kept: [], hasEnded: false }));
    try {
      const results = await Promise.all(sorted.map((item) => this.#one(item, nameOf(item), work)));
      return results.flat();
    } finally {
      // Also when a call rejects: finished changes are reported.
      for (const turn of this.#turns.splice(0)) release(turn);
    }
  }

  async #one<T, R>(item: T, name: string, work: (item: T) => Promise<R>): Promise<readonly R[]> {
    try {
      return [await work(item)];
    } catch (error) {
      this.failed(name, explained(error));
      return [];
    } finally {
      this.#end(name);
    }
  }

  #say(name: string, write: () => void): void {
    const index = this.#turns.findIndex((turn) => turn.name === name);
    if (index <= 0) write();
    else this.#turns[index]?.kept.push(write);
  }

  #end(name: string): void {
    for (const turn of this.#turns) turn.hasEnded ||= turn.name === name;
    while (this.#turns[0]?.hasEnded) {
      this.#turns.shift();
      release(this.#turns[0]);
    }
  }
}

interface Turn {
  readonly name: string;
  /** Reports that wait for the turn of this CronJob. */
  readonly kept: (() => void)[];
  hasEnded: boolean;
}

function release(turn: Turn | undefined): void {
  for (const write of turn?.kept.splice(0) ?? []) write();
}
