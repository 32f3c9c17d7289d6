/** Random lives of a queue. A failure prints the seed that repeats it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sleep } from '../clock/clock.ts';
import { BASE_DELAY_MS, type Life, Model } from '../test-support/work-queue-model.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { type Priority, WorkQueue } from './work-queue.ts';

const aKey = fc.constantFrom('a', 'b', 'x/a', 'x/b', 'y/a');

/** The real queue, its clock, and what it handed out. */
class Subject implements Life {
  readonly given: string[] = [];
  readonly clock = new FakeClock();
  readonly queue: WorkQueue;

  constructor(maxWorking: number) {
    const rateLimits = { baseDelayMs: BASE_DELAY_MS, burst: Number.MAX_SAFE_INTEGER };
    this.queue = new WorkQueue({ clock: this.clock, rateLimits, maxWorking });
  }

  readonly lowered: boolean[] = [];
  readonly add = (key: string, priority?: Priority) => this.queue.add(key, priority);
  readonly lowerPriority = (key: string) => void this.lowered.push(this.queue.lowerPriority(key));
  readonly addAfter = (key: string, delayMs: number) => this.queue.addAfter(key, delayMs);
  readonly addRateLimited = (key: string) => this.queue.addRateLimited(key);
  readonly cancelWakeUp = (key: string) => this.queue.cancelWakeUp(key);
  readonly forget = (key: string) => this.queue.forget(key);
  readonly retryNow = () => this.queue.retryNow();
  readonly get = () => void this.queue.get().then((key) => this.given.push(key!));
  readonly done = (key: string) => this.queue.done(key);
  readonly advance = (byMs: number) => this.clock.advance(byMs);
}

type Step =
  | { readonly kind: 'add'; readonly key: string; readonly priority: Priority }
  | { readonly kind: 'addRateLimited' | 'cancelWakeUp' | 'forget'; readonly key: string }
  | { readonly kind: 'addAfter'; readonly key: string; readonly delayMs: number }
  | { readonly kind: 'advance'; readonly byMs: number }
  | { readonly kind: 'get' }
  | { readonly kind: 'retryNow' }
  /** One of the workers that have a key is done, or asks whether it may go on. */
  | { readonly kind: 'done' | 'lowerPriority'; readonly pick: number };

const aStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('add'), key: aKey, priority: fc.constantFrom('normal', 'low') }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('get') }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('done'), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lowerPriority'), pick: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('addAfter'), key: aKey, delayMs: fc.integer({ min: -1, max: 50 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('addRateLimited'), key: aKey }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('cancelWakeUp', 'forget'), key: aKey }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('retryNow') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('advance'), byMs: fc.nat(50) }) },
);

async function live(life: Life, step: Step, working: readonly string[]): Promise<void> {
  if (step.kind === 'get') life.get();
  else if (step.kind === 'retryNow') life.retryNow();
  else if (step.kind === 'advance') await life.advance(step.byMs);
  else if (step.kind === 'addAfter') life.addAfter(step.key, step.delayMs);
  else if (step.kind === 'add') life.add(step.key, step.priority);
  else if (!('pick' in step)) life[step.kind](step.key);
  else if (working.length > 0) life[step.kind](working[step.pick % working.length]!);
}

test('does at every step what its model does', async () => {
  const run = async (maxWorking: number, steps: readonly Step[]) => {
    const [model, subject] = [new Model(maxWorking), new Subject(maxWorking)];
    for (const step of steps) {
      const working = [...model.working];
      await live(model, step, working);
      await live(subject, step, working);
      await subject.advance(0);
      expect(subject.given).toEqual(model.given);
      expect(subject.lowered).toEqual(model.lowered);
      const { depth, scheduled, isIdle } = subject.queue;
      expect({ depth, scheduled, isIdle }).toEqual({
        depth: model.waiting.length,
        scheduled: model.wakeUps.length + model.retries.length,
        isIdle: model.waiting.length + model.working.length === 0,
      });
    }
  };
  const aLimit = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(Number.POSITIVE_INFINITY));
  await fc.assert(fc.asyncProperty(aLimit, fc.array(aStep, { maxLength: 40, size: 'max' }), run));
});

interface Plan {
  readonly adds: readonly { readonly key: string; readonly atMs: number }[];
  readonly workers: number;
  /** How long one pass after the other takes; then from the start again. */
  readonly passesMs: readonly number[];
}

const aPlan: fc.Arbitrary<Plan> = fc.record({
  adds: fc.array(fc.record({ key: aKey, atMs: fc.nat(100) }), { maxLength: 30 }),
  workers: fc.integer({ min: 1, max: 4 }),
  passesMs: fc.array(fc.nat(30), { minLength: 1, maxLength: 10 }),
});

type Moment = 'add' | 'get' | 'done';

/** What happened to each key, until nothing was left to do. */
async function historiesOf({ adds, workers, passesMs }: Plan): Promise<Iterable<readonly Moment[]>> {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock });
  const histories = new Map<string, Moment[]>(adds.map(({ key }) => [key, []]));
  const note = (key: string, moment: Moment) => histories.get(key)?.push(moment);
  for (const { key, atMs } of adds) {
    clock.schedule(atMs, () => {
      note(key, 'add');
      queue.add(key);
    });
  }
  let pass = 0;
  const work = async () => {
    for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
      note(key, 'get');
      await sleep(clock, passesMs[pass++ % passesMs.length]!, new AbortController().signal);
      note(key, 'done');
      queue.done(key);
    }
  };
  for (let i = 0; i < workers; i++) void work();
  await clock.advance(10_000);
  return histories.values();
}

function expectLawful(history: readonly Moment[]): void {
  let [isAdded, isHeld] = [false, false];
  for (const moment of history) {
    if (moment === 'get') {
      expect({ isAdded, isHeld }, `given out: ${history}`).toEqual({ isAdded: true, isHeld: false });
      [isAdded, isHeld] = [false, true];
    } else if (moment === 'add') {
      isAdded = true;
    } else {
      isHeld = false;
    }
  }
  expect({ isAdded, isHeld }, `in the end: ${history}`).toEqual({ isAdded: false, isHeld: false });
}

test('gives a key to one worker at a time, loses no add, and gives nothing that was not added', async () => {
  const run = async (plan: Plan) => {
    for (const history of await historiesOf(plan)) expectLawful(history);
  };
  await fc.assert(fc.asyncProperty(aPlan, run));
});
