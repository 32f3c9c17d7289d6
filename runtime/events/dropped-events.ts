import type { Cancel, Clock } from '../clock/clock.ts';
import type { Logger } from '../log/logger.ts';
import type { EventType } from './core-event.ts';

/** Drops within this time are logged in one line. */
const REPORT_AFTER_MS = 10_000;

/**
 * `noRoom`: too many events wait. `namespaceGone`: the namespace is gone or terminating, so no user can read the event.
 * `unanswered`: for two minutes there was no response, or only temporary errors. `unsent`: recording ended before.
 */
export type DropCause = 'noRoom' | 'namespaceGone' | 'refused' | 'unanswered' | 'unsent';

/** Counts dropped events and logs the number: a line per drop would flood the log. */
export class DroppedEvents {
  readonly #clock: Clock;
  readonly #log: Logger;
  #counts: Partial<Record<DropCause, number>> = {};
  #warnings = 0;
  #lastError: unknown;
  #cancel: Cancel | undefined;
  #reportAfterMs = REPORT_AFTER_MS;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  add(cause: DropCause, type: EventType, error?: unknown): void {
    if (cause === 'namespaceGone') return;
    this.#counts[cause] = (this.#counts[cause] ?? 0) + 1;
    if (type === 'Warning') this.#warnings++;
    this.#lastError = error ?? this.#lastError;
    this.#cancel ??= this.#clock.schedule(this.#reportAfterMs, () => this.#report());
  }

  /** Logs the pending count now, and every later drop at once. */
  stop(): void {
    this.#reportAfterMs = 0;
    this.#report();
  }

  #report(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (Object.keys(this.#counts).length === 0) return;
    const lastError = this.#lastError === undefined ? {} : { lastError: this.#lastError };
    this.#log.info('dropped events', { ...this.#counts, warnings: this.#warnings, ...lastError });
    this.#counts = {};
    this.#warnings = 0;
    this.#lastError = undefined;
  }
}
