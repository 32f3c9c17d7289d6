import { setTimeout as sleep } from 'node:timers/promises';
import type { RecordingLogger } from './recording-logger.ts';

/** Options of {@link eventually}. */
export interface EventuallyOptions {
  /** Maximum time to retry the assertion, in milliseconds. Default 2 minutes. */
  readonly timeoutMs?: number;
  /** Time between two attempts, in milliseconds. Default 50. */
  readonly intervalMs?: number;
  /** Time after which the last error is written to stderr, in milliseconds. Default 10 seconds. */
  readonly noticeAfterMs?: number;
  /** The log of the manager. The messages contain its last errors. Default: no log. */
  readonly log?: Pick<RecordingLogger, 'errors'>;
}

/** Maximum number of errors of the log in a message. */
const MAX_LOGGED_ERRORS = 3;

/**
 * Retries `assertion` until the assertion succeeds, and resolves to its result. After 10 seconds, writes the last error
 * of `assertion` to stderr once. After the timeout, rejects with the last error.
 */
export async function eventually<T>(
  assertion: () => T | Promise<T>,
  { timeoutMs = 120_000, intervalMs = 50, noticeAfterMs = 10_000, log }: EventuallyOptions = {},
): Promise<T> {
  const startMs = performance.now();
  let isNoticePending = noticeAfterMs < timeoutMs;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      const elapsedMs = performance.now() - startMs;
      if (elapsedMs >= timeoutMs) throw withTimeoutMessage(error, timeoutMs, log);
      if (isNoticePending && elapsedMs >= noticeAfterMs) {
        isNoticePending = false;
        const limit = `retrying until ${timeoutMs / 1000} s`;
        process.stderr.write(
          `still failing after ${Math.round(elapsedMs / 1000)} s, ${limit}: ${describe(error, log)}\n`,
        );
      }
    }
    await sleep(intervalMs);
  }
}

/**
 * Adds the timeout to the message of the error. A new error would lack the diff and the stack, which the test runner
 * shows.
 */
function withTimeoutMessage(error: unknown, timeoutMs: number, log: EventuallyOptions['log']): unknown {
  if (error instanceof Error) error.message = `still failing after ${timeoutMs / 1000} s: ${describe(error, log)}`;
  return error;
}

function describe(error: unknown, log: EventuallyOptions['log']): string {
  const loggedErrors = (log?.errors ?? []).slice(-MAX_LOGGED_ERRORS);
  return [
    error instanceof Error ? error.message : String(error),
    ...loggedErrors.map((record) => `  logged: ${record.message}: ${record.error}`),
  ].join('\n');
}
