import { describe, expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import type { QueueGauges, QueueMetrics } from './queue-metrics.ts';
import { WorkQueue, type WorkQueueOptions } from './work-queue.ts';

function scene(options: Partial<WorkQueueOptions> = {}) {
  const clock = new FakeClock('2026-01-01T00:00:00Z');
  return { clock, queue: new WorkQueue({ clock, ...options }) };
}

/** A worker that only writes down what it is given, and never hands it back. */
function hire(queue: WorkQueue): (string | undefined)[] {
  const given: (string | undefined)[] = [];
  void (async () => {
    let key: string | undefined;
    do {
      key = await queue.get();
      given.push(key);
    } while (key !== undefined);
  })();
  return given;
}

describe('add', () => {
  test('hands keys out in the order they came', async () => {
    const { queue } = scene();
    for (const key of ['b', 'a', 'c']) queue.add(key);
    expect([await queue.get(), await queue.get(), await queue.get()]).toEqual(['b', 'a', 'c']);
  });

  test('hands out once what is added many times, at its first place', async () => {
    const { clock, queue } = scene();
    for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
    const given = hire(queue);
    await clock.advance(0);
    expect(given).toEqual(['a', 'b']);
  });

  test('wakes one worker that waits, the one that has waited longest', async () => {
    const { clock, queue } = scene();
    const [first, second] = [hire(queue), hire(queue)];
    await clock.advance(0);
    queue.add('a');
    await clock.advance(0);
    expect([first, second]).toEqual([['a'], []]);
  });

  test('does not hand out a key that a worker has', async () => {
    const { clock, queue } = scene();
    queue.add('a');
    await queue.get();
    queue.add('a');
    const given = hire(queue);
    await clock.advance(0);
    expect([given, queue.depth, queue.isIdle]).toEqual([[], 0, false]);
  });

  test('while a worker has the key, hands it out once more when that is done', async () => {
    const { clock, queue } = scene();
    queue.add('a');
    await queue.get();
    queue.add('a');
    queue.add('a');
    queue.done('a');
    const given = hire(queue);
    await clock.advance(0);
    expect(given).toEqual(['a']);
    queue.done('a');
    expect(queue.isIdle).toBe(true);
  });

  test('while a worker has the key, hands it to a worker that waits when that is done', async () => {
    const { clock, queue } = scene();
    queue.add('a');
    await queue.get();
    const given = hire(queue);
    queue.add('a');
    queue.done('a');
    await clock.advance(0);
    expect(given).toEqual(['a']);
  });
});

describe('namespaces', () => {
  test('take turns: 10,000 keys of one do not go before one of another', async () => {
    const { queue } = scene();
    for (let index = 0; index < 10_000; index++) queue.add(`big/${index}`);
    for (const key of ['small/a', 'small/b', 'cluster-scoped']) queue.add(key);
    const given = [];
    for (let count = 0; count < 6; count++) given.push(await queue.get());
    expect(given).toEqual(['big/0', 'small/a', 'cluster-scoped', 'big/1', 'small/b', 'big/2']);
  });

  test('leave room for others in what workers have at once, however many keys they have', async () => {
    const { clock, queue } = scene({ maxWorking: 100 });
    for (let index = 0; index < 200; index++) queue.add(`big/${index}`);
    const given = hire(queue);
    await clock.advance(0);
    expect(given).toHaveLength(60);
    for (let index = 0; index < 50; index++) queue.add(`small/${index}`);
    await clock.advance(0);
    expect(given.slice(60)).toEqual(Array.from({ length: 12 }, (_, index) => `small/${index}`));
    for (let index = 0; index < 200; index++) queue.add(`other-${index}/a`);
    await clock.advance(0);
    expect(given).toHaveLength(100);
  });

  test('get what they may have as soon as another key is done', async () => {
    const { clock, queue } = scene({ maxWorking: 1 });
    for (const key of ['x/a', 'x/b', 'y/a']) queue.add(key);
    const given = hire(queue);
    await clock.advance(0);
    for (const key of ['x/a', 'y/a', 'x/b']) {
      expect(given.at(-1)).toBe(key);
      queue.done(key);
      await clock.advance(0);
    }
    expect(queue.isIdle).toBe(true);
  });
});

test('done without get is an error', () => {
  expect(() => scene().queue.done('a')).toThrow('done("a") without get');
});

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

describe('shutDown', () => {
  test('lets workers go, those that wait and those that come', async () => {
    const { clock, queue } = scene();
    const given = [hire(queue), hire(queue)];
    await clock.advance(0);
    queue.shutDown();
    await clock.advance(0);
    expect(given).toEqual([[undefined], [undefined]]);
    expect(await queue.get()).toBeUndefined();
  });

  test('drops what waits, for a worker or for an instant', async () => {
    const { clock, queue } = scene();
    queue.add('a');
    queue.addAfter('b', 1000);
    queue.addRateLimited('c');
    queue.shutDown();
    await clock.advance(60_000);
    expect(await queue.get()).toBeUndefined();
    expect([queue.depth, queue.scheduled, clock.pendingTimers]).toEqual([0, 0, 0]);
  });

  test('takes nothing in any more', () => {
    const { clock, queue } = scene();
    queue.shutDown();
    queue.add('a');
    queue.addAfter('b', 1000);
    queue.addAfter('c', 0);
    queue.addRateLimited('d');
    expect([queue.depth, queue.scheduled, clock.pendingTimers]).toEqual([0, 0, 0]);
  });

  test('lets a worker hand back what it has, and does not hand it out again', async () => {
    const { queue } = scene();
    queue.add('a');
    await queue.get();
    queue.add('a');
    queue.shutDown();
    queue.add('a');
    queue.done('a');
    expect([queue.depth, queue.isIdle]).toEqual([0, true]);
  });
});

/** Writes down what a queue tells. */
class Notes implements QueueMetrics {
  readonly lines: string[] = [];
  gauges: QueueGauges | undefined;

  added = () => void this.lines.push('added');
  started = (waitedMs: number) => void this.lines.push(`started after ${waitedMs}`);
  finished = (workedMs: number) => void this.lines.push(`finished after ${workedMs}`);
  retried = () => void this.lines.push('retried');

  observe(gauges: QueueGauges): void {
    this.gauges = gauges;
  }

  get state() {
    const { depth, unfinishedMs, longestRunningMs } = this.gauges!;
    return { depth: depth(), unfinishedMs: unfinishedMs(), longestRunningMs: longestRunningMs() };
  }
}

describe('metrics', () => {
  test('are told of every step, and of duplicates only while a worker has the key', async () => {
    const notes = new Notes();
    const { clock, queue } = scene({ metrics: notes });
    queue.add('a');
    queue.add('a');
    await clock.advance(30);
    await queue.get();
    queue.add('a');
    queue.add('a');
    await clock.advance(20);
    queue.done('a');
    await clock.advance(10);
    await queue.get();
    queue.addRateLimited('a');
    expect(notes.lines).toEqual([
      'added',
      'started after 30',
      'added',
      'finished after 20',
      'started after 10',
      'retried',
    ]);
  });

  test('show what waits and what is being worked on, whenever they are asked', async () => {
    const notes = new Notes();
    const { clock, queue } = scene({ metrics: notes });
    expect(notes.state).toEqual({ depth: 0, unfinishedMs: 0, longestRunningMs: 0 });
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await queue.get();
    await clock.advance(30);
    await queue.get();
    await clock.advance(20);
    expect(notes.state).toEqual({ depth: 1, unfinishedMs: 70, longestRunningMs: 50 });
  });
});
