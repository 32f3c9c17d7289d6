import { describe, expect, test } from 'vitest';
import { ApiError } from '../client/errors.ts';
import { createRecorder, object } from '../test-support/event-server.ts';
import type { EventRecorder } from './event-recorder.ts';

test('sends two at a time for each namespace', async () => {
  const { server, recorder, settle } = createRecorder();
  const gate = Promise.withResolvers<void>();
  server.gate = gate.promise;
  for (let index = 0; index < 100; index++) recorder.event(object(`job-${index}`), 'Normal', 'R', 'm');
  gate.resolve();
  for (let turn = 0; turn < 50; turn++) await settle();
  expect(server.stored).toHaveLength(100);
  expect(server.maxInFlight).toBe(2);
});

describe('the isolation of namespaces', () => {
  const record = (recorder: EventRecorder, namespace: string, count: number, message = 'm') => {
    for (let index = 0; index < count; index++) {
      recorder.event(object(`${namespace}-${index}`, namespace), 'Normal', 'R', message);
    }
  };

  test('a namespace whose requests hang does not delay the events of other namespaces', async () => {
    const { server, recorder, settle } = createRecorder();
    server.hanging.add('bad');
    record(recorder, 'bad', 100);
    await settle();
    expect(server.inFlight).toBe(2);
    record(recorder, 'good', 10);
    await settle();
    expect(server.stored).toHaveLength(10);
  });

  test('a namespace whose requests are retried does not delay the events of others', async () => {
    const { server, clock, recorder, settle } = createRecorder();
    server.unreachable.add('bad');
    record(recorder, 'bad', 100);
    await settle();
    record(recorder, 'good', 10);
    await settle();
    expect(server.stored).toHaveLength(10);
    await clock.advance(60_000);
    expect(server.requests.length, 'two at a time, less and less often').toBe(10 + 2 * 9);
  });

  test('a namespace cannot use all the space, and many cannot displace one without waiting events', async () => {
    const { server, log, recorder, settle } = createRecorder();
    // Each namespace finds half of the remaining room.
    for (const [namespace, count] of Object.entries({ bad: 14_000, worse: 7_000, bold: 3_600, sly: 1_800 })) {
      server.hanging.add(namespace);
      record(recorder, namespace, count, 'x'.repeat(1024));
      expect(log.records.some(({ fields }) => fields['namespace'] === namespace)).toBe(true);
    }
    const gate = Promise.withResolvers<void>();
    server.gate = gate.promise;
    record(recorder, 'good', 5);
    gate.resolve();
    await settle();
    expect(server.stored).toHaveLength(5);
  });
});

test('stores three events for each of 20,000 CronJobs', async () => {
  const { server, recorder } = createRecorder();
  const reasons = ['SuccessfulCreate', 'SawCompletedJob', 'SuccessfulDelete'];
  for (let index = 0; index < 20_000; index++) {
    const about = object(`nightly-backup-${index}`);
    for (const reason of reasons)
      recorder.event(about, 'Normal', reason, `Saw completed job: nightly-backup-${index}-29012345`);
  }
  await recorder.flush(new AbortController().signal);
  expect(server.stored).toHaveLength(60_000);
  for (const reason of reasons) expect(server.stored.filter((event) => event.reason === reason)).toHaveLength(20_000);
});

describe('where requests hang', () => {
  /** Each message has a kilobyte, so that the room is used up soon. */
  const fill = (recorder: EventRecorder, type: 'Normal' | 'Warning', count: number) => {
    for (let index = 0; index < count; index++) {
      recorder.event(object(`${type}-${index}`, 'bad'), type, 'R', `${index}${'x'.repeat(1100)}`.slice(0, 1024));
    }
  };

  test('drops events without space, and logs their number in one line', async () => {
    const { server, clock, log, recorder, settle } = createRecorder();
    server.hanging.add('bad');
    // Half of 64 MiB holds 13,752 events of 2440 bytes, and two are being sent.
    fill(recorder, 'Normal', 14_000);
    await settle();
    expect(log.records.filter(({ level }) => level !== 'debug')).toEqual([]);
    await clock.advance(10_000);
    expect(log.records.filter(({ level }) => level !== 'debug')).toEqual([
      { level: 'info', message: 'dropped events', fields: { noRoom: 14_000 - 13_752 - 2, warnings: 0 } },
    ]);
  });

  test('Warnings have their own space', async () => {
    const { server, clock, log, recorder } = createRecorder();
    server.hanging.add('bad');
    fill(recorder, 'Normal', 14_000);
    await clock.advance(10_000);
    const before = log.records.length;
    fill(recorder, 'Warning', 3_400);
    await clock.advance(10_000);
    expect(log.records).toHaveLength(before);
    fill(recorder, 'Warning', 3_600);
    await clock.advance(10_000);
    const [warnings] = log.records.filter(({ level }) => level === 'info').slice(1);
    expect(warnings?.fields).toEqual({ noRoom: 3_600 - 3_438, warnings: 3_600 - 3_438 });
  });
});

