import { getEventListeners } from 'node:events';
import { setImmediate as settled } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LaneRequest, RequestLane, type RequestPriority } from './request-lane.ts';

/** A lane whose requests last until the test ends them. */
class Scene {
  readonly lane: RequestLane;
  /** Names of requests in the order they went out. */
  readonly sent: string[] = [];
  readonly inFlight = new Map<string, PromiseWithResolvers<string>>();

  constructor(limit: number) {
    this.lane = new RequestLane(limit);
  }

  ask(name: string, request: LaneRequest = {}): Promise<string> {
    const send = () => {
      this.sent.push(name);
      const answer = Promise.withResolvers<string>();
      this.inFlight.set(name, answer);
      return answer.promise;
    };
    return this.lane.run(request, send);
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
  for (const name of ['a', 'b', 'c']) void scene.ask(name, { namespace: name, priority: 'urgent' });
  expect(scene.sent).toEqual(['a', 'b']);
  await scene.answer('b');
  expect(scene.sent).toEqual(['a', 'b', 'c']);
});

test('sends what is urgent first, then what came first', async () => {
  const scene = new Scene(1);
  void scene.ask('first');
  for (const name of ['event 1', 'event 2']) void scene.ask(name, { priority: 'background' });
  for (const name of ['status 1', 'status 2']) void scene.ask(name);
  for (const name of ['due 1', 'due 2']) void scene.ask(name, { priority: 'urgent' });
  for (let i = 0; i < 7; i++) await scene.answer(scene.sent[i]!);
  expect(scene.sent).toEqual(['first', 'due 1', 'due 2', 'status 1', 'status 2', 'event 1', 'event 2']);
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
    const waiting = scene.ask('b', { signal: stop.signal });
    void scene.ask('c');
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await scene.answer('a');
    expect(scene.sent).toEqual(['a', 'c']);
  });

  test('is not sent when it had aborted before, and takes no place', async () => {
    const scene = new Scene(1);
    await expect(scene.ask('a', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    void scene.ask('b');
    expect(scene.sent).toEqual(['b']);
  });

  test('is not sent when it aborts just as its turn has come, and hands its place on', async () => {
    const scene = new Scene(1);
    const stop = new AbortController();
    void scene.ask('a');
    const refused = expect(scene.ask('b', { signal: stop.signal })).rejects.toBe(reason);
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
    const waiting = ['b', 'c', 'd'].map((name) => scene.ask(name, { signal: stop.signal }));
    void scene.ask('e', { signal: new AbortController().signal });
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
    void scene.ask('b', { signal: stop.signal });
    const waiting = scene.ask('c', { signal: stop.signal });
    await scene.answer('a');
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  test('leaves nothing on the signal once it went out', async () => {
    const scene = new Scene(1);
    const { signal } = new AbortController();
    void scene.ask('a');
    void scene.ask('b', { signal });
    await scene.answer('a');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('of a namespace whose requests hang', () => {
  const LIMIT = 64;
  /** Asks for `count` requests that nobody answers. */
  function hang(scene: Scene, namespace: string, count: number, priority: RequestPriority = 'urgent'): number {
    const before = scene.inFlight.size;
    for (let i = 0; i < count; i++) void scene.ask(`${namespace} ${priority} ${i}`, { namespace, priority });
    return scene.inFlight.size - before;
  }

  test('no more than a share is in flight, and less of what is less urgent', () => {
    expect(hang(new Scene(LIMIT), 'a', 96)).toBe(16);
    expect(hang(new Scene(LIMIT), 'a', 96, 'normal')).toBe(11);
    expect(hang(new Scene(LIMIT), 'a', 96, 'background')).toBe(7);
  });

  test('a run still starts while its bookkeeping hangs, and the other way round', () => {
    const scene = new Scene(LIMIT);
    hang(scene, 'a', 96, 'normal');
    hang(scene, 'a', 96, 'background');
    expect(hang(scene, 'a', 1), 'urgent').toBe(1);
    const other = new Scene(LIMIT);
    hang(other, 'a', 96);
    expect(hang(other, 'a', 96, 'normal')).toBe(1);
  });

  test('nothing waits in other namespaces, whatever the priority', () => {
    const scene = new Scene(LIMIT);
    hang(scene, 'a', 96);
    for (const priority of PRIORITIES) expect(hang(scene, `b ${priority}`, 3, priority)).toBeGreaterThan(1);
  });

  test('requests of others go on in full number, one after the other and side by side', async () => {
    const scene = new Scene(LIMIT);
    hang(scene, 'a', 96);
    for (let i = 0; i < 50; i++) void scene.ask(`b${i}`, { namespace: 'b', priority: 'urgent' });
    for (let i = 0; i < 50; i++) await scene.answer(`b${i}`);
    expect(scene.sent.filter((name) => name.startsWith('b'))).toHaveLength(50);
  });

  test('what it held too much of goes to others as soon as something ends', async () => {
    const scene = new Scene(LIMIT);
    hang(scene, 'a', 96);
    hang(scene, 'b', 96);
    const held = (namespace: string) => [...scene.inFlight.keys()].filter((name) => name.startsWith(namespace)).length;
    expect([held('a'), held('b')]).toEqual([16, 8]);
    for (let i = 0; i < 16; i++) await scene.answer(`a urgent ${i}`);
    expect([held('a'), held('b')]).toEqual([11, 11]);
  });
});

test('among equals namespaces take turns, however many requests one has', async () => {
  const scene = new Scene(1);
  void scene.ask('first');
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) void scene.ask(name, { namespace: name.slice(0, 1) });
  for (let i = 0; i < 6; i++) await scene.answer(scene.sent[i]!);
  expect(scene.sent).toEqual(['first', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

const PRIORITIES = ['urgent', 'normal', 'background'] as const;

type Step =
  | { readonly kind: 'ask'; readonly priority: RequestPriority; readonly namespace: string }
  | { readonly kind: 'answer' | 'fail' | 'abort'; readonly pick: number };

const anAsk = fc.record({
  kind: fc.constant('ask' as const),
  priority: fc.constantFrom(...PRIORITIES),
  namespace: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
});
const anEnd = fc.record({ kind: fc.constantFrom('answer' as const, 'fail', 'abort'), pick: fc.nat() });
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof({ weight: 3, arbitrary: anAsk }, { weight: 2, arbitrary: anEnd }),
  { maxLength: 60 },
);
const aLimit = fc.integer({ min: 1, max: 20 });

interface Asked {
  readonly name: string;
  readonly priority: RequestPriority;
  readonly namespace: string;
  readonly stop: AbortController;
}

/** The rules again, on lists that are searched from end to end. */
class Model {
  asked = 0;
  /** In the order they were asked for. */
  readonly waiting: Asked[] = [];
  readonly inFlight: Asked[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  mayGo({ priority, namespace }: Pick<Asked, 'priority' | 'namespace'>): boolean {
    const own = this.inFlight.filter((each) => each.namespace === namespace);
    const isFirst = own.every((each) => each.priority !== priority);
    const firstUpTo = Math.ceil(this.#limit * { urgent: 1, normal: 3 / 4, background: 1 / 2 }[priority]);
    const share = { urgent: 1, normal: 1 / 2, background: 1 / 4 }[priority];
    const free = Math.ceil(this.#limit / 2) - this.inFlight.length;
    return (isFirst && this.inFlight.length < firstUpTo) || own.length < share * free;
  }

  /** The request `name` went out: it had the right to, and it was its turn. */
  send(name: string): void {
    const request = this.waiting.find((each) => each.name === name)!;
    expect(this.mayGo(request), `${name} has a place`).toBe(true);
    const rank = PRIORITIES.indexOf(request.priority);
    for (const other of this.waiting.slice(0, this.waiting.indexOf(request))) {
      const isSameLine = other.priority === request.priority && other.namespace === request.namespace;
      expect(isSameLine, `${other.name} came before ${name}`).toBe(false);
    }
    for (const other of this.waiting) {
      if (PRIORITIES.indexOf(other.priority) >= rank) continue;
      expect(this.mayGo(other), `${other.name} is more urgent than ${name}`).toBe(false);
    }
    this.waiting.splice(this.waiting.indexOf(request), 1);
    this.inFlight.push(request);
  }
}

function takeOne<T>(list: T[], pick: number): T | undefined {
  return list.splice(pick % (list.length || 1), 1)[0];
}

/** Takes the step, and lets the model see what went out. */
async function take(step: Step, scene: Scene, model: Model): Promise<void> {
  const sent = scene.sent.length;
  if (step.kind === 'ask') {
    const { priority, namespace } = step;
    const asked = { name: `request ${model.asked++}`, priority, namespace, stop: new AbortController() };
    scene.ask(asked.name, { priority, namespace, signal: asked.stop.signal }).catch(() => undefined);
    model.waiting.push(asked);
  } else if (step.kind === 'abort') {
    takeOne(model.waiting, step.pick)?.stop.abort();
  } else {
    const ended = takeOne(model.inFlight, step.pick);
    if (ended) await scene[step.kind](ended.name);
  }
  await settled();
  for (const name of scene.sent.slice(sent)) model.send(name);
}

test('whatever happens, the limit holds, each goes in its turn, and nobody waits who may go', async () => {
  const run = async (limit: number, life: readonly Step[]) => {
    const [scene, model] = [new Scene(limit), new Model(limit)];
    for (const step of life) {
      await take(step, scene, model);
      expect(scene.inFlight.size).toBeLessThanOrEqual(limit);
      expect(model.waiting.filter((request) => model.mayGo(request))).toEqual([]);
    }
  };
  await fc.assert(fc.asyncProperty(aLimit, steps, run));
});

test('whatever hangs, the first run of a namespace goes at once while runs of less than a quarter of the limit do', async () => {
  const run = async (limit: number, asks: readonly Step[]) => {
    const [scene, model] = [new Scene(limit), new Model(limit)];
    for (const ask of asks) await take(ask, scene, model);
    const urgent = new Set(model.inFlight.filter((each) => each.priority === 'urgent').map((each) => each.namespace));
    fc.pre(urgent.size < Math.floor(limit / 4));
    void scene.ask('newcomer', { namespace: 'new', priority: 'urgent' });
    expect(scene.sent.at(-1)).toBe('newcomer');
  };
  const manyNamespaces = fc.record({
    kind: fc.constant('ask' as const),
    priority: fc.constantFrom(...PRIORITIES),
    namespace: fc.integer({ min: 1, max: 12 }).map(String),
  });
  const property = fc.asyncProperty(fc.integer({ min: 8, max: 32 }), fc.array(manyNamespaces, { maxLength: 60 }), run);
  await fc.assert(property);
});

test('whatever happened, the whole lane is free again once all has ended, and no signal has a listener', async () => {
  const run = async (limit: number, life: readonly Step[]) => {
    const [scene, model] = [new Scene(limit), new Model(limit)];
    const signals: AbortSignal[] = [];
    for (const step of life) {
      await take(step, scene, model);
      signals.push(...model.waiting.map(({ stop }) => stop.signal));
    }
    while (model.waiting.length > 0) await take({ kind: 'abort', pick: 0 }, scene, model);
    while (model.inFlight.length > 0) await take({ kind: 'answer', pick: 0 }, scene, model);
    for (let i = 0; i < limit + 1; i++) void scene.ask(`last ${i}`, { namespace: `last ${i}`, priority: 'urgent' });
    expect(scene.inFlight.size).toBe(limit);
    expect(signals.flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([]);
  };
  await fc.assert(fc.asyncProperty(aLimit, steps, run));
});
