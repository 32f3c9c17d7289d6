import type { Clock } from '../../runtime/clock/clock.ts';

interface JournalEntry {
  /** Absent for an entry about every CronJob. */
  readonly key?: string;
  readonly at: Date;
  /** Formatted only on demand: most entries are never read. */
  readonly text: () => string;
}

const MAX_ENTRIES = 5000;

/** The last events, for the analysis of a failure. */
export class Journal {
  readonly #clock: Clock;
  #entries: JournalEntry[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param key The affected CronJob; all of them when absent. */
  note(text: () => string, key?: string): void {
    if (this.#entries.length >= 2 * MAX_ENTRIES) this.#entries = this.#entries.slice(MAX_ENTRIES);
    this.#entries.push({ at: this.#clock.now(), text, ...(key === undefined ? {} : { key }) });
  }

  /** The newest lines for `key`, oldest first. */
  listNewest(key: string, count: number): readonly string[] {
    return this.#entries
      .filter((entry) => entry.key === undefined || entry.key === key)
      .slice(-count)
      .map(({ at, text }) => `${at.toISOString()} ${text()}`);
  }
}
