import type { Cancel, Clock } from '../clock/clock.ts';

interface WakeUp {
  readonly dueWallMs: number;
  readonly cancel: Cancel;
}

/** How often the wall clock is looked at for a jump. */
const JUMP_CHECK_MS = 30_000;

/**
 * At most one wake-up per key: setting another replaces it, so that one which an edit made void never fires.
 *
 * A wake-up is due when its time has passed on the steady clock, or when the wall clock has reached its instant: after a
 * jump forward (a machine that slept, a clock that was set) it comes at most half a minute late.
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
    this.#armed.set(key, {
      dueWallMs: this.#clock.now().getTime() + delayMs,
      cancel: this.#clock.schedule(delayMs, () => this.#fire(key)),
    });
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

  #fire(key: string): void {
    this.cancel(key);
    this.#wake(key);
  }

  readonly #checkForJump = () => {
    const wallMs = this.#clock.now().getTime();
    for (const [key, { dueWallMs }] of this.#armed) {
      if (dueWallMs <= wallMs) this.#fire(key);
    }
    this.#cancelJumpCheck = this.#armed.size > 0 ? this.#clock.schedule(JUMP_CHECK_MS, this.#checkForJump) : undefined;
  };
}
