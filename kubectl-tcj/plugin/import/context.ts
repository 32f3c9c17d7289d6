/** What every step of an import has, and how it tells what becomes of each CronJob. */
import type { Clock, LiveClient } from 'controller-runtime';
import { FAILED_EXIT_CODE, type Terminal } from '../command.ts';
import { messageOf } from '../message-of.ts';

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
  /** Names of those that are at work, and not told of to the end, in the order in which they are. */
  #turns: string[] = [];
  readonly #ended = new Set<string>();
  /** What is said of those whose turn has not come. */
  readonly #kept = new Map<string, (() => void)[]>();

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
    this.#turns = sorted.map(nameOf);
    this.#ended.clear();
    try {
      const results = await Promise.all(sorted.map((item) => this.#one(item, nameOf(item), work)));
      return results.flat();
    } finally {
      // Also when one rejects: what was done is told.
      for (const name of this.#turns.splice(0)) this.#release(name);
    }
  }

  async #one<T, R>(item: T, name: string, work: (item: T) => Promise<R>): Promise<readonly R[]> {
    try {
      return [await work(item)];
    } catch (error) {
      const message = messageOf(error);
      if (message === undefined) throw error;
      this.failed(name, message);
      return [];
    } finally {
      this.#end(name);
    }
  }

  #say(name: string, write: () => void): void {
    if (this.#turns.indexOf(name) <= 0) write();
    else this.#kept.set(name, [...(this.#kept.get(name) ?? []), write]);
  }

  #end(name: string): void {
    this.#ended.add(name);
    for (let first = this.#turns[0]; first !== undefined && this.#ended.has(first); first = this.#turns[0]) {
      this.#turns.shift();
      const [next] = this.#turns;
      if (next !== undefined) this.#release(next);
    }
  }

  #release(name: string): void {
    for (const write of this.#kept.get(name) ?? []) write();
    this.#kept.delete(name);
  }
}
