import { describe, expect, test } from 'vitest';
import { createQueue } from '../test-support/queue-harness.ts';
import type { QueueGauges, QueueMetrics } from './queue-metrics.ts';

/** Records a queue's metrics. */
class Notes implements QueueMetrics {
  readonly lines: string[] = [];
  gauges: QueueGauges | undefined;

  recordAdd = () => void this.lines.push('added');
  recordStart = (waitedMs: number) => void this.lines.push(`started after ${waitedMs}`);
  recordEnd = (workedMs: number) => void this.lines.push(`finished after ${workedMs}`);
  recordRetry = () => void this.lines.push('retried');

  observe(gauges: QueueGauges): void {
    this.gauges = gauges;
  }

  get state() {
    const { depth, unfinishedMs, longestRunningMs } = this.gauges!;
    return { depth: depth(), unfinishedMs: unfinishedMs(), longestRunningMs: longestRunningMs() };
  }
}

describe('the metrics of a queue', () => {
  test('count every step, and duplicates only while a worker has the key', async () => {
    const notes = new Notes();
    const { clock, queue } = createQueue({ metrics: notes });
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

  test('read the waiting keys and the keys in progress at each scrape', async () => {
    const notes = new Notes();
    const { clock, queue } = createQueue({ metrics: notes });
    expect(notes.state).toEqual({ depth: 0, unfinishedMs: 0, longestRunningMs: 0 });
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await queue.get();
    await clock.advance(30);
    await queue.get();
    await clock.advance(20);
    expect(notes.state).toEqual({ depth: 1, unfinishedMs: 70, longestRunningMs: 50 });
  });
});
