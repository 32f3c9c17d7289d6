import { describe, expect, test } from 'vitest';
import { ApiError } from '../client/errors.ts';
import { createRecorder, object } from '../test-support/event-server.ts';

test('stores an Event about the object', async () => {
  const { server, recorder, settle } = createRecorder();
  recorder.event(object(), 'Normal', 'SuccessfulCreate', 'Created job backup-1');
  await settle();
  expect(server.stored).toEqual([
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

test('stores the action and the related object', async () => {
  const { server, recorder, settle } = createRecorder();
  recorder.event(object(), 'Normal', 'SuccessfulCreate', 'Created job backup-1', {
    action: 'Create',
    related: object('backup-1'),
  });
  await settle();
  const related = {
    kind: 'CronJob',
    namespace: 'default',
    name: 'backup-1',
    uid: 'uid-backup-1',
    resourceVersion: '7',
  };
  expect(server.stored).toMatchObject([{ action: 'Create', related, involvedObject: { name: 'backup' } }]);
});

test('counts in an Event with the details of the newest occurrence', async () => {
  const { server, recorder, settle } = createRecorder();
  for (const name of ['backup-1', 'backup-2'])
    await recorder.record(object(), 'Warning', 'FailedCreate', 'no quota', { action: 'Create', related: object(name) });
  await settle();
  expect(server.stored).toMatchObject([{ count: 2, action: 'Create', related: { name: 'backup-2' } }]);
});

test('of a cluster-scoped object goes to the namespace default', async () => {
  const { server, recorder, settle } = createRecorder();
  const { namespace: _, ...metadata } = object().metadata;
  recorder.event({ ...object(), metadata }, 'Warning', 'Broken', 'broken');
  await settle();
  expect(server.stored[0]?.metadata.namespace).toBe('default');
  expect(server.stored[0]?.involvedObject).not.toHaveProperty('namespace');
});

test('creates valid and distinct names, however long the name of the object', async () => {
  const { server, recorder, settle } = createRecorder();
  const name = `${'a'.repeat(235)}.${'b'.repeat(17)}`;
  recorder.event(object(name), 'Normal', 'One', 'm');
  recorder.event(object(name), 'Normal', 'Two', 'm');
  await settle();
  const names = server.stored.map(({ metadata }) => metadata.name);
  expect(new Set(names).size).toBe(2);
  for (const name of names) expect(name).toMatch(/^a{235}\.[0-9a-f]{16}$/);
});

test('cuts long messages', async () => {
  const { server, recorder, settle } = createRecorder();
  recorder.event(object(), 'Normal', 'Long', 'x'.repeat(5000));
  await settle();
  expect(server.stored[0]?.message).toHaveLength(1024);
});

describe('the same again', () => {
  test('counts in the stored Event', async () => {
    const { server, clock, recorder, settle } = createRecorder();
    recorder.event(object(), 'Warning', 'FailedCreate', 'no quota');
    await clock.advance(60_000);
    recorder.event(object(), 'Warning', 'FailedCreate', 'no quota');
    await settle();
    expect(server.requests).toEqual(['create', 'patch']);
    expect(server.stored).toMatchObject([
      { count: 2, firstTimestamp: '2030-01-01T00:00:00Z', lastTimestamp: '2030-01-01T00:01:00Z' },
    ]);
  });

  test('sends at most one more request while one is in flight', async () => {
    const { server, recorder, settle } = createRecorder();
    const gate = Promise.withResolvers<void>();
    server.gate = gate.promise;
    for (let count = 0; count < 20; count++) recorder.event(object(), 'Warning', 'FailedCreate', 'no quota');
    await settle();
    gate.resolve();
    await settle();
    expect(server.requests).toEqual(['create', 'patch']);
    expect(server.stored).toMatchObject([{ count: 20 }]);
  });
});

describe('record', () => {
  const about = (name: string) => [object(name), 'Normal', 'R', 'm'] as const;

  test('resolves when the Event is stored, with every occurrence so far', async () => {
    const { server, recorder } = createRecorder();
    expect(await recorder.record(...about('a'))).toBe('stored');
    expect(server.stored).toMatchObject([{ count: 1 }]);
    expect(await recorder.record(...about('a'))).toBe('stored');
    expect(server.stored).toMatchObject([{ count: 2 }]);
  });

  test('waits for the next request when one is in flight', async () => {
    const { server, recorder, settle } = createRecorder();
    const gate = Promise.withResolvers<void>();
    server.gate = gate.promise;
    const outcomes: string[] = [];
    recorder.event(...about('a'));
    await settle();
    void recorder.record(...about('a')).then((outcome) => outcomes.push(`${outcome} ${server.stored[0]?.count}`));
    gate.resolve();
    await settle();
    expect(outcomes).toEqual(['stored 2']);
  });

  test('resolves with dropped for a rejected Event', async () => {
    const { server, recorder } = createRecorder();
    server.failures.push(new ApiError(403, { reason: 'Forbidden' }));
    expect(await recorder.record(...about('a'))).toBe('dropped');
  });

  test('resolves with dropped for too many events about the object', async () => {
    const { recorder } = createRecorder();
    const outcomes: string[] = [];
    for (let time = 0; time < 27; time++) outcomes.push(await recorder.record(...about('a')));
    expect(outcomes).toEqual([...Array.from({ length: 25 }, () => 'stored'), 'dropped', 'dropped']);
  });

  test('resolves with dropped when recording has ended', async () => {
    const { server, recorder, settle } = createRecorder();
    server.gate = new Promise(() => {});
    server.unreachable.add('default');
    const outcomes = ['a', 'b', 'c'].map((name) => recorder.record(...about(name)));
    await settle();
    recorder.stop();
    expect(await outcomes[2]).toBe('dropped');
    expect(await recorder.record(...about('d'))).toBe('dropped');
  });
});
