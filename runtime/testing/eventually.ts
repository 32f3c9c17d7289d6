import { setTimeout as sleep } from 'node:timers/promises';

/** Options of {@link eventually}. */
export interface EventuallyOptions {
  /** Maximum time to retry the assertion, in milliseconds. Default 2 minutes. */
  readonly timeoutMs?: number;
  /** Time between two attempts, in milliseconds. Default 50. */
  readonly intervalMs?: number;
}

/**
 * Retries `assertion` until the assertion succeeds, and resolves to its result. After the timeout, rejects with the
 * last error of `assertion`.
 */
export async function eventually<T>(
  assertion: () => T | Promise<T>,
  { timeoutMs = 120_000, intervalMs = 50 }: EventuallyOptions = {},
): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() >= deadlineMs) throw withTimeoutMessage(error, timeoutMs);
    }
    await sleep(intervalMs);
  }
}

/**
 * Adds the timeout to the message of the error. A new error would lack the diff and the stack, which the test runner
 * shows.
 */
function withTimeoutMessage(error: unknown, timeoutMs: number): unknown {
  if (error instanceof Error) error.message = `still failing after ${timeoutMs / 1000} s: ${error.message}`;
  return error;
}
