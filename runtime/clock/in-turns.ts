import type { Clock } from './clock.ts';

/** How long one piece of work may keep the event loop to itself, in milliseconds. Some others may do so in the same turn. */
export const MAX_TURN_MS = 5;

/**
 * Calls `work` for each of `items`, and gives way to timers and sockets every {@link MAX_TURN_MS}. What fits into one turn is
 * done when this returns. Rejects with what `work` throws.
 */
export async function inTurns<T>(clock: Clock, items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let beganMs = clock.monotonicMs();
  for (const item of items) {
    if (clock.monotonicMs() - beganMs >= MAX_TURN_MS) {
      await nextTurn();
      beganMs = clock.monotonicMs();
    }
    work(item);
  }
}

/** Resolves in the next turn of the event loop: timers that are due and sockets that have something come first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
