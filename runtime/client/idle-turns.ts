import type { Clock } from '../clock/clock.ts';
import { AbortCallbacks } from './abort-callbacks.ts';
import type { RequestLane } from './request-lane.ts';

/** Nobody waits longer: a namespace whose calls hang may have urgent requests that wait for as long as they do. */
export const MAX_IDLE_WAIT_MS = 5_000;

interface Waiter {
  readonly deadlineMs: number;
  /** Resolves its promise. Again does nothing. */
  goOn(): void;
}

/** Lets work that can wait go on while nothing urgent does: one caller in each turn of the event loop, in the order they came. */
export class IdleTurns {
  readonly #lane: Pick<RequestLane, 'noneUrgent'>;
  readonly #clock: Clock;
  /** For those who wait: many passes share one signal. */
  readonly #onAbort = new AbortCallbacks();
  /** In the order they came, so also in that of their deadlines. */
  readonly #waiting = new Set<Waiter>();
  #isRunning = false;
  /** Ends the wait of {@link #run}, so that it leaves no timer behind. */
  #nobodyWaits = () => {};

  constructor(lane: Pick<RequestLane, 'noneUrgent'>, clock: Clock) {
    this.#lane = lane;
    this.#clock = clock;
  }

  /** Resolves when no urgent request waits, after {@link MAX_IDLE_WAIT_MS}, or when `signal` aborts. Never rejects. */
  next(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const goOn = () => {
        this.#waiting.delete(waiter);
        this.#onAbort.delete(signal, goOn);
        resolve();
        if (this.#waiting.size === 0) this.#nobodyWaits();
      };
      const waiter = { deadlineMs: this.#clock.monotonicMs() + MAX_IDLE_WAIT_MS, goOn };
      this.#waiting.add(waiter);
      this.#onAbort.add(signal, goOn);
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      const [first] = this.#waiting;
      if (first === undefined) break;
      await this.#idleUntil(first.deadlineMs);
      first.goOn();
    }
    this.#isRunning = false;
  }

  async #idleUntil(deadlineMs: number): Promise<void> {
    const leftMs = deadlineMs - this.#clock.monotonicMs();
    if (leftMs <= 0) return;
    const over = new AbortController();
    this.#nobodyWaits = () => over.abort();
    const cancel = this.#clock.schedule(leftMs, () => over.abort());
    await this.#lane.noneUrgent(over.signal);
    cancel();
  }
}
