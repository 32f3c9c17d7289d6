/** Limits of CPU time, which do not depend on other processes. */

/** Number of attempts: a garbage collection may fall into any call, but not into all of them. */
const TRIES = 5;

/**
 * Returns the result of `call`. Throws when each attempt takes more than `maxMs` milliseconds of this thread's CPU time. `call` must be
 * repeatable.
 */
export function expectWithinCpu<T>(maxMs: number, call: () => T): T {
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
