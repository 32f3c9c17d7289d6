import { getEventListeners } from 'node:events';
import { setImmediate as settled } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PRIORITIES, RequestLimiterHarness } from '../test-support/request-limiter-harness.ts';
import type { RequestPriority } from './request-limiter.ts';

type ModelStep =
  | { readonly kind: 'ask'; readonly priority: RequestPriority; readonly namespace: string }
  | { readonly kind: 'respond' | 'fail' | 'abort'; readonly pick: number };

const requestStep = fc.record({
  kind: fc.constant('ask' as const),
  priority: fc.constantFrom(...PRIORITIES),
  namespace: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
});

const endStep = fc.record({ kind: fc.constantFrom('respond' as const, 'fail', 'abort'), pick: fc.nat() });

const steps: fc.Arbitrary<readonly ModelStep[]> = fc.array(
  fc.oneof({ weight: 3, arbitrary: requestStep }, { weight: 2, arbitrary: endStep }),
  { maxLength: 60 },
);

const limits = fc.integer({ min: 1, max: 20 });

interface ModelRequest {
  readonly name: string;
  readonly priority: RequestPriority;
  readonly namespace: string;
  readonly stop: AbortController;
}

/** A simple implementation of the rules of the limiter, which searches whole lists. */
class Model {
  requestCount = 0;
  /** The waiting requests in the order of their arrival. */
  readonly waiting: ModelRequest[] = [];
  readonly inFlight: ModelRequest[] = [];
  /** Requests that completed while other requests of their namespace were in flight. */
  #completions: ModelRequest[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  canDispatch({ priority, namespace }: Pick<ModelRequest, 'priority' | 'namespace'>): boolean {
    const own = this.inFlight.filter((each) => each.namespace === namespace);
    const isFirst = own.every((each) => each.priority !== priority);
    const maxSeatsForFirst = Math.ceil(this.#limit * { urgent: 1, normal: 3 / 4, background: 1 / 2 }[priority]);
    const share = { urgent: 1, normal: 1 / 2, background: 1 / 4 }[priority];
    const free = Math.ceil(this.#limit / 2) - this.inFlight.length;
    return (
      (isFirst && this.inFlight.length < maxSeatsForFirst && !this.#yieldsToUrgent({ priority, namespace })) ||
      own.length < share * free
    );
  }

  #yieldsToUrgent({ priority, namespace }: Pick<ModelRequest, 'priority' | 'namespace'>): boolean {
    const isMoreUrgent = (other: ModelRequest) =>
      other.namespace === namespace && PRIORITIES.indexOf(other.priority) < PRIORITIES.indexOf(priority);
    if (!this.waiting.some(isMoreUrgent)) return false;
    const last = this.#completions.findLastIndex((each) => each.namespace === namespace && each.priority === priority);
    const ended = this.#completions.slice(last + 1).filter(isMoreUrgent).length;
    return ended > 0 && ended < 16;
  }

  end(pick: number): ModelRequest | undefined {
    const request = removeFrom(this.inFlight, pick);
    if (request === undefined) return undefined;
    this.#completions.push(request);
    const { namespace } = request;
    const isIdle = this.inFlight.every((each) => each.namespace !== namespace);
    if (isIdle) this.#completions = this.#completions.filter((each) => each.namespace !== namespace);
    return request;
  }

  /** Checks that the limiter may send the request `name` next, and records the request as sent. */
  send(name: string): void {
    const request = this.waiting.find((each) => each.name === name)!;
    expect(this.canDispatch(request), `${name} has a seat`).toBe(true);
    const rank = PRIORITIES.indexOf(request.priority);
    for (const other of this.waiting.slice(0, this.waiting.indexOf(request))) {
      const isSameQueue = other.priority === request.priority && other.namespace === request.namespace;
      expect(isSameQueue, `${other.name} came before ${name}`).toBe(false);
    }
    for (const other of this.waiting) {
      if (PRIORITIES.indexOf(other.priority) >= rank) continue;
      expect(this.canDispatch(other), `${other.name} is more urgent than ${name}`).toBe(false);
    }
    this.waiting.splice(this.waiting.indexOf(request), 1);
    this.inFlight.push(request);
  }
}

function removeFrom<T>(list: T[], pick: number): T | undefined {
  return list.splice(pick % (list.length || 1), 1)[0];
}

/** Runs a step, and adds the sent requests to the model. */
async function runStep(step: ModelStep, scene: RequestLimiterHarness, model: Model): Promise<void> {
  const sent = scene.sent.length;
  if (step.kind === 'ask') {
    const { priority, namespace } = step;
    const asked = { name: `request ${model.requestCount++}`, priority, namespace, stop: new AbortController() };
    scene.send(asked.name, { priority, namespace, signal: asked.stop.signal }).catch(() => undefined);
    model.waiting.push(asked);
  } else if (step.kind === 'abort') {
    removeFrom(model.waiting, step.pick)?.stop.abort();
  } else {
    const ended = model.end(step.pick);
    if (ended) await scene[step.kind](ended.name);
  }
  await settled();
  for (const name of scene.sent.slice(sent)) model.send(name);
}

test('keeps the limit and the order of requests, sends every request that may be sent, and leaves no state behind', async () => {
  const run = async (limit: number, life: readonly ModelStep[]) => {
    const [scene, model] = [new RequestLimiterHarness(limit), new Model(limit)];
    const signals: AbortSignal[] = [];
    for (const step of life) {
      await runStep(step, scene, model);
      expect(scene.inFlight.size).toBeLessThanOrEqual(limit);
      expect(model.waiting.filter((request) => model.canDispatch(request))).toEqual([]);
      signals.push(...model.waiting.map(({ stop }) => stop.signal));
    }
    while (model.waiting.length > 0) await runStep({ kind: 'abort', pick: 0 }, scene, model);
    while (model.inFlight.length > 0) await runStep({ kind: 'respond', pick: 0 }, scene, model);
    for (let i = 0; i < limit + 1; i++) void scene.send(`last ${i}`, { namespace: `last ${i}`, priority: 'urgent' });
    expect(scene.inFlight.size, 'every seat is free again').toBe(limit);
    expect(signals.flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([]);
  };
  await fc.assert(fc.asyncProperty(limits, steps, run));
});

test('sends the first run of a namespace at once while runs hang in fewer namespaces than a quarter of the limit', async () => {
  const run = async (limit: number, steps: readonly ModelStep[]) => {
    const [scene, model] = [new RequestLimiterHarness(limit), new Model(limit)];
    for (const step of steps) await runStep(step, scene, model);
    const urgent = new Set(model.inFlight.filter((each) => each.priority === 'urgent').map((each) => each.namespace));
    fc.pre(urgent.size < Math.floor(limit / 4));
    void scene.send('newcomer', { namespace: 'new', priority: 'urgent' });
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
