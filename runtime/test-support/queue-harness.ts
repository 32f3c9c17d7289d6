/** A work queue with a clock that the test controls, and workers that record their keys. */
import { FakeClock } from '../testing/fake-clock.ts';
import { WorkQueue, type WorkQueueOptions } from '../workqueue/work-queue.ts';

export function createQueue(options: Partial<WorkQueueOptions> = {}) {
  const clock = new FakeClock('2026-01-01T00:00:00Z');
  return { clock, queue: new WorkQueue({ clock, ...options }) };
}

/** Starts a worker that records its keys, but never finishes a key. */
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
