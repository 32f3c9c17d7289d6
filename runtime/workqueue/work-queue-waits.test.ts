import { describe, expect, test } from 'vitest';
import { hire, scene } from '../test-support/queue-scene.ts';

describe('addAfter', () => {
  test('hands the key out when its time has come', async () => {
    const { clock, queue } = scene();
    const given = hire(queue);
    queue.addAfter('a', 1000);
    await clock.advance(999);
    expect([given, queue.scheduled]).toEqual([[], 1]);
    await clock.advance(1);
    expect([given, queue.scheduled]).toEqual([['a'], 0]);
  });

  test.each([0, -1000])('of %i ms is add, and void what was set before', async (delayMs) => {
    const { queue } = scene();
    queue.addAfter('a', 1000);
    queue.addAfter('a', delayMs);
    expect([queue.depth, queue.scheduled]).toEqual([1, 0]);
  });

  test('better: replaces the wake-up that was set before (kubernetes issue 130838)', async () => {
    const { clock, queue } = scene();
    const given = hire(queue);
    queue.addAfter('a', 1000);
    queue.addAfter('a', 5000);
    await clock.advance(4999);
    expect(given).toEqual([]);
    await clock.advance(1);
    expect(given).toEqual(['a']);
  });

  test('counts for nothing once the wake-up is cancelled', async () => {
    const { clock, queue } = scene();
    queue.addAfter('a', 1000);
    queue.cancelWakeUp('a');
    await clock.advance(5000);
    expect(queue.depth).toBe(0);
  });

  test('does not hand out a key that a worker has when its time comes, but afterwards', async () => {
    const { clock, queue } = scene();
    queue.add('a');
    const given = hire(queue);
    queue.addAfter('a', 1000);
    await clock.advance(1000);
    expect(given).toEqual(['a']);
    queue.done('a');
    await clock.advance(0);
    expect(given).toEqual(['a', 'a']);
  });

  test('hands the key out half a minute after the wall clock jumped past its instant', async () => {
    const { clock, queue } = scene();
    queue.addAfter('a', 3_600_000);
    clock.jumpTo('2026-01-01T02:00:00Z');
    await clock.advance(30_000);
    expect(queue.depth).toBe(1);
  });
});

describe('addRateLimited', () => {
  test('hands the key out after its back-off, which grows until the key is forgotten', async () => {
    const { clock, queue } = scene();
    queue.addRateLimited('a');
    await clock.advance(5);
    queue.addRateLimited('a');
    expect([queue.depth, queue.scheduled, queue.failures('a')]).toEqual([1, 1, 2]);
    queue.forget('a');
    queue.addRateLimited('a');
    await clock.advance(5);
    expect([queue.scheduled, queue.failures('a')]).toEqual([0, 1]);
  });

  test('waits for as long as it must, even if the back-off is shorter', async () => {
    const { clock, queue } = scene();
    queue.addRateLimited('a', 7000);
    await clock.advance(6999);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(queue.depth).toBe(1);
  });

  test.each([1, 60_000])('leaves the wake-up that is set, in %i ms', async (wakeUpMs) => {
    const { clock, queue } = scene();
    const given = hire(queue);
    queue.addAfter('a', wakeUpMs);
    queue.addRateLimited('a');
    await clock.advance(5);
    if (given.length > 0) queue.done('a');
    await clock.advance(60_000);
    expect(given).toEqual(['a', 'a']);
  });

  test('replaces the retry that was set before', async () => {
    const { clock, queue } = scene();
    queue.addRateLimited('a');
    queue.addRateLimited('a', 7000);
    await clock.advance(6999);
    expect([queue.depth, queue.scheduled]).toEqual([0, 1]);
  });

  test('counts for nothing once the key is forgotten', async () => {
    const { clock, queue } = scene();
    queue.addRateLimited('a');
    queue.forget('a');
    await clock.advance(60_000);
    expect(queue.depth).toBe(0);
  });
});

test('cancelRetry voids the retry, and the next failure backs off further', async () => {
  const { clock, queue } = scene();
  queue.addRateLimited('a');
  queue.cancelRetry('a');
  expect([queue.scheduled, queue.failures('a')]).toEqual([0, 1]);
  queue.addRateLimited('a');
  await clock.advance(9);
  expect(queue.depth).toBe(0);
  await clock.advance(1);
  expect(queue.depth).toBe(1);
});

describe('retryNow', () => {
  test('hands out what waits for its retry, and leaves wake-ups', async () => {
    const { queue } = scene();
    queue.addRateLimited('a');
    queue.addAfter('b', 7000);
    queue.retryNow();
    expect([queue.depth, queue.scheduled, queue.failures('a')]).toEqual([1, 1, 1]);
  });

  test('leaves alone what the server asked to wait, until it has', async () => {
    const { clock, queue } = scene();
    queue.addRateLimited('a', 7000);
    queue.retryNow();
    expect(queue.depth).toBe(0);
    await clock.advance(7000);
    expect(queue.depth).toBe(1);
    await queue.get();
    queue.addRateLimited('a');
    queue.done('a');
    queue.retryNow();
    expect(queue.depth).toBe(1);
  });
});
