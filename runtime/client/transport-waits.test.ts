import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { resourcePath } from '../kubernetes/resource.ts';
import { job, jobs } from '../test-support/objects.ts';
import { catchRejection, createGetRequest, LIST_REQUEST, TransportHarness } from '../test-support/transport-harness.ts';
import { FakeClock } from '../testing/fake-clock.ts';

describe('a response that times out', () => {
  const never = new Promise<void>(() => {});

  test('ends the request with the timeout in its error, and frees the seat', async () => {
    const clock = new FakeClock();
    await using scene = await TransportHarness.start({ maxInFlight: 1, clock });
    const { transport, server } = scene;
    server.fail({}, { kind: 'hold', until: never });
    const late = catchRejection(transport.request({ ...LIST_REQUEST, timeoutMs: 20_000 }));
    const next = transport.request(LIST_REQUEST);
    await server.until(() => server.count() === 1);
    await clock.advance(19_999);
    expect(server.openConnections).toBe(1);
    await clock.advance(1);
    const error = await late;
    expect(String(error)).toBe('Error: no response within 20000 ms');
    expect(error).toMatchObject({ code: 'ETIMEDOUT' });
    expect(await next).toMatchObject({ items: [] });
    expect(clock.pendingTimers).toBe(0);
  });

  test('gets the whole timeout from when it is sent, however long it waited', async () => {
    const clock = new FakeClock();
    await using scene = await TransportHarness.start({ maxInFlight: 1, clock });
    const { transport, server } = scene;
    const held = Promise.withResolvers<void>();
    server.fail({}, { kind: 'hold', until: held.promise });
    const first = transport.request(LIST_REQUEST);
    const second = transport.request({ ...LIST_REQUEST, timeoutMs: 1_000 });
    await server.until(() => server.count() === 1);
    await clock.advance(60_000);
    held.resolve();
    await first;
    expect(await second).toMatchObject({ items: [] });
    expect(clock.pendingTimers).toBe(0);
  });

  test('ends earlier when the request is aborted', async () => {
    const clock = new FakeClock();
    await using scene = await TransportHarness.start({ clock });
    const { transport, server } = scene;
    server.fail({}, { kind: 'hold', until: never });
    const stop = new AbortController();
    const ended = catchRejection(transport.request({ ...LIST_REQUEST, timeoutMs: 1_000, signal: stop.signal }));
    await server.until(() => server.count() === 1);
    stop.abort(new Error('enough'));
    expect(String(await ended)).toBe('Error: enough');
    expect(clock.pendingTimers).toBe(0);
  });
});

test('a request that is aborted while its connection opens is not sent', async () => {
  await using scene = await TransportHarness.start({ maxInFlight: 1 });
  const { transport, server } = scene;
  const stop = new AbortController();
  const ended = catchRejection(transport.request({ ...LIST_REQUEST, signal: stop.signal }));
  for (let turn = 0; turn < 10; turn++) await Promise.resolve(); // it is in progress; a connection takes a turn of the event loop
  stop.abort(new Error('enough'));
  expect(String(await ended)).toBe('Error: enough');
  expect(await transport.request(LIST_REQUEST)).toMatchObject({ items: [] });
  expect(server.count()).toBe(1);
});

test('a finished request leaves no listener on its signal', async () => {
  await using scene = await TransportHarness.start();
  const { signal } = new AbortController();
  await scene.transport.request({ ...LIST_REQUEST, signal });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a namespace whose requests hang does not delay other namespaces', async () => {
  await using scene = await TransportHarness.start();
  const { transport, server } = scene;
  server.put(jobs, job('a'));
  const enough = new AbortController();
  const hanging = Array.from({ length: 96 }, () => {
    server.fail({ namespace: 'bad' }, { kind: 'hold', until: new Promise(() => {}) });
    const path = resourcePath(jobs, 'bad');
    return catchRejection(
      transport.request({ ...LIST_REQUEST, path, namespace: 'bad', priority: 'urgent', signal: enough.signal }),
    );
  });
  await server.until(() => server.count({ namespace: 'bad' }) > 0);
  for (const priority of ['urgent', 'normal', 'background'] as const) {
    const answer = await transport.request({ ...createGetRequest('a'), namespace: 'default', priority });
    expect(answer).toMatchObject({ metadata: { name: 'a' } });
  }
  enough.abort();
  await Promise.all(hanging);
});
