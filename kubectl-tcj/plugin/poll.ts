import { type Clock, sleep } from 'controller-runtime';

interface PollOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly everyMs: number;
  /** On the monotonic clock. The last look comes at this time. */
  readonly untilMs: number;
}

/** Calls `look` until it returns a value; `undefined` when the time has passed. Rejects when the signal aborts. */
export async function poll<T>(read: () => Promise<T | undefined>, options: PollOptions): Promise<T | undefined> {
  const { clock, signal, everyMs, untilMs } = options;
  for (;;) {
    const found = await read();
    const leftMs = untilMs - clock.monotonicMs();
    if (found !== undefined || leftMs <= 0) return found;
    await sleep(clock, Math.min(everyMs, leftMs), signal);
    signal.throwIfAborted();
  }
}
