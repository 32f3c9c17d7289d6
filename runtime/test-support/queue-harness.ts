/** A work queue on a clock that the test moves, and workers that record their keys. */
import { FakeClock } from '../testing/fake-clock.ts';
import { WorkQueue, type WorkQueueOptions } from '../workqueue/work-queue.ts';

export function createQueue(options: Partial<WorkQueueOptions> = {}) {
  const clock = new FakeClock('2026-01-01T00:00:00Z');
  return { clock, queue: new WorkQueue({ clock, ...options }) };
}

/** A worker that only records its keys, and never returns one. */
export function startWorker(queue: WorkQueue): (string | undefined)[] {
  const received: (string | undefined)[] = [];
  void (async () => {
    let key: string | undefined;
    do {
      key = await queue.get();
      received.push(key);
    } while (key !== undefined);
  })();
  return received;
}
