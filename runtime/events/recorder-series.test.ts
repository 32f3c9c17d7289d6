import { describe, expect, test } from 'vitest';
import { ApiError } from '../client/errors.ts';
import { createRecorder, object } from '../test-support/event-server.ts';

const MINUTE_MS = 60_000;
const ENDLESS = new AbortController().signal;

/** A CronJob runs every `everyMs`. */
function running(everyMs = MINUTE_MS) {
  const scene = createRecorder();
  let runs = 0;
  const run = () => scene.recorder.event(object(), 'Normal', 'SuccessfulCreate', `Created job a-${++runs}`);
  return {
    ...scene,
    /** Requests of each run, including requests that are sent before the next run. */
    run: async (times: number) => {
      const requests: number[] = [];
      for (let time = 0; time < times; time++) {
        const before = scene.server.requests.length;
        run();
        await scene.settle();
        const atOnce = scene.server.requests.length - before;
        await scene.clock.advance(everyMs);
        requests.push(atOnce === 0 ? 0 : 1);
      }
      return requests;
    },
  };
}

describe('an event every minute', () => {
  test('is sent at once the first time, then counted and updated with the newest message', async () => {
    const { server, run } = running();
    expect(await run(1)).toEqual([1]);
    expect(server.stored).toMatchObject([{ count: 1, message: 'Created job a-1' }]);
    await run(6);
    expect(server.requests).toEqual(['create', 'patch']);
    // This is the first series, so its update comes after two and a half minutes.
    expect(server.stored).toMatchObject([
      {
        count: 3,
        message: 'Created job a-3',
        firstTimestamp: '2030-01-01T00:00:00Z',
        lastTimestamp: '2030-01-01T00:02:00Z',
      },
    ]);
    await run(60);
    expect(server.requests).toHaveLength(2 + 12);
    expect(server.stored).toHaveLength(1);
  });

  test('waits for its own update, not for earlier series', async () => {
    const { server, clock, recorder, settle } = createRecorder();
    const recordEvent = (name: string) => recorder.event(object(name), 'Normal', 'R', 'm');
    for (const name of ['soon', 'late']) recordEvent(name);
    await settle();
    for (const name of ['late', 'soon']) recordEvent(name);
    await clock.advance(150_000);
    expect(server.stored).toMatchObject([{ count: 2 }, { count: 1 }]);
    await clock.advance(300_000);
    expect(server.stored).toMatchObject([{ count: 2 }, { count: 2 }]);
  });
});

describe('a Warning', () => {
  test('beyond the budget waits and is not lost', async () => {
    const { server, clock, recorder, settle } = createRecorder();
    for (let time = 1; time <= 25; time++) {
      recorder.event(object(), 'Warning', 'FailedCreate', 'no quota');
      await settle();
    }
    recorder.event(object(), 'Warning', 'FailedCreate', 'no quota');
    recorder.event(object(), 'Warning', 'FailedDelete', 'denied');
    recorder.event(object(), 'Warning', 'FailedDelete', 'denied');
    await clock.advance(5 * MINUTE_MS);
    expect(server.stored).toMatchObject([{ count: 26 }]);
    await clock.advance(5 * MINUTE_MS);
    expect(server.stored).toMatchObject([{ count: 26 }, { reason: 'FailedDelete', count: 2 }]);
    expect(clock.pendingTimers).toBe(0);
  });

  test('has a separate budget', async () => {
    const { server, recorder, settle } = createRecorder();
    for (let number = 0; number < 40; number++) recorder.event(object(), 'Normal', `Reason${number}`, 'm');
    await settle();
    recorder.event(object(), 'Warning', 'FailedCreate', 'no quota');
    await settle();
    expect(server.stored).toContainEqual(expect.objectContaining({ reason: 'FailedCreate' }));
  });

  test('that repeats while it is being sent is sent again', async () => {
    const { server, recorder, settle } = createRecorder();
    const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    const open = async (number: number) => {
      server.gate = gates[number + 1]?.promise;
      gates[number]?.resolve();
      for (let turn = 0; turn < 5; turn++) await settle();
    };
    const warn = (...names: readonly string[]) => {
      for (const name of names) recorder.event(object(name), 'Warning', 'R', 'm');
    };
    server.gate = gates[0]?.promise;
    warn('a', 'b', 'c', 'd');
    await open(0);
    expect(server.inFlight, 'c, which was before d in the queue, and d').toBe(2);
    warn('c');
    await open(1);
    expect(server.inFlight, 'c again').toBe(1);
    warn('e', 'f', 'g');
    await open(2);
    expect(await recorder.flush(ENDLESS)).toBe(true);
    expect(server.stored.map(({ count }) => count)).toEqual([1, 1, 2, 1, 1, 1, 1]);
  });

  test('is sent before other events of its namespace', async () => {
    const { server, recorder } = createRecorder();
    const gate = Promise.withResolvers<void>();
    server.gate = gate.promise;
    for (let index = 0; index < 10; index++) recorder.event(object(`c-${index}`), 'Normal', 'R', 'm');
    recorder.event(object('bad'), 'Warning', 'FailedCreate', 'no quota');
    gate.resolve();
    await recorder.flush(ENDLESS);
    // Two events were being sent by then.
    expect(server.stored.findIndex(({ type }) => type === 'Warning')).toBe(2);
  });
});

