import type { Clock } from '../clock/clock.ts';
import { AbortCallbacks } from './abort-callbacks.ts';
import type { RequestLane } from './request-lane.ts';

/** Nobody waits longer: a namespace whose calls are slow may have urgent requests that wait for as long as that lasts. */
export const MAX_IDLE_WAIT_MS = 5_000;
/** When no urgent request has ended for so long, those that wait do so behind calls that hang. */
export const MAX_STALL_MS = 250;

interface Waiter {
  readonly sinceMs: number;
  /** Resolves its promise. Again does nothing. */
  goOn(): void;
}

/** Lets work that can wait go on while nothing urgent does: one caller in each turn of the event loop, in the order they came. */
export class IdleTurns {
  readonly #lane: Pick<RequestLane, 'noneUrgent'>;
  readonly #clock: Clock;
  /** For those who wait: many passes share one signal. */
  readonly #onAbort = new AbortCallbacks();
  /** In the order they came, so also in that in which their waits end. */
  readonly #waiting = new Set<Waiter>();
  #isRunning = false;
  /** When an urgent request last ended, on the steady clock. */
  #lastUrgentEndMs = Number.NEGATIVE_INFINITY;
  /** Ends the wait of {@link #run}, so that it leaves no timer behind. */
  #nobodyWaits = () => {};

  constructor(lane: Pick<RequestLane, 'noneUrgent'>, clock: Clock) {
    this.#lane = lane;
    this.#clock = clock;
  }

  /** An urgent request has ended: those that wait move on. */
  urgentEnded(): void {
    this.#lastUrgentEndMs = this.#clock.monotonicMs();
  }

  /**
   * Resolves when no urgent request waits, when none has ended for {@link MAX_STALL_MS} since the call, after
   * {@link MAX_IDLE_WAIT_MS}, or when `signal` aborts. Never rejects.
   */
  next(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const goOn = () => {
        this.#waiting.delete(waiter);
        this.#onAbort.delete(signal, goOn);
        resolve();
        if (this.#waiting.size === 0) this.#nobodyWaits();
      };
      const waiter = { sinceMs: this.#clock.monotonicMs(), goOn };
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
      while (this.#waiting.has(first) && (await this.#isPressed(first))) {
        // Urgent requests wait and move on.
      }
      first.goOn();
    }
    this.#isRunning = false;
  }

  /** Waits until nothing urgent waits (false), or until it is time to look again. */
  async #isPressed({ sinceMs }: Waiter): Promise<boolean> {
    const stallsAtMs = Math.max(sinceMs, this.#lastUrgentEndMs) + MAX_STALL_MS;
    const leftMs = Math.min(sinceMs + MAX_IDLE_WAIT_MS, stallsAtMs) - this.#clock.monotonicMs();
    if (leftMs <= 0) return false;
    const over = new AbortController();
    let isTimeUp = false;
    this.#nobodyWaits = () => over.abort();
    const cancel = this.#clock.schedule(leftMs, () => {
      isTimeUp = true;
      over.abort();
    });
    await this.#lane.noneUrgent(over.signal);
    cancel();
    return isTimeUp;
  }
}
