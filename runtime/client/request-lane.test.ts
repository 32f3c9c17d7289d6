import { getEventListeners } from 'node:events';
import { setImmediate as settled } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RequestLane, type RequestPriority } from './request-lane.ts';

/** A lane whose requests last until the test ends them. */
class Scene {
  readonly lane: RequestLane;
  /** Names of requests in the order they went out. */
  readonly sent: string[] = [];
  readonly inFlight = new Map<string, PromiseWithResolvers<string>>();

  constructor(limit: number) {
    this.lane = new RequestLane(limit);
  }

  ask(name: string, priority: RequestPriority = 'normal', signal?: AbortSignal): Promise<string> {
    const send = () => {
      this.sent.push(name);
      const answer = Promise.withResolvers<string>();
      this.inFlight.set(name, answer);
      return answer.promise;
    };
    return this.lane.run(priority, send, signal);
  }

  async answer(name: string): Promise<void> {
    this.#end(name).resolve(`answer to ${name}`);
    await settled();
  }

  async fail(name: string): Promise<void> {
    this.#end(name).reject(new Error(`no answer to ${name}`));
    await settled();
  }

  #end(name: string): PromiseWithResolvers<string> {
    const request = this.inFlight.get(name)!;
    this.inFlight.delete(name);
    return request;
  }
}

test('hands back what the request resolved to', async () => {
  const scene = new Scene(1);
  const asked = scene.ask('a');
  await scene.answer('a');
  expect(await asked).toBe('answer to a');
});

test('sends no more than the limit at once', async () => {
  const scene = new Scene(2);
  for (const name of ['a', 'b', 'c']) void scene.ask(name);
  expect(scene.sent).toEqual(['a', 'b']);
  await scene.answer('b');
  expect(scene.sent).toEqual(['a', 'b', 'c']);
});

test('sends what is urgent first, then what came first', async () => {
  const scene = new Scene(1);
  void scene.ask('first');
  for (const name of ['event 1', 'event 2']) void scene.ask(name, 'background');
  for (const name of ['status 1', 'status 2']) void scene.ask(name);
  for (const name of ['due 1', 'due 2']) void scene.ask(name, 'urgent');
  for (let i = 0; i < 7; i++) await scene.answer(scene.sent[i]!);
  expect(scene.sent).toEqual(['first', 'due 1', 'due 2', 'status 1', 'status 2', 'event 1', 'event 2']);
});

test('a lease does not wait behind a burst', async () => {
  const scene = new Scene(1);
  void scene.ask('under way');
  for (let number = 1; number <= 1000; number++) void scene.ask(`due ${number}`, 'urgent');
  void scene.ask('lease', 'critical');
  await scene.answer('under way');
  expect(scene.sent).toEqual(['under way', 'lease']);
});

test('a request that fails makes room like any other', async () => {
  const scene = new Scene(1);
  const failing = expect(scene.ask('a')).rejects.toThrow('no answer to a');
  void scene.ask('b');
  await scene.fail('a');
  await failing;
  expect(scene.sent).toEqual(['a', 'b']);
});

describe('a request whose signal aborts', () => {
  const reason = new Error('enough');

  test('is let go at once while it waits, and never sent', async () => {
    const scene = new Scene(1);
    const stop = new AbortController();
    void scene.ask('a');
    const waiting = scene.ask('b', 'normal', stop.signal);
    void scene.ask('c');
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await scene.answer('a');
    expect(scene.sent).toEqual(['a', 'c']);
  });

  test('is not sent when it had aborted before, and takes no place', async () => {
    const scene = new Scene(1);
    await expect(scene.ask('a', 'normal', AbortSignal.abort(reason))).rejects.toBe(reason);
    void scene.ask('b');
    expect(scene.sent).toEqual(['b']);
  });

  test('is not sent when it aborts just as its turn has come, and hands its place on', async () => {
    const scene = new Scene(1);
    const stop = new AbortController();
    void scene.ask('a');
    const refused = expect(scene.ask('b', 'normal', stop.signal)).rejects.toBe(reason);
    void scene.ask('c');
    void scene.inFlight.get('a')!.promise.then(() => stop.abort(reason));
    await scene.answer('a');
    await refused;
    expect(scene.sent).toEqual(['a', 'c']);
  });

  test('is let go with all others on that signal, which has one listener for all of them', async () => {
    const scene = new Scene(1);
    const stop = new AbortController();
    void scene.ask('a');
    const waiting = ['b', 'c', 'd'].map((name) => scene.ask(name, 'normal', stop.signal));
    void scene.ask('e', 'normal', new AbortController().signal);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
    stop.abort(reason);
    for (const each of waiting) await expect(each).rejects.toBe(reason);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    await scene.answer('a');
    expect(scene.sent).toEqual(['a', 'e']);
  });

  test('is let go when others on that signal went out before', async () => {
    const scene = new Scene(1);
    const stop = new AbortController();
    void scene.ask('a');
    void scene.ask('b', 'normal', stop.signal);
    const waiting = scene.ask('c', 'normal', stop.signal);
    await scene.answer('a');
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  test('leaves nothing on the signal once it went out', async () => {
    const scene = new Scene(1);
    const { signal } = new AbortController();
    void scene.ask('a');
    void scene.ask('b', 'normal', signal);
    await scene.answer('a');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

const PRIORITIES = ['critical', 'urgent', 'normal', 'background'] as const;

type Step =
  | { readonly kind: 'ask'; readonly priority: RequestPriority }
  | { readonly kind: 'answer' | 'fail' | 'abort'; readonly pick: number };

const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('ask'), priority: fc.constantFrom(...PRIORITIES) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('answer', 'fail', 'abort'), pick: fc.nat() }) },
  ),
  { maxLength: 30 },
) as fc.Arbitrary<Step[]>;

/** A lane that sorts all that waits after every step. */
class Model {
  asked = 0;
  readonly sent: string[] = [];
  readonly inFlight: string[] = [];
  readonly waiting: { readonly name: string; readonly rank: number; readonly stop: AbortController }[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  fill(): void {
    this.waiting.sort((a, b) => a.rank - b.rank);
    for (const { name } of this.waiting.splice(0, this.#limit - this.inFlight.length)) {
      this.inFlight.push(name);
      this.sent.push(name);
    }
  }
}

function takeOne<T>(list: T[], pick: number): T | undefined {
  return list.splice(pick % (list.length || 1), 1)[0];
}

async function take(step: Step, scene: Scene, model: Model): Promise<void> {
  if (step.kind === 'ask') {
    const [name, stop] = [`request ${model.asked++}`, new AbortController()];
    scene.ask(name, step.priority, stop.signal).catch(() => undefined);
    model.waiting.push({ name, rank: PRIORITIES.indexOf(step.priority), stop });
  } else if (step.kind === 'abort') {
    takeOne(model.waiting, step.pick)?.stop.abort();
  } else {
    const name = takeOne(model.inFlight, step.pick);
    if (name !== undefined) await scene[step.kind](name);
  }
}

test('whatever happens, every place is used, and the next to go is the oldest of the most urgent', async () => {
  const run = async (limit: number, steps: readonly Step[]) => {
    const scene = new Scene(limit);
    const model = new Model(limit);
    for (const step of steps) {
      await take(step, scene, model);
      model.fill();
      await settled();
      expect(scene.sent).toEqual(model.sent);
      expect(scene.inFlight.size).toBeLessThanOrEqual(limit);
    }
  };
  await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, run));
});
