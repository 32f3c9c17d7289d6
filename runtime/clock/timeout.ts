import type { Clock } from './clock.ts';

/** Options of {@link withTimeout}. */
export interface TimeoutOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Message of the timeout error. Default `not done within <timeoutMs> ms`. */
  readonly message?: string;
  readonly signal?: AbortSignal;
}

/**
 * Runs `work` with a signal that aborts after `timeoutMs` or when `signal` aborts. When the signal aborts, the returned
 * promise rejects, even if `work` ignores the signal.
 */
export function withTimeout<R>(options: TimeoutOptions, work: (signal: AbortSignal) => Promise<R>): Promise<R> {
  return withTimeoutSignal(options, (signal) => {
    const abortPromise = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      if (signal.aborted) reject(signal.reason);
    });
    return Promise.race([abortPromise, work(signal)]);
  });
}

/**
 * Like {@link withTimeout}, but waits until `work` has ended. After the timeout, the returned promise rejects, even if
 * `work` succeeds. If `work` fails, its error becomes the cause of the timeout error.
 */
export async function withTimeoutSignal<R>(
  { clock, timeoutMs, message = `not done within ${timeoutMs} ms`, signal }: TimeoutOptions,
  work: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  const controller = new AbortController();
  const timeoutError = new Error(message);
  // AbortSignal.any would keep its listeners as long as `signal` exists, which may be as long as the process.
  const onAbort = () => controller.abort(signal?.reason);
  const cancel = clock.schedule(timeoutMs, () => controller.abort(timeoutError));
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  try {
    const result = await work(controller.signal);
    if (controller.signal.reason === timeoutError) throw timeoutError;
    return result;
  } catch (error) {
    if (controller.signal.reason !== timeoutError || error === timeoutError) throw error;
    throw new Error(message, { cause: error });
  } finally {
    cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}
