import type { Clock } from './clock.ts';

/** Maximum time for which a task may block the event loop. */
export const MAX_BLOCKING_MS = 5;

/**
 * Calls `work` for each item, and yields to the event loop every {@link MAX_BLOCKING_MS}. If all calls together take
 * less than {@link MAX_BLOCKING_MS}, they run synchronously. If `work` throws an error, rejects with this error.
 */
export async function forEachYielding<T>(clock: Clock, items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let lastYieldMs = clock.monotonicMs();
  for (const item of items) {
    if (clock.monotonicMs() - lastYieldMs >= MAX_BLOCKING_MS) {
      await yieldToEventLoop();
      lastYieldMs = clock.monotonicMs();
    }
    work(item);
  }
}

/** Resolves in the next turn of the event loop, so that timers and sockets can run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
