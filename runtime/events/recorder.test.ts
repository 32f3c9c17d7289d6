import { describe, expect, test } from 'vitest';
import type { Client, WriteOptions } from '../client/client.ts';
import { ApiError } from '../client/errors.ts';
import type { Patch } from '../client/patch.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { discardLogger } from '../log/logger.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import type { CoreEvent } from './core-event.ts';
import { EventRecorder, type EventRecorderOptions } from './recorder.ts';

const object = (name = 'backup', namespace: string | undefined = 'default'): KubernetesObject => ({
  apiVersion: 'batch.tutorial.kubebuilder.io/v1',
  kind: 'CronJob',
  metadata: {
    name,
    ...(namespace !== undefined && { namespace }),
    uid: `uid-${name}`,
    resourceVersion: '7',
    creationTimestamp: '2030-01-01T00:00:00Z',
  },
});

/** An API server that stores Events. */
class EventServer {
  readonly events = new Map<string, CoreEvent>();
  readonly requests: string[] = [];
  readonly priorities = new Set<string | undefined>();
  /** What the next requests fail with, in turn. */
  readonly failures: unknown[] = [];
  /** While set, every request waits for it. */
  gate: Promise<void> | undefined;
  /** Namespaces whose requests are never answered, not even when their signal aborts. */
  readonly hanging = new Set<string>();
  /** Namespaces whose requests fail without an answer. */
  readonly unreachable = new Set<string>();
  inFlight = 0;
  mostInFlight = 0;

  get client(): EventRecorderOptions['client'] {
    const client: Pick<Client, 'create' | 'patch'> = {
      create: (_, object, options) =>
        this.#answer('create', object.metadata.namespace, options, () =>
          this.#create(object as unknown as CoreEvent),
        ) as Promise<never>,
      patch: (_, key, patch, options) =>
        this.#answer('patch', key.namespace, options, () => this.#patch(key.name, patch as Patch)) as Promise<never>,
    };
    return client;
  }

  get all(): CoreEvent[] {
    return [...this.events.values()];
  }

  async #answer<R>(verb: string, namespace: string | undefined, options: WriteOptions = {}, work: () => R): Promise<R> {
    this.requests.push(verb);
    this.priorities.add(options.priority);
    this.mostInFlight = Math.max(this.mostInFlight, ++this.inFlight);
    try {
      await this.gate;
      if (this.hanging.has(namespace ?? '')) await new Promise(() => {});
      if (this.unreachable.has(namespace ?? '')) throw new Error('socket hang up');
      options.signal?.throwIfAborted();
      if (this.failures.length > 0) throw this.failures.shift();
      return work();
    } finally {
      this.inFlight--;
    }
  }

  #create(event: CoreEvent): CoreEvent {
    if (this.events.has(event.metadata.name)) throw new ApiError(409, { reason: 'AlreadyExists' });
    this.events.set(event.metadata.name, event);
    return event;
  }

  #patch(name: string, patch: Patch): CoreEvent {
    const stored = this.events.get(name);
    if (stored === undefined) throw new ApiError(404, { reason: 'NotFound' });
    const event = { ...stored, ...(patch.body as Partial<CoreEvent>) };
    this.events.set(name, event);
    return event;
  }
}

function recording() {
  const server = new EventServer();
  const clock = new FakeClock('2030-01-01T00:00:00.500Z');
  const recorder = new EventRecorder({
    client: server.client,
    clock,
    log: discardLogger,
    component: 'cronjob-controller',
    instance: 'pod-1',
  });
  return { server, clock, recorder, settle: () => clock.advance(0) };
}

test('stores an Event about the object', async () => {
  const { server, recorder, settle } = recording();
  recorder.event(object(), 'Normal', 'SuccessfulCreate', 'Created job backup-1');
  await settle();
  expect(server.all).toEqual([
    {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace: 'default', name: expect.stringMatching(/^backup\.[0-9a-f]{16}$/) },
      involvedObject: {
        apiVersion: 'batch.tutorial.kubebuilder.io/v1',
        kind: 'CronJob',
        namespace: 'default',
        name: 'backup',
        uid: 'uid-backup',
        resourceVersion: '7',
      },
      type: 'Normal',
      reason: 'SuccessfulCreate',
      message: 'Created job backup-1',
      count: 1,
      firstTimestamp: '2030-01-01T00:00:00Z',
      lastTimestamp: '2030-01-01T00:00:00Z',
      source: { component: 'cronjob-controller' },
      reportingComponent: 'cronjob-controller',
      reportingInstance: 'pod-1',
    },
  ]);
  expect(server.priorities).toEqual(new Set(['background']));
});

