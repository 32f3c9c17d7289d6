/** Random lives of a queue. A failure prints the seed that repeats it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sleep } from '../clock/clock.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { WorkQueue } from './work-queue.ts';

const BASE_DELAY_MS = 10;
const aKey = fc.constantFrom('a', 'b', 'x/a', 'x/b', 'y/a');

/** What happens to a queue, whether it is the real one or the model. */
interface Life {
  add(key: string): void;
  addAfter(key: string, delayMs: number): void;
  addRateLimited(key: string): void;
  cancelWakeUp(key: string): void;
  forget(key: string): void;
  retryNow(): void;
  /** One more worker wants a key. */
  get(): void;
  done(key: string): void;
  advance(byMs: number): unknown;
}

interface WakeUp {
  readonly key: string;
  readonly dueMs: number;
  /** Of those that are due at one instant, the one that was set first comes first. */
  readonly order: number;
}

function namespaceOf(key: string): string {
  return key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
}

/** What a queue promises, on lists that are searched from end to end. */
class Model implements Life {
  /** Keys in the order they were handed out. */
  readonly given: string[] = [];
  waiting: string[] = [];
  working: string[] = [];
  wakeUps: readonly WakeUp[] = [];
  retries: readonly WakeUp[] = [];
  #again: string[] = [];
  #nowMs = 0;
  #idleWorkers = 0;
  readonly #failures = new Map<string, number>();
  readonly #maxWorking: number;
  /** When a namespace was last given something while it had more, or else when it came; in steps. */
  readonly #turns = new Map<string, number>();
  #steps = 0;

  constructor(maxWorking: number) {
    this.#maxWorking = maxWorking;
  }

  add(key: string): void {
    if (this.waiting.includes(key) || this.#again.includes(key)) return;
    if (this.working.includes(key)) this.#again.push(key);
    else this.#wait(key);
    this.#handOut();
  }

  addAfter(key: string, delayMs: number): void {
    this.cancelWakeUp(key);
    if (delayMs > 0) this.wakeUps = [...this.wakeUps, this.#wakeUp(key, delayMs)];
    else this.add(key);
  }

  addRateLimited(key: string): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.#cancelRetry(key);
    this.retries = [...this.retries, this.#wakeUp(key, BASE_DELAY_MS * 2 ** failures)];
  }

  #wakeUp(key: string, delayMs: number): WakeUp {
    return { key, dueMs: this.#nowMs + delayMs, order: this.#steps++ };
  }

  #cancelRetry(key: string): void {
    this.retries = this.retries.filter((retry) => retry.key !== key);
  }

  cancelWakeUp(key: string): void {
    this.wakeUps = this.wakeUps.filter((wakeUp) => wakeUp.key !== key);
  }

  forget(key: string): void {
    this.#cancelRetry(key);
    this.#failures.delete(key);
  }

  retryNow(): void {
    const keys = this.retries.map(({ key }) => key);
    this.retries = [];
    for (const key of keys) this.add(key);
  }

  get(): void {
    this.#idleWorkers++;
    this.#handOut();
  }

  done(key: string): void {
    const isAgain = this.#again.includes(key);
    this.working = this.working.filter((other) => other !== key);
    this.#again = this.#again.filter((other) => other !== key);
    if (isAgain) this.add(key);
    this.#handOut();
  }

  advance(byMs: number): void {
    this.#nowMs += byMs;
    const isDue = ({ dueMs }: WakeUp) => dueMs <= this.#nowMs;
    const due = [...this.wakeUps, ...this.retries].filter(isDue).sort((a, b) => a.dueMs - b.dueMs || a.order - b.order);
    this.wakeUps = this.wakeUps.filter((wakeUp) => !isDue(wakeUp));
    this.retries = this.retries.filter((retry) => !isDue(retry));
    for (const { key } of due) this.add(key);
  }

  #wait(key: string): void {
    const isFirst = !this.waiting.some((other) => namespaceOf(other) === namespaceOf(key));
    this.waiting.push(key);
    if (isFirst) this.#turns.set(namespaceOf(key), this.#steps++);
  }

  #handOut(): void {
    for (; this.#idleWorkers > 0; this.#idleWorkers--) {
      const mayGo = this.waiting.filter((key) => this.#mayWork(namespaceOf(key)));
      const turn = Math.min(...mayGo.map((key) => this.#turns.get(namespaceOf(key))!));
      const key = mayGo.find((each) => this.#turns.get(namespaceOf(each)) === turn);
      if (key === undefined) return;
      this.#turns.set(namespaceOf(key), this.#steps++);
      this.waiting = this.waiting.filter((other) => other !== key);
      this.working.push(key);
      this.given.push(key);
    }
  }

  #mayWork(namespace: string): boolean {
    const held = this.working.filter((key) => namespaceOf(key) === namespace).length;
    const free = Math.ceil((this.#maxWorking * 3) / 4) - this.working.length;
    return this.working.length < this.#maxWorking && (held === 0 || held < 4 * free);
  }
}

/** The real queue, its clock, and what it handed out. */
class Subject implements Life {
  readonly given: string[] = [];
  readonly clock = new FakeClock();
  readonly queue: WorkQueue;

  constructor(maxWorking: number) {
    const rateLimits = { baseDelayMs: BASE_DELAY_MS, burst: Number.MAX_SAFE_INTEGER };
    this.queue = new WorkQueue({ clock: this.clock, rateLimits, maxWorking });
  }

  readonly add = (key: string) => this.queue.add(key);
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
  | { readonly kind: 'add' | 'addRateLimited' | 'cancelWakeUp' | 'forget'; readonly key: string }
  | { readonly kind: 'addAfter'; readonly key: string; readonly delayMs: number }
  | { readonly kind: 'advance'; readonly byMs: number }
  | { readonly kind: 'get' }
  | { readonly kind: 'retryNow' }
  /** One of the workers that have a key is done. */
  | { readonly kind: 'done'; readonly pick: number };

const aStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('add'), key: aKey }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('get') }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('done'), pick: fc.nat() }) },
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
  else if (step.kind !== 'done') life[step.kind](step.key);
  else if (working.length > 0) life.done(working[step.pick % working.length]!);
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
