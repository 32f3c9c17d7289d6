import type { Clock } from '../../runtime/clock/clock.ts';
import { MINUTE_MS, SECOND_MS } from './durations.ts';

/** Time after a reconcile until all its effects have happened. */
export const REST_MS = 2 * SECOND_MS;
/** The longest back-off, and some more time. */
export const PATIENCE_MS = 20 * MINUTE_MS;
/** Time from the end of denied deletes until all deletes are done. */
export const DELETE_PATIENCE_MS = 70 * MINUTE_MS;

/** The scheduled inspections, at most one for each key. */
export class InspectionQueue {
  readonly #clock: Clock;
  readonly #inspect: (key: string) => void;
  readonly #keys = new Set<string>();

  constructor(clock: Clock, inspect: (key: string) => void) {
    this.#clock = clock;
    this.#inspect = inspect;
  }

  /** Ignored when an inspection of `key` is scheduled. */
  schedule(key: string, delayMs = REST_MS): void {
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    this.#clock.schedule(delayMs, () => {
      this.#keys.delete(key);
      this.#inspect(key);
    });
  }
}