test('of a cluster-scoped object goes to the namespace default', async () => {
  const { server, recorder, settle } = recording();
  const { namespace: _, ...metadata } = object().metadata;
  recorder.event({ ...object(), metadata }, 'Warning', 'Broken', 'broken');
  await settle();
  expect(server.all[0]?.metadata.namespace).toBe('default');
  expect(server.all[0]?.involvedObject).not.toHaveProperty('namespace');
});

test('keeps names valid and distinct, however long the name of the object', async () => {
  const { server, recorder, settle } = recording();
  const name = `${'a'.repeat(235)}.${'b'.repeat(17)}`;
  recorder.event(object(name), 'Normal', 'One', 'm');
  recorder.event(object(name), 'Normal', 'Two', 'm');
  await settle();
  const names = server.all.map(({ metadata }) => metadata.name);
  expect(new Set(names).size).toBe(2);
  for (const given of names) expect(given).toMatch(/^a{235}\.[0-9a-f]{16}$/);
});

test('cuts long messages', async () => {
  const { server, recorder, settle } = recording();
  recorder.event(object(), 'Normal', 'Long', 'x'.repeat(5000));
  await settle();
  expect(server.all[0]?.message).toHaveLength(1024);
});

describe('the same again', () => {
  test('counts in the stored Event', async () => {
    const { server, clock, recorder, settle } = recording();
    recorder.event(object(), 'Warning', 'FailedCreate', 'no quota');
    await clock.advance(60_000);
    recorder.event(object(), 'Warning', 'FailedCreate', 'no quota');
    await settle();
    expect(server.requests).toEqual(['create', 'patch']);
    expect(server.all).toMatchObject([
      { count: 2, firstTimestamp: '2030-01-01T00:00:00Z', lastTimestamp: '2030-01-01T00:01:00Z' },
    ]);
  });

  test('makes a new Event when the stored one is gone', async () => {
    const { server, recorder, settle } = recording();
    recorder.event(object(), 'Warning', 'FailedCreate', 'no quota');
    await settle();
    server.events.clear();
    recorder.event(object(), 'Warning', 'FailedCreate', 'no quota');
    await settle();
    expect(server.requests).toEqual(['create', 'patch', 'create']);
    expect(server.all).toMatchObject([{ count: 2 }]);
  });

  test('takes one more request at most while one is under way', async () => {
    const { server, recorder, settle } = recording();
    const gate = Promise.withResolvers<void>();
    server.gate = gate.promise;
    for (let count = 0; count < 20; count++) recorder.event(object(), 'Warning', 'FailedCreate', 'no quota');
    await settle();
    gate.resolve();
    await settle();
    expect(server.requests).toEqual(['create', 'patch']);
    expect(server.all).toMatchObject([{ count: 20 }]);
  });
});

test('sends two at a time for each namespace', async () => {
  const { server, recorder, settle } = recording();
  const gate = Promise.withResolvers<void>();
  server.gate = gate.promise;
  for (let index = 0; index < 100; index++) recorder.event(object(`job-${index}`), 'Normal', 'R', 'm');
  gate.resolve();
  for (let turn = 0; turn < 50; turn++) await settle();
  expect(server.all).toHaveLength(100);
  expect(server.mostInFlight).toBe(2);
});

