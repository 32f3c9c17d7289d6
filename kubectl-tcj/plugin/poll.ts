import { type Clock, sleep } from 'controller-runtime';

interface PollOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly intervalMs: number;
  /** The time on the monotonic clock after which `read` is not called again. */
  readonly deadlineMs: number;
}

/** Calls `read` until it returns a value. Returns `undefined` after the deadline. Rejects if the signal aborts. */
export async function poll<T>(read: () => Promise<T | undefined>, options: PollOptions): Promise<T | undefined> {
  const { clock, signal, intervalMs, deadlineMs } = options;
  for (;;) {
    const found = await read();
    const remainingMs = deadlineMs - clock.monotonicMs();
    if (found !== undefined || remainingMs <= 0) return found;
    await sleep(clock, Math.min(intervalMs, remainingMs), signal);
    signal.throwIfAborted();
  }
}
