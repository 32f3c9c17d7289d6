import type { Cancel, Clock } from '../clock/clock.ts';
import type { Logger } from '../log/logger.ts';
import type { EventType } from './core-event.ts';

/** What is dropped within this time is logged in one line. */
const REPORT_AFTER_MS = 10_000;

/**
 * `noRoom`: too much waits. `namespaceGone`: or going, with nobody left to tell. `unanswered`: for two minutes there was no answer, or
 * none but to try again. `unsent`: recording ended before.
 */
export type DropCause = 'noRoom' | 'namespaceGone' | 'refused' | 'unanswered' | 'unsent';

/** Counts events that are dropped, and logs how many: a line for each drop would be a flood of its own. */
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

  /** Nothing waits any more to be told of with others. */
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
