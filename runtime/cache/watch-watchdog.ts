import type { Cancel, Clock } from '../clock/clock.ts';

/**
 * Aborts its {@link signal} when `outer` aborts, or when nothing arrives for too long: a peer may vanish without
 * closing its connection.
 */
export class WatchWatchdog implements Disposable {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #outer: AbortSignal;
  readonly #controller = new AbortController();
  #lastResetMs: number;
  #hasReceived = false;
  #cancel: Cancel;

  constructor(clock: Clock, limitMs: number, outer: AbortSignal) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#outer = outer;
    this.#lastResetMs = clock.monotonicMs();
    this.#cancel = clock.schedule(limitMs, this.#check);
    outer.addEventListener('abort', this.#stop);
    if (outer.aborted) this.#stop();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether it has aborted before anything arrived. */
  get receivedNothing(): boolean {
    return !this.#hasReceived && this.#controller.signal.aborted && !this.#outer.aborted;
  }

  /** Restarts the timeout. Cheap: it only stores the time. */
  reset(): void {
    this.#hasReceived = true;
    this.#lastResetMs = this.#clock.monotonicMs();
  }

  [Symbol.dispose](): void {
    this.#cancel();
    this.#outer.removeEventListener('abort', this.#stop);
  }

  readonly #check = () => {
    const leftMs = this.#lastResetMs + this.#limitMs - this.#clock.monotonicMs();
    if (leftMs > 0) this.#cancel = this.#clock.schedule(leftMs, this.#check);
    else this.#controller.abort(new Error(`the watch sent nothing for ${this.#limitMs / 1000} s`));
  };

  readonly #stop = () => this.#controller.abort(this.#outer.reason);
}
