/** The machine of a process: its wall clock may be wrong, and it may sleep. */
import type { Cancel, Clock } from '../../runtime/clock/clock.ts';

/** A wake-up that comes this much early does not count as early: adding up times loses some digits. */
const ROUNDING_MS = 0.01;

export class Machine implements Clock {
  readonly #world: Clock;
  readonly #onJump: (text: string) => void;
  #offsetMs = 0;
  /** How long it has slept while its steady clock stood still. */
  #lostMs = 0;
  #asleep: { readonly sinceMs: number; readonly standsStill: boolean } | undefined;
  #waiting: (() => void)[] = [];
  /** Time of the last jump of the wall clock, on the steady clock of the world. */
  #jumpedMs = Number.NEGATIVE_INFINITY;
  /** Time of the last jump back, on the same clock. */
  #wentBackMs = Number.NEGATIVE_INFINITY;
  readonly #listeners = new Set<() => void>();

  /** @param onJump Called with a text for each jump and each sleep. */
  constructor(world: Clock, onJump: (text: string) => void) {
    this.#world = world;
    this.#onJump = onJump;
  }

  now(): Date {
    return new Date(this.#world.now().getTime() + this.#offsetMs);
  }

  monotonicMs(): number {
    const stoodMs = this.#asleep?.standsStill ? this.#world.monotonicMs() - this.#asleep.sinceMs : 0;
    return this.#world.monotonicMs() - this.#lostMs - stoodMs;
  }

  schedule(delayMs: number, callback: () => void): Cancel {
    const dueMs = this.monotonicMs() + Math.max(0, delayMs);
    let isCancelled = false;
    let cancel: Cancel = () => {};
    const look = () => {
      const leftMs = dueMs - this.monotonicMs();
      if (isCancelled) return;
      if (leftMs > ROUNDING_MS) cancel = this.#world.schedule(leftMs, () => this.receive(look));
      else callback();
    };
    cancel = this.#world.schedule(delayMs, () => this.receive(look));
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  /** Runs external events when the machine is awake. */
  receive(callback: () => void): void {
    if (this.#asleep) this.#waiting.push(callback);
    else callback();
  }

  get isAsleep(): boolean {
    return this.#asleep !== undefined;
  }

  /** Offset of its wall clock. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** How long its wall clock has advanced without a jump, while it was awake. */
  get steadyMs(): number {
    return this.isAsleep ? 0 : this.#world.monotonicMs() - this.#jumpedMs;
  }

  /** Whether its wall clock has gone back since then. @param sinceMs On the steady clock of the world. */
  hasGoneBackSince(sinceMs: number): boolean {
    return this.#wentBackMs >= sinceMs;
  }

  /** Sets the offset of its wall clock. */
  setOffset(offsetMs: number): void {
    if (offsetMs === this.#offsetMs) return;
    this.#onJump(`the clock of the machine is set: ${Math.round(offsetMs / 1000)} s ahead of the right time`);
    if (offsetMs < this.#offsetMs) this.#wentBackMs = this.#world.monotonicMs();
    this.#offsetMs = offsetMs;
    this.#tellOfJump();
  }

  /** No code runs on the machine for this time. @param standsStill Whether its steady clock stops meanwhile. */
  sleep(durationMs: number, { standsStill }: { readonly standsStill: boolean }): void {
    if (this.#asleep) return;
    const sinceMs = this.#world.monotonicMs();
    this.#onJump(
      `the machine sleeps for ${Math.round(durationMs / 1000)} s; its steady clock ${standsStill ? 'stands' : 'goes on'}`,
    );
    this.#asleep = { sinceMs, standsStill };
    this.#world.schedule(durationMs, () => {
      this.#asleep = undefined;
      if (standsStill) this.#lostMs += this.#world.monotonicMs() - sinceMs;
      this.#onJump('the machine wakes');
      this.#tellOfJump();
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const callback of waiting) callback();
    });
  }

  /** Calls the listener when the wall clock has jumped; returns a function that unsubscribes. */
  onJump(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tellOfJump(): void {
    this.#jumpedMs = this.#world.monotonicMs();
    for (const tell of [...this.#listeners]) tell();
  }
}
