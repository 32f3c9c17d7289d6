import type { Cancel, Clock } from '../clock/clock.ts';

interface WakeUp {
  readonly dueWallMs: number;
  /** On the steady clock. */
  readonly dueMs: number;
  readonly cancel: Cancel;
}

/** Interval between checks of the wall clock for a jump. */
const JUMP_CHECK_MS = 30_000;

/** Gradual adjustments of the wall clock are not a jump. */
const SMALLEST_JUMP_MS = 100;

/**
 * At most one wake-up per key: setting another replaces it, so that a wake-up from before an edit never fires.
 *
 * A wake-up is due when its time has passed on the steady clock, or when the wall clock has reached its instant. It
 * detects a jump forward (a machine that slept, a clock that was set) within half a minute: wake-ups that are due then
 * fire at once, the others at their instant.
 */
export class WakeUps {
  readonly #clock: Clock;
  readonly #wake: (key: string) => void;
  readonly #wakeUps = new Map<string, WakeUp>();
  #cancelJumpCheck: Cancel | undefined;

  /** @param wake Called when a key's wake-up is due. */
  constructor(clock: Clock, wake: (key: string) => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  get size(): number {
    return this.#wakeUps.size;
  }

  /** Wakes `key` in `delayMs`, and no longer at the earlier time. */
  set(key: string, delayMs: number): void {
    this.cancel(key);
    this.#schedule(key, delayMs);
    this.#cancelJumpCheck ??= this.#clock.schedule(JUMP_CHECK_MS, this.#checkForJump);
  }

  cancel(key: string): void {
    this.#wakeUps.get(key)?.cancel();
    this.#wakeUps.delete(key);
  }

  /** Wakes every key that `shouldFire` accepts now, in the order in which they were set. */
  fireAll(shouldFire: (key: string) => boolean): void {
    for (const key of [...this.#wakeUps.keys()].filter(shouldFire)) this.#fire(key);
  }

  clear(): void {
    for (const { cancel } of this.#wakeUps.values()) cancel();
    this.#wakeUps.clear();
    this.#cancelJumpCheck?.();
    this.#cancelJumpCheck = undefined;
  }

  #schedule(key: string, delayMs: number): void {
    this.#wakeUps.set(key, {
      dueWallMs: this.#clock.now().getTime() + delayMs,
      dueMs: this.#clock.monotonicMs() + delayMs,
      cancel: this.#clock.schedule(delayMs, () => this.#fire(key)),
    });
  }

  #fire(key: string): void {
    this.cancel(key);
    this.#wake(key);
  }

  readonly #checkForJump = () => {
    const wallMs = this.#clock.now().getTime();
    const nowMs = this.#clock.monotonicMs();
    for (const [key, { dueWallMs, dueMs, cancel }] of this.#wakeUps) {
      const leftMs = dueWallMs - wallMs;
      if (leftMs <= 0) {
        this.#fire(key);
      } else if (dueMs - nowMs - leftMs >= SMALLEST_JUMP_MS) {
        cancel();
        this.#schedule(key, leftMs);
      }
    }
    this.#cancelJumpCheck =
      this.#wakeUps.size > 0 ? this.#clock.schedule(JUMP_CHECK_MS, this.#checkForJump) : undefined;
  };
}
