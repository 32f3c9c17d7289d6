/** Counts the slots that the code under test computes. Each takes time, in which the process does nothing else. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Schedule } from 'kubernetes-cron-schedule';
import { parseSchedule } from '../../api/v1/schedule.ts';

/** Holder of the count. */
export interface SlotCount {
  slotsComputed: number;
}

const currentCount = new AsyncLocalStorage<SlotCount>();

/** Counts the slots that `work` computes, including asynchronous parts. */
export function countSlots<R>(count: SlotCount, work: () => R): R {
  return currentCount.run(count, work);
}

// One schedule of each kind.
for (const text of ['* * * * *', '@every 1h']) {
  const parsed = parseSchedule(text);
  if (parsed.kind === 'ok') countCalls(Object.getPrototypeOf(parsed.schedule));
}

/** All schedules of a kind share these methods. */
function countCalls(methods: Pick<Schedule, 'next' | 'previous'>): void {
  const { next, previous } = methods;
  Object.assign(methods, {
    next(this: Schedule, after: Date) {
      increment();
      return next.call(this, after);
    },
    previous(this: Schedule, notAfter: Date) {
      increment();
      return previous.call(this, notAfter);
    },
  });
}

function increment(): void {
  const count = currentCount.getStore();
  if (count !== undefined) count.slotsComputed++;
}
