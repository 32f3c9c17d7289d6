import type { Clock } from '../../runtime/clock/clock.ts';

/** How often something has happened lately, by key. */
export class Rate {
  readonly #clock: Clock;
  readonly #windowMs: number;
  readonly #timesMs = new Map<string, number[]>();

  constructor(clock: Clock, windowMs: number) {
    this.#clock = clock;
    this.#windowMs = windowMs;
  }

  /** It happens now; returns how often it has within the window that ends now, this time included. */
  note(key: string): number {
    const nowMs = this.#clock.monotonicMs();
    const recent = (this.#timesMs.get(key) ?? []).filter((timeMs) => timeMs > nowMs - this.#windowMs);
    recent.push(nowMs);
    this.#timesMs.set(key, recent);
    return recent.length;
  }
}
