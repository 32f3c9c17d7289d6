import { describe, expect, test } from 'vitest';
import { createQueue, startWorker } from '../test-support/queue-harness.ts';

describe('addAfter', () => {
  test('better: a new wake-up replaces the earlier wake-up (kubernetes issue 130838)', async () => {
    const { clock, queue } = createQueue();
    const given = startWorker(queue);
    queue.addAfter('a', 1000);
    queue.addAfter('a', 5000);
    await clock.advance(4999);
    expect(given).toEqual([]);
    await clock.advance(1);
    expect(given).toEqual(['a']);
  });
});

describe('addRateLimited', () => {
  test('waits for the minimum, even if the back-off is shorter', async () => {
    const { clock, queue } = createQueue();
    queue.addRateLimited('a', 7000);
    await clock.advance(6999);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(queue.depth).toBe(1);
  });
});

test('cancelRetry cancels the retry, and the next failure backs off further', async () => {
  const { clock, queue } = createQueue();
  queue.addRateLimited('a');
  queue.cancelRetry('a');
  expect([queue.scheduledCount, queue.getFailureCount('a')]).toEqual([0, 1]);
  queue.addRateLimited('a');
  await clock.advance(9);
  expect(queue.depth).toBe(0);
  await clock.advance(1);
  expect(queue.depth).toBe(1);
});

describe('retryNow', () => {
  test('does not add keys whose minimum wait has not passed', async () => {
    const { clock, queue } = createQueue();
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
