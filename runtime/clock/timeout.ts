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
export async function withTimeout<R>(options: TimeoutOptions, work: (signal: AbortSignal) => Promise<R>): Promise<R> {
  const { clock, timeoutMs, message = `not done within ${timeoutMs} ms`, signal } = options;
  const controller = new AbortController();
  const abortPromise = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
  });
  // AbortSignal.any would keep its listeners as long as `signal` exists, which may be as long as the process.
  const onAbort = () => controller.abort(signal?.reason);
  const cancel = clock.schedule(timeoutMs, () => controller.abort(new Error(message)));
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  try {
    return await Promise.race([abortPromise, work(controller.signal)]);
  } finally {
    cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}
