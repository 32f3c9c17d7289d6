import { describe, expect, test } from 'vitest';
import { pathOf } from '../kubernetes/resource.ts';
import { brief, call, disk, disks, watch } from '../test-support/raw-api.ts';
import { eventually } from './eventually.ts';
import { FakeApiServer } from './fake-api-server.ts';
import { FakeClock } from './fake-clock.ts';

describe('faults', () => {
  test('strike one matching request each, in the order given', async () => {
    await using server = await FakeApiServer.start();
    server.fail({ verb: 'list' }, { kind: 'error', code: 503 });
    server.fail({ verb: 'list' }, { kind: 'error', code: 429, retryAfterSeconds: 7 });
    server.fail({ verb: 'list' }, { kind: 'drop' });
    server.fail({ verb: 'list' }, { kind: 'cutAnswer' });
    expect((await call(server, 'GET', pathOf(disks, 'default', 'a'))).code).toBe(404);
    expect((await call(server, 'GET', pathOf(disks))).body.reason).toBe('ServiceUnavailable');
    expect((await call(server, 'GET', pathOf(disks))).headers.get('retry-after')).toBe('7');
    await expect(call(server, 'GET', pathOf(disks))).rejects.toThrow();
    await expect(call(server, 'GET', pathOf(disks))).rejects.toThrow();
    expect((await call(server, 'GET', pathOf(disks))).code).toBe(200);
    expect(server.pendingFaults).toBe(0);
    expect(server.count({ verb: 'list' })).toBe(5);
  });

  test('hold a request until they are told', async () => {
    await using server = await FakeApiServer.start();
    const held = Promise.withResolvers<void>();
    server.fail({}, { kind: 'hold', until: held.promise });
    const pending = call(server, 'GET', pathOf(disks));
    await server.until(() => server.count() === 1);
    server.put(disks, disk('late'));
    held.resolve();
    expect((await pending).body.items).toHaveLength(1);
  });

  test('strike a watch after as many events as asked', async () => {
    await using server = await FakeApiServer.start();
    server.put(disks, disk('a'));
    server.fail({ verb: 'watch' }, { kind: 'close', afterEvents: 1 });
    const { next } = await watch(server, 'resourceVersion=0');
    expect(brief(await next())).toBe('ADDED a');
    expect(server.pendingFaults).toBe(1);
    server.put(disks, disk('b'));
    expect(server.pendingFaults).toBe(0);
    expect(server.openWatches).toBe(0);
    expect([brief(await next()), await next()]).toEqual(['ADDED b', undefined]);
  });

  test('reset a watch, spoil its lines, silence it or end it with an error', async () => {
    await using server = await FakeApiServer.start();
    const events = async (kind: 'reset' | 'garbage' | 'halfLine' | 'silence' | 'expire' | 'fail') => {
      const { nextLine } = await watch(server, `resourceVersion=${server.version}`);
      server.breakWatches({ kind });
      server.put(disks, disk(kind));
      return nextLine;
    };
    await expect((await events('reset'))()).rejects.toThrow();
    expect(await (await events('garbage'))()).toBe('<html>upstream gone</html>');
    server.dropConnections();
    expect(await (await events('halfLine'))()).toMatch(/^\{"type":"ADDED",[^\n]*[^}\n]$/);
    expect(JSON.parse((await (await events('expire'))())!).object.code).toBe(410);
    expect(JSON.parse((await (await events('fail'))())!).object.code).toBe(500);
    const silent = await events('silence');
    server.bookmark();
    server.dropConnections();
    await expect(silent()).rejects.toThrow();
  });

  test('break initial events off, or keep back the bookmark that ends them', async () => {
    await using server = await FakeApiServer.start();
    for (const name of ['a', 'b']) server.put(disks, disk(name));
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    server.fail({ verb: 'watch' }, { kind: 'breakInitialEvents', afterEvents: 1 });
    const broken = await watch(server, query);
    expect([brief(await broken.next()), await broken.next()]).toEqual(['ADDED a', undefined]);
    const held = Promise.withResolvers<void>();
    server.fail({ verb: 'watch', initialEvents: true }, { kind: 'lateInitialEnd', until: held.promise });
    const { next } = await watch(server, query);
    server.remove(disks, { namespace: 'default', name: 'a' });
    held.resolve();
    const types = [await next(), await next(), await next(), await next()].map((event) => event?.type);
    expect(types).toEqual(['ADDED', 'ADDED', 'DELETED', 'BOOKMARK']);
  });

  test('strike as many requests as they are told to, of a kind, an object or a subresource', async () => {
    await using server = await FakeApiServer.start();
    server.put(disks, disk('a'));
    server.fail({ resource: disks, name: 'a', verb: 'get' }, { kind: 'error', code: 429 }, 2);
    server.fail({ subresource: 'status' }, { kind: 'error', code: 409, message: 'somebody was faster' });
    expect(server.pendingFaults).toBe(3);
    const get = async () => (await call(server, 'GET', pathOf(disks, 'default', 'a'))).code;
    expect([await get(), await get(), await get()]).toEqual([429, 429, 200]);
    const status = await call(server, 'PUT', pathOf(disks, 'default', 'a', 'status'), disk('a'));
    expect(status.body).toMatchObject({ reason: 'Conflict', message: 'somebody was faster' });
  });

  test('delay a request until its time has passed on the clock', async () => {
    const clock = new FakeClock();
    await using server = await FakeApiServer.start({ clock });
    server.fail({}, { kind: 'delay', delayMs: 5_000 });
    const answer = call(server, 'GET', pathOf(disks));
    await eventually(() => expect(clock.pendingTimers).toBe(1));
    await clock.advance(4_999);
    expect(clock.pendingTimers).toBe(1);
    server.put(disks, disk('late'));
    await clock.advance(1);
    expect((await answer).body.items).toHaveLength(1);
  });

  test('leave a request without an answer for as long as the client waits', async () => {
    await using server = await FakeApiServer.start();
    server.fail({ verb: 'list' }, { kind: 'hang' });
    const given = new AbortController();
    const hanging = server.client.list(disks, { signal: given.signal });
    await server.until(({ requests }) => requests.length === 1);
    expect(await server.client.list(disks)).toEqual([]);
    given.abort(new Error('gave up'));
    await expect(hanging).rejects.toThrow('gave up');
  });
});
