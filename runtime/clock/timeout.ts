import type { Clock } from './clock.ts';

/** How long some work may take, and what else ends it. */
export interface Limit {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Of the error when the time is over. Default `not done within <timeoutMs> ms`. */
  readonly message?: string;
  readonly signal?: AbortSignal;
}

/** Runs `work` with a signal that aborts after `timeoutMs`, or with `signal`. Rejects then, whether or not the work heeds it. */
export async function withTimeout<R>(limit: Limit, work: (signal: AbortSignal) => Promise<R>): Promise<R> {
  const { clock, timeoutMs, message = `not done within ${timeoutMs} ms`, signal } = limit;
  const end = new AbortController();
  const ended = new Promise<never>((_, reject) => {
    end.signal.addEventListener('abort', () => reject(end.signal.reason), { once: true });
  });
  // Not AbortSignal.any: what listens to that lives as long as `signal`, which may be as long as the process.
  const onAbort = () => end.abort(signal?.reason);
  const cancel = clock.schedule(timeoutMs, () => end.abort(new Error(message)));
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  try {
    return await Promise.race([ended, work(end.signal)]);
  } finally {
    cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}
