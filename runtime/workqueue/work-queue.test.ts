import { describe, expect, test } from 'vitest';
import { createQueue, startWorker } from '../test-support/queue-harness.ts';

describe('namespaces', () => {
  test('take turns: 10,000 keys of a namespace do not delay a key of another', async () => {
    const { queue } = createQueue();
    for (let index = 0; index < 10_000; index++) queue.add(`big/${index}`);
    for (const key of ['small/a', 'small/b', 'cluster-scoped']) queue.add(key);
    const given = [];
    for (let count = 0; count < 6; count++) given.push(await queue.get());
    expect(given).toEqual(['big/0', 'small/a', 'cluster-scoped', 'big/1', 'small/b', 'big/2']);
  });

  test('leave workers for other namespaces, however many keys they have', async () => {
    const { clock, queue } = createQueue({ maxConcurrentKeys: 100 });
    for (let index = 0; index < 200; index++) queue.add(`big/${index}`);
    const given = startWorker(queue);
    await clock.advance(0);
    expect(given).toHaveLength(60);
    for (let index = 0; index < 50; index++) queue.add(`small/${index}`);
    await clock.advance(0);
    expect(given.slice(60)).toEqual(Array.from({ length: 12 }, (_, index) => `small/${index}`));
    for (let index = 0; index < 200; index++) queue.add(`other-${index}/a`);
    await clock.advance(0);
    expect(given).toHaveLength(100);
  });
});

describe('low priority', () => {
  test('comes after all keys of normal priority', async () => {
    const { queue } = createQueue();
    queue.add('x/status', 'low');
    for (const key of ['x/due', 'y/due']) queue.add(key);
    expect([await queue.get(), await queue.get(), await queue.get()]).toEqual(['x/due', 'y/due', 'x/status']);
  });

  test('comes while keys of normal priority wait for seats of their namespace', async () => {
    const { clock, queue } = createQueue({ maxConcurrentKeys: 4 });
    for (let index = 0; index < 10; index++) queue.add(`bad/${index}`);
    queue.add('good/status', 'low');
    const given = startWorker(queue);
    await clock.advance(0);
    expect(given).toEqual(['bad/0', 'bad/1', 'bad/2', 'good/status']);
  });
});

test('hasWaiting counts keys that no worker has', async () => {
  const { queue } = createQueue({ maxConcurrentKeys: 1 });
  queue.add('a', 'low');
  expect(queue.hasWaitingKeys).toBe(true);
  await queue.get();
  expect(queue.hasWaitingKeys).toBe(false);
  queue.add('a');
  expect(queue.hasWaitingKeys).toBe(false);
  queue.add('b', 'low');
  expect(queue.hasWaitingKeys).toBe(true);
});

describe('tryLowerPriority', () => {
  test('returns true after shutDown, because no later reconcile continues the work', async () => {
    const { clock, queue } = createQueue({ maxConcurrentKeys: 4 });
    for (const key of ['a', 'b']) queue.add(key);
    startWorker(queue);
    await clock.advance(0);
    expect([queue.tryLowerPriority('a'), queue.tryLowerPriority('b')]).toEqual([true, false]);
    queue.shutDown();
    expect(queue.tryLowerPriority('b')).toBe(true);
  });
});

describe('a key of low priority', () => {
  test('is delayed by keys of normal priority for ten seconds at most', async () => {
    const { clock, queue } = createQueue({ maxConcurrentKeys: 1 });
    queue.add('late', 'low');
    const order: (string | undefined)[] = [];
    // Always one key waits, and each takes a second. Keys of low priority that start to wait later do not delay the first.
    for (let second = 0; second < 13; second++) {
      queue.add(`urgent-${second}`);
      queue.add(`later-${second}`, 'low');
      const key = await queue.get();
      order.push(key);
      await clock.advance(1000);
      queue.done(key ?? '');
    }
    expect(order.indexOf('late')).toBeGreaterThanOrEqual(10);
    expect(order.slice(0, 10)).not.toContain('late');
  });

  test('may continue after ten seconds, although other keys wait', async () => {
    const { clock, queue } = createQueue();
    queue.add('a');
    await queue.get();
    queue.add('b');
    expect(queue.tryLowerPriority('a')).toBe(false);
    queue.add('a', 'low');
    await clock.advance(9_000);
    expect(queue.tryLowerPriority('a')).toBe(false);
    await clock.advance(1_000);
    expect(queue.tryLowerPriority('a')).toBe(true);
  });

  test('starts a new wait after its work is done', async () => {
    const { clock, queue } = createQueue();
    queue.add('a', 'low');
    await clock.advance(20_000);
    await queue.get();
    queue.done('a');
    queue.add('a', 'low');
    queue.add('b');
    expect(await queue.get()).toBe('b');
  });
});

test.each(['done', 'tryLowerPriority'] as const)('%s without get is an error', (method) => {
  expect(() => createQueue().queue[method]('a')).toThrow(`${method}("a") without get`);
});

describe('shutDown', () => {
  test('releases waiting and later workers', async () => {
    const { clock, queue } = createQueue();
    const given = [startWorker(queue), startWorker(queue)];
    await clock.advance(0);
    queue.shutDown();
    await clock.advance(0);
    expect(given).toEqual([[undefined], [undefined]]);
    expect(await queue.get()).toBeUndefined();
  });

  test('drops waiting keys and wake-ups', async () => {
    const { clock, queue } = createQueue();
    queue.add('a');
    queue.addAfter('b', 1000);
    queue.addRateLimited('c');
    queue.shutDown();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(60_000);
    expect(await queue.get()).toBeUndefined();
    expect([queue.depth, queue.scheduledCount]).toEqual([0, 0]);
  });

  test('ignores new keys', () => {
    const { clock, queue } = createQueue();
    queue.shutDown();
    queue.add('a');
    queue.addAfter('b', 1000);
    queue.addAfter('c', 0);
    queue.addRateLimited('d');
    expect([queue.depth, queue.scheduledCount, clock.pendingTimers]).toEqual([0, 0, 0]);
  });

  test('accepts done, and does not return the key again', async () => {
    const { queue } = createQueue();
    queue.add('a');
    await queue.get();
    queue.add('a');
    queue.shutDown();
    queue.add('a');
    queue.done('a');
    expect([queue.depth, queue.isIdle]).toEqual([0, true]);
  });
});
