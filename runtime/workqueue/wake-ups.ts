import type { Cancel, Clock } from '../clock/clock.ts';

interface WakeUp {
  readonly dueWallMs: number;
  /** On the steady clock. */
  readonly dueMs: number;
  readonly cancel: Cancel;
}

/** How often the wall clock is looked at for a jump. */
const JUMP_CHECK_MS = 30_000;

/** A wall clock that is adjusted bit by bit makes no jump. */
const SMALLEST_JUMP_MS = 100;

/**
 * At most one wake-up per key: setting another replaces it, so that one which an edit made void never fires.
 *
 * A wake-up is due when its time has passed on the steady clock, or when the wall clock has reached its instant. A jump forward (a
 * machine that slept, a clock that was set) is noticed within half a minute: what is due then comes at once, the rest at its instant.
 */
export class WakeUps {
  readonly #clock: Clock;
  readonly #wake: (key: string) => void;
  readonly #armed = new Map<string, WakeUp>();
  #cancelJumpCheck: Cancel | undefined;

  /** @param wake Called when a key's time has come. */
  constructor(clock: Clock, wake: (key: string) => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  get size(): number {
    return this.#armed.size;
  }

  /** Wakes `key` in `delayMs`, and not at the time set before. */
  set(key: string, delayMs: number): void {
    this.cancel(key);
    this.#arm(key, delayMs);
    this.#cancelJumpCheck ??= this.#clock.schedule(JUMP_CHECK_MS, this.#checkForJump);
  }

  cancel(key: string): void {
    this.#armed.get(key)?.cancel();
    this.#armed.delete(key);
  }

  /** Wakes now every key that `isMeant` names, in the order in which they were set. */
  fireAll(isMeant: (key: string) => boolean): void {
    for (const key of [...this.#armed.keys()].filter(isMeant)) this.#fire(key);
  }

  clear(): void {
    for (const { cancel } of this.#armed.values()) cancel();
    this.#armed.clear();
    this.#cancelJumpCheck?.();
    this.#cancelJumpCheck = undefined;
  }

  #arm(key: string, delayMs: number): void {
    this.#armed.set(key, {
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
    for (const [key, { dueWallMs, dueMs, cancel }] of this.#armed) {
      const leftMs = dueWallMs - wallMs;
      if (leftMs <= 0) {
        this.#fire(key);
      } else if (dueMs - nowMs - leftMs >= SMALLEST_JUMP_MS) {
        cancel();
        this.#arm(key, leftMs);
      }
    }
    this.#cancelJumpCheck = this.#armed.size > 0 ? this.#clock.schedule(JUMP_CHECK_MS, this.#checkForJump) : undefined;
  };
}
