/** What every step of an import has, and how it tells what becomes of each CronJob. */
import type { Clock, LiveClient } from 'controller-runtime';
import { FAILED_EXIT_CODE, type Terminal } from '../command.ts';
import { explained } from '../message-of.ts';

export interface Context {
  /** What it reads, it reads again when the API server is out of reach. */
  readonly client: LiveClient;
  /** The same, for at most so long. */
  readonly clientFor: (timeoutMs: number) => LiveClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly report: Report;
}

export class Report {
  readonly #terminal: Terminal;
  #exitCode = 0;
  /** Those that are at work, and not told of to the end, in the order in which they are told of. */
  #turns: Turn[] = [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get exitCode(): number {
    return this.#exitCode;
  }

  /** What was done. */
  done(name: string, what: string): void {
    this.#say(name, () => this.#terminal.out(`${name} ${what}\n`));
  }

  /** What it waits for, or warns of: said at once. */
  waits(what: string): void {
    this.#terminal.err(`${what}\n`);
  }

  failed(name: string, why: string): void {
    this.#exitCode = FAILED_EXIT_CODE;
    this.#say(name, () => this.#terminal.err(`${name}: ${why}\n`));
  }

  /**
   * Runs each, all at the same time, and tells of them in the order of their names. What fails is told, and left out of what is returned; the
   * others go on.
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
      // Also when one rejects: what was done is told.
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
  /** What is said of it while its turn has not come. */
  readonly kept: (() => void)[];
  hasEnded: boolean;
}

function release(turn: Turn | undefined): void {
  for (const write of turn?.kept.splice(0) ?? []) write();
}
