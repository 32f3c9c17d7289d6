import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { aborted, sleep } from './clock.ts';

/** Returns whether `promise` has resolved yet. */
function watched(promise: Promise<void>): () => boolean {
  let isOver = false;
  void promise.then(() => {
    isOver = true;
  });
  return () => isOver;
}

describe('sleep', () => {
  test('ends when the delay has passed', async () => {
    const clock = new FakeClock();
    const isOver = watched(sleep(clock, 1000, new AbortController().signal));
    await clock.advance(999);
    expect(isOver()).toBe(false);
    await clock.advance(1);
    expect(isOver()).toBe(true);
  });

  test('ends when the signal aborts, and leaves no timer behind', async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const isOver = watched(sleep(clock, 1000, stop.signal));
    stop.abort();
    await clock.advance(0);
    expect([isOver(), clock.pendingTimers]).toEqual([true, 0]);
  });

  test('returns at once if the signal has aborted', async () => {
    const clock = new FakeClock();
    await sleep(clock, 1000, AbortSignal.abort());
    expect(clock.pendingTimers).toBe(0);
  });

  test('leaves no listener on the signal', async () => {
    const clock = new FakeClock();
    const { signal } = new AbortController();
    void sleep(clock, 1000, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await clock.advance(1000);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('aborted', () => {
  test('resolves when the signal aborts, and not before', async () => {
    const stop = new AbortController();
    const isOver = watched(aborted(stop.signal));
    await new FakeClock().advance(0);
    expect(isOver()).toBe(false);
    stop.abort();
    await new FakeClock().advance(0);
    expect(isOver()).toBe(true);
  });

  test('resolves at once if the signal has aborted', () =>
    expect(aborted(AbortSignal.abort())).resolves.toBe(undefined));
});
