import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { withTimeout } from './timeout.ts';

const never = () => new Promise<never>(() => {});

test('returns the result of work that ends in time', async () => {
  const clock = new FakeClock();
  const { signal } = new AbortController();
  const limit = { clock, timeoutMs: 1_000, signal };
  expect(await withTimeout(limit, async () => 'done')).toBe('done');
  await expect(withTimeout(limit, () => Promise.reject(new Error('no luck')))).rejects.toThrow('no luck');
  expect(clock.pendingTimers).toBe(0);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('rejects after the timeout, even if the work ignores its signal', async () => {
  const clock = new FakeClock();
  let given: AbortSignal | undefined;
  const limited = withTimeout({ clock, timeoutMs: 1_000 }, (signal) => {
    given = signal;
    return never();
  });
  const rejected = expect(limited).rejects.toThrow('not done within 1000 ms');
  await clock.advance(999);
  expect(given?.aborted).toBe(false);
  await clock.advance(1);
  await rejected;
  expect(given?.aborted).toBe(true);
});

test('rejects with the reason of the signal', async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const limited = withTimeout({ clock, timeoutMs: 1_000, signal: stop.signal }, never);
  stop.abort(new Error('stopping'));
  await expect(limited).rejects.toThrow('stopping');
  expect(clock.pendingTimers).toBe(0);
});

test('rejects at once if the signal has aborted', async () => {
  const signal = AbortSignal.abort(new Error('stopped'));
  await expect(withTimeout({ clock: new FakeClock(), timeoutMs: 1_000, signal }, never)).rejects.toThrow('stopped');
});

test('ignores a later rejection of the work', async () => {
  const clock = new FakeClock();
  const workResult = Promise.withResolvers<never>();
  const limited = expect(withTimeout({ clock, timeoutMs: 1 }, () => workResult.promise)).rejects.toThrow('not done');
  await clock.advance(1);
  await limited;
  workResult.reject(new Error('late'));
  await clock.advance(1);
});