describe('one namespace', () => {
  const record = (recorder: EventRecorder, namespace: string, count: number) => {
    for (let index = 0; index < count; index++) {
      recorder.event(object(`${namespace}-${index}`, namespace), 'Normal', 'R', 'm');
    }
  };

  test('whose requests hang holds up the events of no other', async () => {
    const { server, recorder, settle } = recording();
    server.hanging.add('bad');
    record(recorder, 'bad', 100);
    await settle();
    expect(server.inFlight).toBe(2);
    record(recorder, 'good', 10);
    await settle();
    expect(server.all).toHaveLength(10);
  });

  test('whose requests are sent again and again holds up the events of no other', async () => {
    const { server, clock, recorder, settle } = recording();
    server.unreachable.add('bad');
    record(recorder, 'bad', 100);
    await settle();
    record(recorder, 'good', 10);
    await settle();
    expect(server.all).toHaveLength(10);
    await clock.advance(60_000);
    expect(server.requests.length, 'two at a time, every ten seconds').toBe(10 + 2 * 7);
  });

  test('cannot fill the queue, and many cannot take all of it from one that has nothing in it', async () => {
    const { server, recorder, settle } = recording();
    for (let number = 0; number < 8; number++) {
      server.hanging.add(`bad-${number}`);
      record(recorder, `bad-${number}`, 6_000);
    }
    const gate = Promise.withResolvers<void>();
    server.gate = gate.promise;
    record(recorder, 'good', 5);
    gate.resolve();
    await settle();
    expect(server.all).toHaveLength(5);
  });
});

test('drops what does not fit into the queue', async () => {
  const { server, recorder } = recording();
  const gate = Promise.withResolvers<void>();
  server.gate = gate.promise;
  for (let index = 0; index < 6_000; index++) recorder.event(object(`job-${index}`), 'Normal', 'R', 'm');
  gate.resolve();
  await recorder.flush(new AbortController().signal);
  // The queue, and those that were taken from it before it was full.
  expect(server.all.length).toBeGreaterThanOrEqual(5_000);
  expect(server.all.length).toBeLessThanOrEqual(5_002);
});

describe('when the Event cannot be stored', () => {
  test.each([
    ['the namespace is gone', new ApiError(404, { reason: 'NotFound' })],
    [
      'the namespace is on its way out',
      new ApiError(403, { details: { causes: [{ reason: 'NamespaceTerminating' }] } }),
    ],
    ['it is refused', new ApiError(403, { reason: 'Forbidden' })],
  ])('because %s, it is dropped', async (_, failure) => {
    const { server, clock, recorder } = recording();
    server.failures.push(failure);
    recorder.event(object(), 'Normal', 'R', 'm');
    await clock.advance(600_000);
    expect(server.requests).toEqual(['create']);
    expect(clock.pendingTimers).toBe(0);
  });

  test('because there is no answer, it is sent again after ten seconds', async () => {
    const { server, clock, recorder, settle } = recording();
    server.failures.push(new Error('socket hang up'));
    recorder.event(object(), 'Normal', 'R', 'm');
    await settle();
    await clock.advance(9_999);
    expect(server.requests).toEqual(['create']);
    await clock.advance(1);
    expect(server.requests).toEqual(['create', 'create']);
    expect(server.all).toHaveLength(1);
  });

  test('because there never is an answer, it is dropped after twelve attempts', async () => {
    const { server, clock, recorder } = recording();
    for (let count = 0; count < 20; count++) server.failures.push(new Error('socket hang up'));
    recorder.event(object(), 'Normal', 'R', 'm');
    await clock.advance(600_000);
    expect(server.requests).toHaveLength(12);
    expect(clock.pendingTimers).toBe(0);
  });

  test('though it was and only the answer got lost, it is counted in from then on', async () => {
    const { server, recorder, settle } = recording();
    server.failures.push(new ApiError(409, { reason: 'AlreadyExists' }));
    recorder.event(object(), 'Normal', 'R', 'm');
    await settle();
    recorder.event(object(), 'Normal', 'R', 'm');
    await settle();
    expect(server.requests.slice(0, 2)).toEqual(['create', 'patch']);
  });

  test('the next event about the object is tried all the same', async () => {
    const { server, recorder, settle } = recording();
    server.failures.push(new ApiError(500, {}));
    recorder.event(object(), 'Normal', 'R', 'm');
    await settle();
    recorder.event(object(), 'Normal', 'R', 'm');
    await settle();
    expect(server.requests).toEqual(['create', 'create']);
    expect(server.all).toMatchObject([{ count: 2 }]);
  });
});

