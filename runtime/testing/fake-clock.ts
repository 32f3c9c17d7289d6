import type { Cancel, Clock } from '../clock/clock.ts';

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** A clock for tests, whose time changes only when the test calls `advance` or `jumpTo`. */
export class FakeClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;
  readonly #timers = new Set<Timer>();

  /** @param start Initial time of the wall clock: any argument of `new Date()`. */
  constructor(start: Date | string | number = 0) {
    this.#wallMs = new Date(start).getTime();
  }

  now(): Date {
    return new Date(this.#wallMs);
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  schedule(delayMs: number, callback: () => void): Cancel {
    const timer = { dueMs: this.#monotonicMs + Math.max(0, delayMs), callback };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** Number of scheduled callbacks. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /**
   * Advances the time by `durationMs` and runs all callbacks that are due, in order. After each callback, waits for
   * pending promises, which may schedule more callbacks.
   */
  async advance(durationMs: number): Promise<void> {
    const endMs = this.#monotonicMs + durationMs;
    await waitForPromises();
    for (let next = this.#nextTimer(endMs); next; next = this.#nextTimer(endMs)) {
      this.#moveTo(next.dueMs);
      this.#timers.delete(next);
      next.callback();
      await waitForPromises();
    }
    this.#moveTo(endMs);
  }

  /** Sets the wall clock, like an administrator or NTP. The monotonic clock is unchanged, so no callback runs. */
  jumpTo(wallClockTime: Date | string | number): void {
    this.#wallMs = new Date(wallClockTime).getTime();
  }

  #moveTo(monotonicMs: number): void {
    this.#wallMs += monotonicMs - this.#monotonicMs;
    this.#monotonicMs = monotonicMs;
  }

  #nextTimer(endMs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueMs <= endMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer;
    }
    return next;
  }
}

async function waitForPromises(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
