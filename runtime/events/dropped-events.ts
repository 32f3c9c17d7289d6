import type { Cancel, Clock } from '../clock/clock.ts';
import type { Logger } from '../log/logger.ts';
import type { EventType } from './core-event.ts';

/** Time during which all dropped events are combined into one log message. */
const REPORT_DELAY_MS = 10_000;

/**
 * Reason why the recorder dropped an event.
 * - `noRoom`: Too many events wait.
 * - `namespaceGone`: The namespace does not exist or is terminating, so no user can read the event.
 * - `refused`: The API server rejected the event.
 * - `unanswered`: For two minutes, the API server did not respond, or responded with temporary errors.
 * - `unsent`: The recorder stopped.
 */
export type DropCause = 'noRoom' | 'namespaceGone' | 'refused' | 'unanswered' | 'unsent';

/** Counts dropped events and logs their number, because a line for each event would flood the log. */
export class DroppedEvents {
  readonly #clock: Clock;
  readonly #log: Logger;
  #counts: Partial<Record<DropCause, number>> = {};
  #warningCount = 0;
  #lastError: unknown;
  #cancelReport: Cancel | undefined;
  #reportDelayMs = REPORT_DELAY_MS;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  add(cause: DropCause, type: EventType, error?: unknown): void {
    if (cause === 'namespaceGone') return;
    this.#counts[cause] = (this.#counts[cause] ?? 0) + 1;
    if (type === 'Warning') this.#warningCount++;
    this.#lastError = error ?? this.#lastError;
    this.#cancelReport ??= this.#clock.schedule(this.#reportDelayMs, () => this.#report());
  }

  /** Logs the current count. After this call, each dropped event is logged immediately. */
  stop(): void {
    this.#reportDelayMs = 0;
    this.#report();
  }

  #report(): void {
    this.#cancelReport?.();
    this.#cancelReport = undefined;
    if (Object.keys(this.#counts).length === 0) return;
    const lastError = this.#lastError === undefined ? {} : { lastError: this.#lastError };
    this.#log.info('dropped events', { ...this.#counts, warnings: this.#warningCount, ...lastError });
    this.#counts = {};
    this.#warningCount = 0;
    this.#lastError = undefined;
  }
}
