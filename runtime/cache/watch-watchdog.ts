import type { Cancel, Clock } from '../clock/clock.ts';

/**
 * Aborts its {@link signal} when `outerSignal` aborts, or when no data arrives within the timeout. A timeout is
 * necessary because a server may disappear without closing its connection.
 */
export class WatchWatchdog implements Disposable {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #outerSignal: AbortSignal;
  readonly #controller = new AbortController();
  #lastResetMs: number;
  #hasReceivedData = false;
  #cancelTimer: Cancel;

  constructor(clock: Clock, timeoutMs: number, outerSignal: AbortSignal) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#outerSignal = outerSignal;
    this.#lastResetMs = clock.monotonicMs();
    this.#cancelTimer = clock.schedule(timeoutMs, this.#checkTimeout);
    outerSignal.addEventListener('abort', this.#abort);
    if (outerSignal.aborted) this.#abort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the timeout has expired before any data arrived. */
  get hasTimedOutWithoutData(): boolean {
    return !this.#hasReceivedData && this.#controller.signal.aborted && !this.#outerSignal.aborted;
  }

  /** Restarts the timeout when data arrives. */
  reset(): void {
    this.#hasReceivedData = true;
    this.#lastResetMs = this.#clock.monotonicMs();
  }

  [Symbol.dispose](): void {
    this.#cancelTimer();
    this.#outerSignal.removeEventListener('abort', this.#abort);
  }

  readonly #checkTimeout = () => {
    const remainingMs = this.#lastResetMs + this.#timeoutMs - this.#clock.monotonicMs();
    if (remainingMs > 0) this.#cancelTimer = this.#clock.schedule(remainingMs, this.#checkTimeout);
    else this.#controller.abort(new Error(`the watch sent nothing for ${this.#timeoutMs / 1000} s`));
  };

  readonly #abort = () => this.#controller.abort(this.#outerSignal.reason);
}