describe('flush', () => {
  test('waits until all is sent', async () => {
    const { server, recorder } = recording();
    for (let index = 0; index < 10; index++) recorder.event(object(`job-${index}`), 'Normal', 'R', 'm');
    await recorder.flush(new AbortController().signal);
    expect(server.all).toHaveLength(10);
  });

  test('has nothing to wait for when nothing happened', async () => {
    const { recorder } = recording();
    await recorder.flush(new AbortController().signal);
  });

  test('says whether all was sent in time, and goes on after a flush that was not', async () => {
    const { server, recorder } = recording();
    const gate = Promise.withResolvers<void>();
    server.gate = gate.promise;
    for (let index = 0; index < 10; index++) recorder.event(object(`job-${index}`), 'Normal', 'R', 'm');
    expect(await recorder.flush(AbortSignal.abort())).toBe(false);
    recorder.event(object('late'), 'Normal', 'R', 'm');
    gate.resolve();
    expect(await recorder.flush(new AbortController().signal)).toBe(true);
    expect(server.all).toHaveLength(11);
  });
});

describe('stop', () => {
  test('drops what has not been sent, and ends recording', async () => {
    const { server, clock, recorder, settle } = recording();
    server.failures.push(new Error('refused'), new Error('refused'), new Error('refused'), new Error('refused'));
    for (let index = 0; index < 10; index++) recorder.event(object(`job-${index}`), 'Normal', 'R', 'm');
    await settle();
    recorder.stop();
    const requests = server.requests.length;
    recorder.event(object('late'), 'Normal', 'R', 'm');
    await clock.advance(600_000);
    expect(server.requests).toHaveLength(requests);
    expect(clock.pendingTimers).toBe(0);
    expect(await recorder.flush(new AbortController().signal)).toBe(true);
  });
});

describe('record', () => {
  const about = (name: string) => [object(name), 'Normal', 'R', 'm'] as const;

  test('says when the Event is stored, with every occurrence so far', async () => {
    const { server, recorder } = recording();
    expect(await recorder.record(...about('a'))).toBe('stored');
    expect(server.all).toMatchObject([{ count: 1 }]);
    expect(await recorder.record(...about('a'))).toBe('stored');
    expect(server.all).toMatchObject([{ count: 2 }]);
  });

  test('waits for the next request when one is under way', async () => {
    const { server, recorder, settle } = recording();
    const gate = Promise.withResolvers<void>();
    server.gate = gate.promise;
    const outcomes: string[] = [];
    recorder.event(...about('a'));
    await settle();
    void recorder.record(...about('a')).then((outcome) => outcomes.push(`${outcome} ${server.all[0]?.count}`));
    gate.resolve();
    await settle();
    expect(outcomes).toEqual(['stored 2']);
  });

  test('says that an Event was refused, and does not reject', async () => {
    const { server, recorder } = recording();
    server.failures.push(new ApiError(403, { reason: 'Forbidden' }));
    expect(await recorder.record(...about('a'))).toBe('dropped');
  });

  test('says so when there are too many about the object', async () => {
    const { recorder } = recording();
    const outcomes = await Promise.all(Array.from({ length: 26 }, () => recorder.record(...about('a'))));
    expect(outcomes).toEqual([...Array.from({ length: 25 }, () => 'stored'), 'dropped']);
  });

  test('says so when recording ends before it is sent, and after that', async () => {
    const { server, recorder, settle } = recording();
    server.gate = new Promise(() => {});
    server.unreachable.add('default');
    const outcomes = ['a', 'b', 'c'].map((name) => recorder.record(...about(name)));
    await settle();
    recorder.stop();
    expect(await outcomes[2]).toBe('dropped');
    expect(await recorder.record(...about('d'))).toBe('dropped');
  });

  test('says so when there is no answer for two minutes', async () => {
    const { server, clock, recorder } = recording();
    server.unreachable.add('default');
    const outcome = recorder.record(...about('a'));
    await clock.advance(120_000);
    expect(await outcome).toBe('dropped');
  });
});
