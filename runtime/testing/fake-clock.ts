import type { Cancel, Clock } from '../clock/clock.ts';

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** A clock that moves only when a test moves it. For tests and simulations. */
export class FakeClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;
  readonly #timers = new Set<Timer>();

  /** @param start Time of the wall clock; a date or anything `new Date()` accepts. */
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

  /** Number of waiting callbacks. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /**
   * Moves time forward by `byMs` and runs every callback at its due time, in order. After each callback, it waits for
   * all work that needs no IO, so that callbacks that this work schedules still run within the same call.
   */
  async advance(byMs: number): Promise<void> {
    const endMs = this.#monotonicMs + byMs;
    await settle();
    for (let next = this.#nextTimer(endMs); next; next = this.#nextTimer(endMs)) {
      this.#moveTo(next.dueMs);
      this.#timers.delete(next);
      next.callback();
      await settle();
    }
    this.#moveTo(endMs);
  }

  /** Sets the wall clock without passing time, as an administrator or NTP does: no timer runs. */
  jumpTo(wall: Date | string | number): void {
    this.#wallMs = new Date(wall).getTime();
  }

  #moveTo(monotonicMs: number): void {
    this.#wallMs += monotonicMs - this.#monotonicMs;
    this.#monotonicMs = monotonicMs;
  }

  #nextTimer(untilMs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueMs <= untilMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer;
    }
    return next;
  }
}

/** Waits for pending promise chains and immediates. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
