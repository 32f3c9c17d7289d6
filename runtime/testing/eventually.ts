import { setTimeout as sleep } from 'node:timers/promises';

/** Options of {@link eventually}. */
export interface EventuallyOptions {
  /** Time after which the assertion fails, in milliseconds. Default 2 minutes. */
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

/** Changes the message of the original error, because the test runner shows the diff and the stack of the error. */
function withTimeoutMessage(error: unknown, timeoutMs: number): unknown {
  if (error instanceof Error) error.message = `still failing after ${timeoutMs / 1000} s: ${error.message}`;
  return error;
}
