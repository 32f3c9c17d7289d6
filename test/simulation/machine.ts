/** The machine of a process: its wall clock may be wrong, and it may sleep. */
import type { Cancel, Clock } from '../../runtime/clock/clock.ts';

/** A wake-up that comes this much early does not count as early: adding up times loses some digits. */
const ROUNDING_MS = 0.01;

export class Machine implements Clock {
  readonly #clock: Clock;
  readonly #onJump: (text: string) => void;
  #offsetMs = 0;
  /** How long it has slept while its steady clock stood still. */
  #stoppedMs = 0;
  #sleep: { readonly sinceMs: number; readonly stopsSteadyClock: boolean } | undefined;
  #pendingCallbacks: (() => void)[] = [];
  /** Time of the last jump of the wall clock, on the steady clock of the simulation. */
  #lastJumpMs = Number.NEGATIVE_INFINITY;
  /** Time of the last jump back, on the same clock. */
  #lastBackwardJumpMs = Number.NEGATIVE_INFINITY;
  readonly #listeners = new Set<() => void>();

  /** @param onJump Called with a text for each jump and each sleep. */
  constructor(clock: Clock, onJump: (text: string) => void) {
    this.#clock = clock;
    this.#onJump = onJump;
  }

  now(): Date {
    return new Date(this.#clock.now().getTime() + this.#offsetMs);
  }

  monotonicMs(): number {
    const currentStopMs = this.#sleep?.stopsSteadyClock ? this.#clock.monotonicMs() - this.#sleep.sinceMs : 0;
    return this.#clock.monotonicMs() - this.#stoppedMs - currentStopMs;
  }

  schedule(delayMs: number, callback: () => void): Cancel {
    const dueMs = this.monotonicMs() + Math.max(0, delayMs);
    let isCancelled = false;
    let cancel: Cancel = () => {};
    const check = () => {
      const leftMs = dueMs - this.monotonicMs();
      if (isCancelled) return;
      if (leftMs > ROUNDING_MS) cancel = this.#clock.schedule(leftMs, () => this.receive(check));
      else callback();
    };
    cancel = this.#clock.schedule(delayMs, () => this.receive(check));
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  /** Runs external events when the machine is awake. */
  receive(callback: () => void): void {
    if (this.#sleep) this.#pendingCallbacks.push(callback);
    else callback();
  }

  get isAsleep(): boolean {
    return this.#sleep !== undefined;
  }

  /** Offset of its wall clock. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** How long its wall clock has advanced without a jump, while it was awake. */
  get steadyMs(): number {
    return this.isAsleep ? 0 : this.#clock.monotonicMs() - this.#lastJumpMs;
  }

  /** Whether its wall clock is right, and has been right for longer than this time. */
  isClockCorrect(forMs: number): boolean {
    return this.#offsetMs === 0 && this.steadyMs > forMs;
  }

  /** Whether its wall clock has gone back since then. @param sinceMs On the steady clock of the simulation. */
  hasJumpedBackSince(sinceMs: number): boolean {
    return this.#lastBackwardJumpMs >= sinceMs;
  }

  /** Sets the offset of its wall clock. */
  setOffset(offsetMs: number): void {
    if (offsetMs === this.#offsetMs) return;
    this.#onJump(`the clock of the machine is set: ${Math.round(offsetMs / 1000)} s ahead of the right time`);
    if (offsetMs < this.#offsetMs) this.#lastBackwardJumpMs = this.#clock.monotonicMs();
    this.#offsetMs = offsetMs;
    this.#notifyJump();
  }

  /** No code runs on the machine for this time. @param stopsSteadyClock Whether its steady clock stops meanwhile. */
  sleep(durationMs: number, { stopsSteadyClock }: { readonly stopsSteadyClock: boolean }): void {
    if (this.#sleep) return;
    const sinceMs = this.#clock.monotonicMs();
    this.#onJump(
      `the machine sleeps for ${Math.round(durationMs / 1000)} s; its steady clock ${stopsSteadyClock ? 'stops' : 'goes on'}`,
    );
    this.#sleep = { sinceMs, stopsSteadyClock };
    this.#clock.schedule(durationMs, () => {
      this.#sleep = undefined;
      if (stopsSteadyClock) this.#stoppedMs += this.#clock.monotonicMs() - sinceMs;
      this.#onJump('the machine wakes');
      this.#notifyJump();
      const callbacks = this.#pendingCallbacks;
      this.#pendingCallbacks = [];
      for (const callback of callbacks) callback();
    });
  }

  /** Calls the listener when the wall clock has jumped; returns a function that unsubscribes. */
  onJump(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notifyJump(): void {
    this.#lastJumpMs = this.#clock.monotonicMs();
    for (const listener of [...this.#listeners]) listener();
  }
}
