/** What every step of an import has, and how it tells what becomes of each CronJob. */
import type { Clock, LiveClient } from 'controller-runtime';
import { FAILED_EXIT_CODE, type Terminal } from '../command.ts';
import { messageOf } from '../message-of.ts';

export interface Context {
  readonly client: LiveClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly report: Report;
}

export class Report {
  readonly #terminal: Terminal;
  #exitCode = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get exitCode(): number {
    return this.#exitCode;
  }

  /** What was done. */
  done(name: string, what: string): void {
    this.#terminal.out(`${name} ${what}\n`);
  }

  /** What it waits for. */
  waits(what: string): void {
    this.#terminal.err(`${what}\n`);
  }

  failed(name: string, why: string): void {
    this.#exitCode = FAILED_EXIT_CODE;
    this.#terminal.err(`${name}: ${why}\n`);
  }

  /** Runs each, all at the same time. What fails is told, and left out of what is returned; the others go on. */
  async each<T, R>(
    items: readonly T[],
    nameOf: (item: T) => string,
    work: (item: T) => Promise<R>,
  ): Promise<readonly R[]> {
    const results = await Promise.all(
      items.map(async (item) => {
        try {
          return [await work(item)];
        } catch (error) {
          const message = messageOf(error);
          if (message === undefined) throw error;
          this.failed(nameOf(item), message);
          return [];
        }
      }),
    );
    return results.flat();
  }
}
