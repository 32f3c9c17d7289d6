/** Cancels the scheduled callback. A second call has no effect. */
export type Cancel = () => void;

/** A source of time and of timers. Tests can replace the system clock with a `FakeClock`. */
export interface Clock {
  /** Returns the time of the wall clock, which may jump. */
  now(): Date;
  /** Returns the time of the monotonic clock in milliseconds. Use this time only for differences. */
  monotonicMs(): number;
  /**
   * Calls `callback` once after at least `delayMs`. The delay may be longer than the maximum of Node's timers. With a
   * delay of 0 or less, calls `callback` in the next turn of the event loop.
   */
  schedule(delayMs: number, callback: () => void): Cancel;
}

/** Waits for `delayMs` or until `signal` aborts. Does not reject, so check `signal.aborted` afterwards. */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = () => {
      cancel();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = clock.schedule(delayMs, finish);
    signal.addEventListener('abort', finish);
  });
}

/** Resolves when `signal` aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
