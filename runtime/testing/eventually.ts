import { setTimeout as sleep } from 'node:timers/promises';

export interface EventuallyOptions {
  /** Time until it fails, in milliseconds. Generous, because it only delays failures. Default 2 minutes. */
  readonly timeoutMs?: number;
  /** Time between two attempts, in milliseconds. Default 50. */
  readonly intervalMs?: number;
}

/** Retries until `assertion` stops throwing, and resolves to its result. Fails with its last error. */
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

/** Keeps the assertion's own error, so that the test runner shows its diff and its place in the test. */
function withTimeoutMessage(error: unknown, timeoutMs: number): unknown {
  if (error instanceof Error) error.message = `still failing after ${timeoutMs / 1000} s: ${error.message}`;
  return error;
}
