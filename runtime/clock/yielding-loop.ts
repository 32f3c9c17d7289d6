import type { Clock } from './clock.ts';

/** How long one task may block the event loop, in milliseconds. Other tasks may do so in the same turn. */
export const MAX_BLOCKING_MS = 5;

/**
 * Calls `work` for each of `items`, and yields to timers and sockets every {@link MAX_BLOCKING_MS}. Work that fits into one
 * turn is done when this returns. Rejects with the error of `work`.
 */
export async function forEachYielding<T>(clock: Clock, items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let turnStartMs = clock.monotonicMs();
  for (const item of items) {
    if (clock.monotonicMs() - turnStartMs >= MAX_BLOCKING_MS) {
      await yieldToEventLoop();
      turnStartMs = clock.monotonicMs();
    }
    work(item);
  }
}

/** Resolves in the next turn of the event loop, after due timers and ready sockets. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