describe('an update of the Event', () => {
  test('that was deleted creates a new one with the whole count', async () => {
    const { server, run } = running();
    await run(1);
    server.events.clear();
    await run(4);
    expect(server.requests).toEqual(['create', 'patch', 'create']);
    expect(server.stored).toMatchObject([{ count: 3, message: 'Created job a-3' }]);
  });

  test('that is rejected is retried five minutes later, without a new Event', async () => {
    const { server, run } = running();
    await run(1);
    for (let count = 0; count < 10; count++) server.failures.push(new ApiError(403, { reason: 'Forbidden' }));
    await run(14);
    expect(server.requests).toEqual(['create', 'patch', 'patch', 'patch']);
    server.failures.splice(0);
    await run(5);
    expect(server.stored).toMatchObject([{ count: 18 }]);
  });
});

describe('flush', () => {
  test('sends delayed events', async () => {
    const { server, clock, recorder, run } = running();
    await run(2);
    recorder.event(object(), 'Normal', 'SuccessfulCreate', 'Created job a-1000');
    expect(server.stored).toMatchObject([{ count: 1 }]);
    expect(await recorder.flush(ENDLESS)).toBe(true);
    expect(server.stored).toMatchObject([{ count: 3, message: 'Created job a-1000' }]);
    expect(clock.pendingTimers).toBe(0);
  });

  test('sends eight at a time for each namespace', async () => {
    const { server, recorder } = createRecorder();
    for (let index = 0; index < 100; index++) recorder.event(object(`c-${index}`), 'Normal', 'R', 'm');
    await recorder.flush(ENDLESS);
    expect(server.maxInFlight).toBe(8);
  });

  test('also sends events that happen meanwhile', async () => {
    const { server, recorder, settle } = createRecorder();
    const gate = Promise.withResolvers<void>();
    server.gate = gate.promise;
    recorder.event(object(), 'Normal', 'R', 'm');
    const flushed = recorder.flush(ENDLESS);
    recorder.event(object(), 'Normal', 'R', 'm');
    gate.resolve();
    await settle();
    expect(await flushed).toBe(true);
    expect(server.stored).toMatchObject([{ count: 2 }]);
  });
});

test('record is not delayed', async () => {
  const { server, clock, recorder, run } = running();
  await run(2);
  expect(await recorder.record(object(), 'Normal', 'SuccessfulCreate', 'Created job a-3')).toBe('stored');
  expect(server.stored).toMatchObject([{ count: 3, message: 'Created job a-3' }]);
  await clock.advance(10 * MINUTE_MS);
  expect(server.requests).toEqual(['create', 'patch']);
});

test('stop aborts requests and reports their events as dropped at once', async () => {
  const { server, clock, log, recorder, settle } = createRecorder();
  server.unreachable.add('default');
  for (const name of ['a', 'b', 'c']) recorder.event(object(name), 'Warning', 'R', 'm');
  await settle();
  recorder.stop();
  await settle();
  const lines = log.records.filter(({ level }) => level === 'info');
  expect(lines.map(({ fields }) => fields)).toEqual([
    { unsent: 1, warnings: 1 },
    { unsent: 2, warnings: 2 },
  ]);
  expect(clock.pendingTimers).toBe(0);
});

test('stop drops delayed events and leaves no timer behind', async () => {
  const { server, clock, log, recorder, run } = running();
  await run(2);
  recorder.stop();
  expect(clock.pendingTimers).toBe(0);
  expect(server.stored).toMatchObject([{ count: 1 }]);
  expect(log.records).toContainEqual({ level: 'info', message: 'dropped events', fields: { unsent: 1, warnings: 0 } });
  expect(await recorder.flush(ENDLESS)).toBe(true);
});
