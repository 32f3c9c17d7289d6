import { describe, expect, test } from 'vitest';
import { resourcePath } from '../kubernetes/resource.ts';
import { type Job, job, jobs } from '../test-support/objects.ts';
import { catchRejection, createGetRequest, LIST_REQUEST, TransportHarness } from '../test-support/transport-harness.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { ApiError, findApiError, isNotFound } from './errors.ts';
import type { Credentials } from './server-credentials.ts';
import { HttpTransport } from './transport.ts';

describe('requests', () => {
  test('send method, path, query and body, and return the JSON of the response', async () => {
    await using scene = await TransportHarness.start();
    const { transport, server } = scene;
    const query = { dryRun: undefined, fieldManager: 'me & you', force: true };
    const path = resourcePath(jobs, 'default');
    const created = (await transport.request({ method: 'POST', path, query, body: job('a') })) as Job;
    expect(created).toEqual(server.get(jobs, { namespace: 'default', name: 'a' }));
    const [call] = server.requests;
    expect(call?.query.toString()).toBe('fieldManager=me+%26+you&force=true');
    expect(call?.headers).toMatchObject({ accept: 'application/json', 'content-type': 'application/json' });
    expect(call?.headers['user-agent']).toBe('tester');
  });

  test('are not sent when beforeSend throws, however long they waited', async () => {
    await using scene = await TransportHarness.start();
    let isStale = false;
    const beforeSend = () => {
      if (isStale) throw new Error('stale');
    };
    const waitsForConnection = scene.transport.request({ ...LIST_REQUEST, beforeSend });
    isStale = true;
    await expect(waitsForConnection).rejects.toThrow('stale');
    await expect(scene.transport.request({ ...LIST_REQUEST, beforeSend })).rejects.toThrow('stale');
    expect(scene.server.requests).toEqual([]);
    isStale = false;
    await scene.transport.request({ ...LIST_REQUEST, beforeSend });
    expect(scene.server.requests).toHaveLength(1);
  });

  test('return undefined for a DELETE with a response without content', async () => {
    await using scene = await TransportHarness.start();
    scene.server.fail({}, { kind: 'text', code: 204, text: '' });
    expect(await scene.transport.request({ ...createGetRequest('a'), method: 'DELETE' })).toBeUndefined();
  });
});

describe('a response above maxResponseBytes', () => {
  const text = JSON.stringify({ kind: 'JobList', metadata: { a: 'x'.repeat(1000) } });

  test.each([
    ['a yes', 201],
    ['a no', 422],
  ])('is not read to its end and rejects with the code %s', async (_, code) => {
    await using scene = await TransportHarness.start();
    scene.server.fail({}, { kind: 'text', code, text });
    const error = await catchRejection(scene.transport.request({ ...LIST_REQUEST, maxResponseBytes: 1000 }));
    expect(error).toMatchObject({ name: 'ResponseTooLargeError', code });
  });

  test('is one byte longer than the limit', async () => {
    await using scene = await TransportHarness.start();
    scene.server.fail({}, { kind: 'text', code: 200, text, headers: { 'content-type': 'application/json' } });
    expect(await scene.transport.request({ ...LIST_REQUEST, maxResponseBytes: text.length })).toEqual(JSON.parse(text));
  });
});

describe('errors', () => {
  test('from the API server keep code, reason and message', async () => {
    await using scene = await TransportHarness.start();
    const missing = await catchRejection(scene.transport.request(createGetRequest('a')));
    expect(missing).toBeInstanceOf(ApiError);
    expect(missing).toMatchObject({ code: 404, reason: 'NotFound', message: 'jobs.batch "a" not found' });
    expect(isNotFound(missing)).toBe(true);
  });

  test('have the wait that the server requested', async () => {
    await using scene = await TransportHarness.start();
    scene.server.fail({ verb: 'list' }, { kind: 'error', code: 429, retryAfterSeconds: 7 });
    expect(await catchRejection(scene.transport.request(LIST_REQUEST))).toMatchObject({
      code: 429,
      retryAfterMs: 7000,
    });
    scene.server.fail({ verb: 'watch' }, { kind: 'error', code: 503, retryAfterSeconds: 3 });
    const refused = await catchRejection(scene.transport.stream({ ...LIST_REQUEST, query: { watch: true } }));
    expect(refused).toMatchObject({ code: 503, retryAfterMs: 3000 });
  });

  test.each(['drop', 'cutAnswer'] as const)('without a complete response (%s) are not an ApiError', async (kind) => {
    await using scene = await TransportHarness.start();
    scene.server.put(jobs, job('a'));
    scene.server.fail({}, { kind });
    const error = await catchRejection(scene.transport.request(LIST_REQUEST));
    expect(error).toBeInstanceOf(Error);
    expect(findApiError(error)).toBeUndefined();
    expect(await scene.transport.request(LIST_REQUEST)).toMatchObject({ items: [{ metadata: { name: 'a' } }] });
  });

  test('end an aborted request, in flight or waiting', async () => {
    await using scene = await TransportHarness.start({ maxInFlight: 1 });
    const { transport, server } = scene;
    server.fail({}, { kind: 'hold', until: new Promise(() => {}) });
    const [first, second] = [new AbortController(), new AbortController()];
    const underWay = catchRejection(transport.request({ ...LIST_REQUEST, signal: first.signal }));
    const waiting = catchRejection(transport.request({ ...LIST_REQUEST, signal: second.signal }));
    await server.until(() => server.count() === 1);
    second.abort(new Error('second'));
    expect(String(await waiting), 'does not wait for its turn').toBe('Error: second');
    first.abort(new Error('first'));
    expect(String(await underWay)).toBe('Error: first');
    expect(await transport.request(LIST_REQUEST)).toMatchObject({ items: [] });
    expect(server.count()).toBe(2);
  });
});

test('a request that is aborted does not wait for credentials', async () => {
  const credentials = { current: () => new Promise<Credentials>(() => {}), refresh() {} };
  const transport = new HttpTransport({ userAgent: 'tester', credentials, clock: new FakeClock(), maxInFlight: 1 });
  const enough = new AbortController();
  const request = catchRejection(transport.request({ ...LIST_REQUEST, signal: enough.signal }));
  enough.abort(new Error('enough'));
  expect(String(await request)).toBe('Error: enough');
});

test('records every request in the metrics, with and without a response', async () => {
  const reported: string[] = [];
  const metrics = { countResponse: (...what: string[]) => void reported.push(what.join(' ')) };
  await using scene = await TransportHarness.start({ metrics });
  const { transport, server } = scene;
  const { host } = server.url;
  await transport.request(LIST_REQUEST);
  await catchRejection(transport.request(createGetRequest('a')));
  server.fail({}, { kind: 'drop' });
  await catchRejection(transport.request(LIST_REQUEST));
  await scene.watch();
  expect(reported).toEqual([`GET ${host} 200`, `GET ${host} 404`, `GET ${host} <error>`, `GET ${host} 200`]);
});
