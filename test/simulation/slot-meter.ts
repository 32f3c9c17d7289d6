/** Counts the slots that the code under test computes. Each takes time, in which the process does nothing else. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Schedule } from 'kubernetes-cron-schedule';
import { parseSchedule } from '../../api/v1/schedule.ts';

/** Holder of the count. */
export interface Metered {
  slotsComputed: number;
}

const metered = new AsyncLocalStorage<Metered>();

/** Counts the slots that `work` computes, including asynchronous parts. */
export function countSlots<R>(whose: Metered, work: () => R): R {
  return metered.run(whose, work);
}

// One schedule of each kind.
for (const text of ['* * * * *', '@every 1h']) {
  const parsed = parseSchedule(text);
  if (parsed.kind === 'ok') meter(Object.getPrototypeOf(parsed.schedule));
}

/** All schedules of a kind share these methods. */
function meter(methods: Pick<Schedule, 'next' | 'previous'>): void {
  const { next, previous } = methods;
  Object.assign(methods, {
    next(this: Schedule, after: Date) {
      note();
      return next.call(this, after);
    },
    previous(this: Schedule, notAfter: Date) {
      note();
      return previous.call(this, notAfter);
    },
  });
}

function note(): void {
  const whose = metered.getStore();
  if (whose !== undefined) whose.slotsComputed++;
}
