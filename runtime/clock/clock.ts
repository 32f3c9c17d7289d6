/** Time as a dependency: all code that waits or reads the time takes a Clock. */

/** Cancels the scheduled callback. Does nothing when called again or after the callback ran. */
export type Cancel = () => void;

export interface Clock {
  /** The wall clock. It may jump when the machine's time is set. */
  now(): Date;
  /** Milliseconds on a clock that never jumps; only differences are meaningful. */
  monotonicMs(): number;
  /**
   * Calls `callback` once, after at least `delayMs`, a delay of any length; zero and negative delays run on the next
   * turn of the event loop.
   */
  schedule(delayMs: number, callback: () => void): Cancel;
}

/** Waits `delayMs`, or until `signal` aborts, whichever is first. Never rejects: check `signal.aborted` afterwards. */
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
