import type { Cancel, Clock } from '../clock/clock.ts';

interface WakeUp {
  readonly dueWallClockMs: number;
  /** Time of the wake-up on the monotonic clock. */
  readonly dueMonotonicMs: number;
  readonly cancel: Cancel;
}

/** Interval between two checks for a jump of the wall clock. */
const CLOCK_JUMP_CHECK_INTERVAL_MS = 30_000;

/** Minimum change of the wall clock that counts as a jump. Gradual adjustments of the clock are smaller. */
const MIN_CLOCK_JUMP_MS = 100;

/**
 * Schedules at most one wake-up per key. A new wake-up replaces the earlier wake-up of the key.
 *
 * A wake-up is due when the monotonic clock or the wall clock has reached its time. A check every 30 s detects a jump
 * of the wall clock, for example after the machine slept. Wake-ups that are due after the jump fire immediately, and
 * later wake-ups are rescheduled.
 */
export class WakeUps {
  readonly #clock: Clock;
  readonly #onWakeUp: (key: string) => void;
  readonly #wakeUps = new Map<string, WakeUp>();
  #cancelJumpCheck: Cancel | undefined;

  /** @param onWakeUp Called when the wake-up of a key is due. */
  constructor(clock: Clock, onWakeUp: (key: string) => void) {
    this.#clock = clock;
    this.#onWakeUp = onWakeUp;
  }

  get size(): number {
    return this.#wakeUps.size;
  }

  /** Schedules a wake-up of `key` in `delayMs`. Replaces the earlier wake-up of the key. */
  set(key: string, delayMs: number): void {
    this.cancel(key);
    this.#schedule(key, delayMs);
    this.#cancelJumpCheck ??= this.#clock.schedule(CLOCK_JUMP_CHECK_INTERVAL_MS, this.#checkForJump);
  }

  cancel(key: string): void {
    this.#wakeUps.get(key)?.cancel();
    this.#wakeUps.delete(key);
  }

  /** Fires the wake-ups of all keys for which `shouldWakeUp` returns true. */
  wakeUpAll(shouldWakeUp: (key: string) => boolean): void {
    for (const key of [...this.#wakeUps.keys()].filter(shouldWakeUp)) this.#wakeUp(key);
  }

  clear(): void {
    for (const { cancel } of this.#wakeUps.values()) cancel();
    this.#wakeUps.clear();
    this.#cancelJumpCheck?.();
    this.#cancelJumpCheck = undefined;
  }

  #schedule(key: string, delayMs: number): void {
    this.#wakeUps.set(key, {
      dueWallClockMs: this.#clock.now().getTime() + delayMs,
      dueMonotonicMs: this.#clock.monotonicMs() + delayMs,
      cancel: this.#clock.schedule(delayMs, () => this.#wakeUp(key)),
    });
  }

  #wakeUp(key: string): void {
    this.cancel(key);
    this.#onWakeUp(key);
  }

  readonly #checkForJump = () => {
    const wallClockMs = this.#clock.now().getTime();
    const monotonicMs = this.#clock.monotonicMs();
    for (const [key, { dueWallClockMs, dueMonotonicMs, cancel }] of this.#wakeUps) {
      const remainingMs = dueWallClockMs - wallClockMs;
      if (remainingMs <= 0) {
        this.#wakeUp(key);
      } else if (dueMonotonicMs - monotonicMs - remainingMs >= MIN_CLOCK_JUMP_MS) {
        cancel();
        this.#schedule(key, remainingMs);
      }
    }
    this.#cancelJumpCheck =
      this.#wakeUps.size > 0 ? this.#clock.schedule(CLOCK_JUMP_CHECK_INTERVAL_MS, this.#checkForJump) : undefined;
  };
}
