/** Random sequences of operations on a queue. A failure prints the seed that repeats it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BASE_DELAY_MS, type QueueOperations, WorkQueueModel } from '../test-support/work-queue-model.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { type Priority, WorkQueue } from './work-queue.ts';

const aKey = fc.constantFrom('a', 'b', 'x/a', 'x/b', 'y/a');

/** The real queue, its clock, and the keys that it returned. */
class Subject implements QueueOperations {
  readonly given: string[] = [];
  readonly clock = new FakeClock();
  readonly queue: WorkQueue;

  constructor(maxProcessing: number) {
    const rateLimits = { baseDelayMs: BASE_DELAY_MS, burst: Number.MAX_SAFE_INTEGER };
    this.queue = new WorkQueue({ clock: this.clock, rateLimits, maxConcurrentKeys: maxProcessing });
  }

  readonly lowered: boolean[] = [];
  readonly add = (key: string, priority?: Priority) => this.queue.add(key, priority);
  readonly tryLowerPriority = (key: string) => void this.lowered.push(this.queue.tryLowerPriority(key));
  readonly addAfter = (key: string, delayMs: number) => this.queue.addAfter(key, delayMs);
  readonly addRateLimited = (key: string) => this.queue.addRateLimited(key);
  readonly cancelWakeUp = (key: string) => this.queue.cancelWakeUp(key);
  readonly forget = (key: string) => this.queue.forget(key);
  readonly retryNow = () => this.queue.retryNow();
  readonly get = () => void this.queue.get().then((key) => this.given.push(key!));
  readonly done = (key: string) => this.queue.done(key);
  readonly advance = (byMs: number) => this.clock.advance(byMs);
}

type QueueStep =
  | { readonly kind: 'add'; readonly key: string; readonly priority: Priority }
  | { readonly kind: 'addRateLimited' | 'cancelWakeUp' | 'forget'; readonly key: string }
  | { readonly kind: 'addAfter'; readonly key: string; readonly delayMs: number }
  | { readonly kind: 'advance'; readonly byMs: number }
  | { readonly kind: 'get' }
  | { readonly kind: 'retryNow' }
  /** A worker with a key finishes, or requests to continue. */
  | { readonly kind: 'done' | 'tryLowerPriority'; readonly pick: number };

const aStep: fc.Arbitrary<QueueStep> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('add'), key: aKey, priority: fc.constantFrom('normal', 'low') }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('get') }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('done'), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('tryLowerPriority'), pick: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('addAfter'), key: aKey, delayMs: fc.integer({ min: -1, max: 50 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('addRateLimited'), key: aKey }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('cancelWakeUp', 'forget'), key: aKey }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('retryNow') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('advance'), byMs: fc.nat(50) }) },
);

async function live(life: QueueOperations, step: QueueStep, working: readonly string[]): Promise<void> {
  if (step.kind === 'get') life.get();
  else if (step.kind === 'retryNow') life.retryNow();
  else if (step.kind === 'advance') await life.advance(step.byMs);
  else if (step.kind === 'addAfter') life.addAfter(step.key, step.delayMs);
  else if (step.kind === 'add') life.add(step.key, step.priority);
  else if (!('pick' in step)) life[step.kind](step.key);
  else if (working.length > 0) life[step.kind](working[step.pick % working.length]!);
}

test('equals its model after every step', async () => {
  const run = async (maxProcessing: number, steps: readonly QueueStep[]) => {
    const [model, subject] = [new WorkQueueModel(maxProcessing), new Subject(maxProcessing)];
    for (const step of steps) {
      const working = [...model.processing];
      await live(model, step, working);
      await live(subject, step, working);
      await subject.advance(0);
      expect(subject.given).toEqual(model.received);
      expect(subject.lowered).toEqual(model.tryLowerResults);
      const { depth, scheduledCount: scheduled, isIdle } = subject.queue;
      expect({ depth, scheduled, isIdle }).toEqual({
        depth: model.waiting.length,
        scheduled: model.wakeUps.length + model.retries.length,
        isIdle: model.waiting.length + model.processing.length === 0,
      });
    }
  };
  const aLimit = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(Number.POSITIVE_INFINITY));
  await fc.assert(fc.asyncProperty(aLimit, fc.array(aStep, { maxLength: 40, size: 'max' }), run));
});
