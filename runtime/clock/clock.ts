/** Time as a dependency: everything that waits or asks what time it is takes a Clock. */

/** Takes back what was scheduled. Calling it again, or after the callback ran, does nothing. */
export type Cancel = () => void;

export interface Clock {
  /** The wall clock. May jump when the machine's time is set. */
  now(): Date;
  /** Milliseconds on a clock that never jumps; only differences mean something. */
  monotonicMs(): number;
  /**
   * Calls `callback` once, after at least `delayMs`, of any length; zero and negative delays run on the next turn of the event
   * loop.
   */
  schedule(delayMs: number, callback: () => void): Cancel;
}

/** Waits `delayMs`, or until `signal` aborts, whichever is first. Never rejects: look at `signal.aborted` afterwards. */
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
