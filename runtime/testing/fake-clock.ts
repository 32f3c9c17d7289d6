import type { Cancel, Clock } from '../clock/clock.ts';

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** A clock that stands still until it is moved. For tests and simulations. */
export class FakeClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;
  readonly #timers = new Set<Timer>();

  /** @param start Where the wall clock stands; a date or anything `new Date()` takes. */
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

  /** How many callbacks are waiting. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /**
   * Moves time on by `byMs`, running every callback that falls due at its own instant, in order. After each one all work
   * that needs no IO is let finish, so that what a callback schedules in turn still runs within the same call.
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

  /** Sets the wall clock without passing time, as an operator or NTP does: no timer runs. */
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

/** Lets promise chains and immediates that are under way finish. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
