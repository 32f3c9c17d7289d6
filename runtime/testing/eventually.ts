import { setTimeout as sleep } from 'node:timers/promises';

export interface EventuallyOptions {
  /** After so long it fails, in milliseconds. Generous, because it bounds a failure and never a success. Default 2 minutes. */
  readonly timeoutMs?: number;
  /** Between two tries, in milliseconds. Default 50. */
  readonly intervalMs?: number;
}

/** Tries until `assertion` stops throwing, and resolves to what it returned. Fails with its last error. */
export async function eventually<T>(
  assertion: () => T | Promise<T>,
  { timeoutMs = 120_000, intervalMs = 50 }: EventuallyOptions = {},
): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() >= deadlineMs) throw stillFailing(error, timeoutMs);
    }
    await sleep(intervalMs);
  }
}

/** The assertion's own error, so that the runner shows its diff and its place in the test. */
function stillFailing(error: unknown, timeoutMs: number): unknown {
  if (error instanceof Error) error.message = `still failing after ${timeoutMs / 1000} s: ${error.message}`;
  return error;
}