describe('when the Event cannot be stored', () => {
  test('drops an event that is rejected or whose namespace is gone, and logs the number and the reason', async () => {
    const { server, clock, log, recorder } = createRecorder();
    const refused = new ApiError(403, { reason: 'Forbidden' });
    const terminating = { details: { causes: [{ reason: 'NamespaceTerminating' }] } };
    server.failures.push(refused, refused, new ApiError(404, { reason: 'NotFound' }), new ApiError(403, terminating));
    for (const name of ['a', 'b', 'c', 'd']) recorder.event(object(name), 'Normal', 'R', 'm');
    await clock.advance(600_000);
    expect([server.requests.length, clock.pendingTimers]).toEqual([4, 0]);
    expect(log.records.filter(({ level }) => level === 'info')).toEqual([
      { level: 'info', message: 'dropped events', fields: { refused: 2, warnings: 0, lastError: refused } },
    ]);
  });

  test.each([
    ['there is no answer', 1_000, new Error('socket hang up')],
    ['the server is in trouble', 1_000, new ApiError(500, {})],
    ['the server asks to wait', 7_000, new ApiError(429, { reason: 'TooManyRequests' }, 7_000)],
    ['the server asks for a long wait', 10_000, new ApiError(503, {}, 3_600_000)],
  ])('because %s, retries after %i ms', async (_, waitMs, failure) => {
    const { server, clock, recorder, settle } = createRecorder();
    server.failures.push(failure);
    recorder.event(object(), 'Normal', 'R', 'm');
    await settle();
    await clock.advance(waitMs - 1);
    expect(server.requests).toEqual(['create']);
    await clock.advance(1);
    expect(server.requests).toEqual(['create', 'create']);
    expect(server.stored).toHaveLength(1);
  });

  test('drops an event after two minutes without a response', async () => {
    const { server, clock, recorder } = createRecorder();
    for (let count = 0; count < 20; count++) server.failures.push(new Error('socket hang up'));
    recorder.event(object(), 'Normal', 'R', 'm');
    await clock.advance(600_000);
    expect(server.requests).toHaveLength(15);
    expect(clock.pendingTimers).toBe(0);
  });

  test.each([
    ['though it was and only the answer got lost, the next one counts in it', 409, 'AlreadyExists', 'patch'],
    ['the next one about the object is tried all the same', 403, 'Forbidden', 'create'],
  ])('%s', async (_, code, reason, next) => {
    const { server, recorder, settle } = createRecorder();
    server.failures.push(new ApiError(code, { reason }));
    for (let times = 0; times < 2; times++) {
      recorder.event(object(), 'Warning', 'R', 'm');
      await settle();
    }
    expect(server.requests.slice(0, 2)).toEqual(['create', next]);
    expect(server.stored).toMatchObject([{ count: 2 }]);
  });
});

describe('flush', () => {
  test('returns whether all events were sent in time, and recording continues', async () => {
    const { server, recorder } = createRecorder();
    const gate = Promise.withResolvers<void>();
    server.gate = gate.promise;
    for (let index = 0; index < 10; index++) recorder.event(object(`job-${index}`), 'Normal', 'R', 'm');
    expect(await recorder.flush(AbortSignal.abort())).toBe(false);
    recorder.event(object('late'), 'Normal', 'R', 'm');
    gate.resolve();
    expect(await recorder.flush(new AbortController().signal)).toBe(true);
    expect(server.stored).toHaveLength(11);
  });
});
