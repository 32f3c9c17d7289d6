/** The dependencies of the import steps, and the report of the results. */
import type { Clock, LiveClient } from 'controller-runtime';
import { FAILED_EXIT_CODE, type Terminal } from '../command.ts';
import { formatErrorOrThrow } from '../error-message.ts';

export interface ImportContext {
  /** Retries reads while the API server is unreachable. */
  readonly client: LiveClient;
  /** Returns a client whose requests fail after a timeout in milliseconds. */
  readonly createClientWithTimeout: (timeoutMs: number) => LiveClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly report: ImportReport;
}

export class ImportReport {
  readonly #terminal: Terminal;
  #exitCode = 0;
  /** The CronJobs in progress, sorted by name. Only the reports of the first CronJob are printed immediately. */
  #pendingReports: PendingReport[] = [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get exitCode(): number {
    return this.#exitCode;
  }

  /** @param description The end of a sentence that begins with the name of the CronJob, such as `resumed in batch/v1`. */
  reportChange(name: string, description: string): void {
    this.#print(name, () => this.#terminal.out(`${name} ${description}\n`));
  }

  /** Prints a warning or a progress message immediately. */
  notify(message: string): void {
    this.#terminal.err(`${message}\n`);
  }

  reportFailure(name: string, reason: string): void {
    this.#exitCode = FAILED_EXIT_CODE;
    this.#print(name, () => this.#terminal.err(`${name}: ${reason}\n`));
  }

  /**
   * Runs `work` concurrently for all items, and prints their reports in the order of their names. Reports each failure, and returns
   * the results of the items that succeeded.
   */
  async runAll<T, R>(
    items: readonly T[],
    getName: (item: T) => string,
    work: (item: T) => Promise<R>,
  ): Promise<readonly R[]> {
    const sorted = items.toSorted((left, right) => (getName(left) < getName(right) ? -1 : 1));
    this.#pendingReports = sorted.map((item) => ({ name: getName(item), delayedPrints: [], isFinished: false }));
    try {
      const results = await Promise.all(sorted.map((item) => this.#runOne(item, getName(item), work)));
      return results.flat();
    } finally {
      // If `work` rejects, the delayed reports must still be printed.
      for (const report of this.#pendingReports.splice(0)) printDelayedMessages(report);
    }
  }

  async #runOne<T, R>(item: T, name: string, work: (item: T) => Promise<R>): Promise<readonly R[]> {
    try {
      return [await work(item)];
    } catch (error) {
      this.reportFailure(name, formatErrorOrThrow(error));
      return [];
    } finally {
      this.#finish(name);
    }
  }

  #print(name: string, print: () => void): void {
    const index = this.#pendingReports.findIndex((report) => report.name === name);
    if (index <= 0) print();
    else this.#pendingReports[index]?.delayedPrints.push(print);
  }

  #finish(name: string): void {
    for (const report of this.#pendingReports) report.isFinished ||= report.name === name;
    while (this.#pendingReports[0]?.isFinished) {
      this.#pendingReports.shift();
      printDelayedMessages(this.#pendingReports[0]);
    }
  }
}

interface PendingReport {
  readonly name: string;
  /** The reports that are printed after the reports of all CronJobs with earlier names. */
  readonly delayedPrints: (() => void)[];
  isFinished: boolean;
}

function printDelayedMessages(report: PendingReport | undefined): void {
  for (const print of report?.delayedPrints.splice(0) ?? []) print();
}
