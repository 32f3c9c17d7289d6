/** Bounds of processor time, which do not depend on what else the machine does. */

/** A collection of garbage may fall into any call, and not into each of so many. */
const TRIES = 5;

/**
 * What `call` returns. Throws when it takes more than `maxMs` milliseconds of this thread's processor time, however often it is
 * called; so it must do the same each time.
 */
export function withinCpu<T>(maxMs: number, call: () => T): T {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let count = 0; count < TRIES; count++) {
    const before = process.threadCpuUsage();
    const result = call();
    const { user, system } = process.threadCpuUsage(before);
    leastMs = Math.min(leastMs, (user + system) / 1000);
    if (leastMs <= maxMs) return result;
  }
  throw new Error(`takes ${leastMs.toFixed(1)} ms of CPU, more than ${maxMs} ms`);
}
