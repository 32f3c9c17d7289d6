import { describe, expect, test } from 'vitest';
import { type Job, job, jobs } from '../test-support/objects.ts';
import { configMaps, expectNoDuplicates, jobKey, ReflectorHarness } from '../test-support/reflector-harness.ts';
import { eventually } from '../testing/eventually.ts';
import type { FakeApiServer } from '../testing/fake-api-server.ts';
import { MAX_WATCH_SILENCE_MS } from './reflector.ts';

describe('without faults', () => {
  test.each([
    ['as the beginning of a watch', true],
    ['in pages', false],
  ])('drops null from objects that it reads %s and from changes', async (_, watchList) => {
    const withNulls = (name: string) => ({
      ...job(name),
      metadata: { ...job(name).metadata, labels: null, finalizers: null },
      status: { conditions: [{ type: 'Failed', lastTransitionTime: null }, null] },
    });
    const arrange = (server: FakeApiServer) => {
      server.watchList = watchList;
      server.put(jobs, withNulls('read') as unknown as Job);
    };
    await using scene = await ReflectorHarness.synced(arrange);
    scene.server.put(jobs, withNulls('changed') as unknown as Job);
    await eventually(() => expect(scene.mirror.objects.get('default/changed')).toBeDefined(), { intervalMs: 1 });
    for (const name of ['read', 'changed']) {
      const mirrored = scene.mirror.objects.get(`default/${name}`);
      expect(mirrored).toMatchObject({ spec: { parallelism: 1 }, status: { conditions: [{ type: 'Failed' }] } });
      expect(JSON.stringify(mirrored)).not.toContain('null');
    }
  });

  test('mirrors one namespace', async () => {
    const arrange = (server: FakeApiServer) => void server.put(jobs, job('x', 1, 'mine'));
    await using scene = await ReflectorHarness.synced(arrange, { namespace: 'mine' });
    scene.server.put(jobs, job('other', 1, 'default'));
    scene.server.put(jobs, job('y', 1, 'mine'));
    await eventually(() => expect([...scene.mirror.objects.keys()]).toEqual(['mine/x', 'mine/y']), { intervalMs: 1 });
  });

  test('ends when its signal aborts, without an open watch or timer', async () => {
    await using scene = await ReflectorHarness.synced();
    await scene.stop();
    await scene.server.until((server) => server.openWatches === 0);
    expect(scene.clock.fake.pendingTimers).toBe(0);
  });

  test('ends when its signal aborts during a back-off', async () => {
    await using scene = await ReflectorHarness.start((server) =>
      server.fail({ verb: 'watch' }, { kind: 'error', code: 500 }),
    );
    await eventually(() => expect(scene.clock.waitsMs).toHaveLength(1), { intervalMs: 1 });
    await scene.stop();
    expect(scene.clock.fake.pendingTimers).toBe(0);
  });
});

describe('initial events', () => {
  test('are discarded if the watch ends before they are complete', async () => {
    await using scene = await ReflectorHarness.start((server) =>
      server.fail({ verb: 'watch' }, { kind: 'breakInitialEvents', afterEvents: 2 }),
    );
    const { server, mirror } = scene;
    await server.until(() => server.pendingFaults === 0);
    await scene.settled();
    expect(server.count(), 'requests while time stands').toBe(1);
    expect([mirror.replaced, mirror.objects.size]).toEqual([0, 0]);
    server.remove(jobs, jobKey('a'));
    await scene.waitUntilInSync();
    await scene.expectInSync();
    expect(mirror.replaced).toBe(1);
  });

  test('that never end are cancelled', async () => {
    const never = new Promise<void>(() => {});
    await using scene = await ReflectorHarness.start((server) =>
      server.fail({ verb: 'watch' }, { kind: 'lateInitialEnd', until: never }),
    );
    const { server, clock } = scene;
    await server.watchOpened();
    await scene.settled();
    await clock.fake.advance(MAX_WATCH_SILENCE_MS);
    server.remove(jobs, jobKey('a'));
    await scene.waitUntilInSync();
    await scene.expectInSync();
    expect(server.count()).toBe(2);
  });

  test('may contain changes', async () => {
    const release = Promise.withResolvers<void>();
    await using scene = await ReflectorHarness.start((server) =>
      server.fail({ verb: 'watch' }, { kind: 'lateInitialEnd', until: release.promise }),
    );
    const { server, mirror } = scene;
    await server.watchOpened();
    server.remove(jobs, jobKey('a'));
    server.put(jobs, job('b', 2));
    server.put(jobs, job('d'));
    server.bookmark();
    await scene.settled();
    expect(mirror.replaced).toBe(0);
    release.resolve();
    await scene.waitUntilInSync();
    await scene.expectInSync();
    expect([server.count(), mirror.replaced]).toEqual([1, 1]);
  });

  test('after a compaction replace the mirrored objects', async () => {
    await using scene = await ReflectorHarness.synced();
    const { server, mirror } = scene;
    server.fail({ verb: 'watch', initialEvents: true }, { kind: 'breakInitialEvents', afterEvents: 1 });
    server.breakWatches({ kind: 'expire' });
    server.remove(jobs, jobKey('a'));
    server.compact();
    await server.until(() => server.pendingFaults === 1);
    await scene.settled();
    expect(mirror.objects.size, 'keeps the old until it has the new').toBe(3);
    await scene.waitUntilInSync();
    await scene.expectInSync();
    expect(scene.fullReads).toBe(3);
    expect(mirror.replaced).toBe(2);
  });
});

describe('a server without watch-list', () => {
  const old = (server: FakeApiServer) => {
    server.watchList = false;
    for (let i = 0; i < 600; i++) server.put(jobs, job(`many-${i}`));
  };

  test('is listed in pages once, and watched from their version', async () => {
    await using scene = await ReflectorHarness.synced(old);
    const { server } = scene;
    await scene.waitUntilInSync();
    await scene.expectInSync();
    expect(server.requests.map(({ verb }) => verb)).toEqual(['watch', 'list', 'list', 'watch']);
    expect(scene.clock.waitsMs).toEqual([]);
    server.breakWatches({ kind: 'expire' });
    server.remove(jobs, jobKey('a'));
    await scene.waitUntilInSync();
    expect(server.count({ initialEvents: true }), 'does not try again what was refused').toBe(1);
    expectNoDuplicates(scene.mirror.changes);
  });

  test('loses no change between two pages', async () => {
    const release = Promise.withResolvers<void>();
    await using scene = await ReflectorHarness.start((server) => {
      old(server);
      server.fail({ verb: 'list', continued: true }, { kind: 'hold', until: release.promise });
    });
    const { server } = scene;
    await server.until(() => server.count({ verb: 'list', continued: true }) === 1);
    server.remove(jobs, jobKey('a'));
    server.remove(jobs, jobKey('many-99'));
    server.put(jobs, job('b', 2));
    server.put(jobs, job('d'));
    release.resolve();
    await scene.waitUntilInSync();
    await scene.expectInSync();
    expect(scene.mirror.replaced).toBe(1);
  });

  const cases = [
    { name: 'list cut in half', match: { verb: 'list' }, fault: { kind: 'cutAnswer' }, lists: 2 },
    { name: 'continue token expired', match: { continued: true }, fault: { kind: 'error', code: 410 }, lists: 2 },
    { name: 'watch answered 500', match: { initialEvents: false }, fault: { kind: 'error', code: 500 }, lists: 1 },
  ] as const;

  test.each(cases)('with the fault $name: the sink ends in sync', async ({ match, fault, lists }) => {
    const verb = 'initialEvents' in match ? 'watch' : 'list';
    await using scene = await ReflectorHarness.start((server) => {
      old(server);
      server.fail({ verb, ...match }, fault);
    });
    const { server } = scene;
    await server.until(() => server.pendingFaults === 0);
    await scene.settled();
    const requests = server.count();
    await scene.settled();
    expect(server.count(), 'requests while time stands').toBe(requests);
    server.remove(jobs, jobKey('a'));
    server.put(jobs, job('b', 2));
    await scene.waitUntilInSync();
    await scene.expectInSync();
    expect(server.count({ verb: 'list', continued: false })).toBe(lists);
  });
});

describe('bookmarks', () => {
  /** Sends a bookmark and waits until the reflector has received it. */
  async function heardBookmark({ server, clock, reflector }: ReflectorHarness): Promise<void> {
    await clock.fake.advance(1000);
    server.bookmark();
    await eventually(() => expect(reflector.silenceMs).toBe(0), { intervalMs: 1 });
  }

  test('keep the version recent, so that a compaction causes no relist', async () => {
    await using scene = await ReflectorHarness.synced();
    const { server } = scene;
    for (let i = 0; i < 5; i++) server.put(configMaps, { metadata: { name: `other-${i}`, namespace: 'default' } });
    await heardBookmark(scene);
    server.compact();
    server.breakWatches({ kind: 'close' });
    server.put(jobs, job('d'));
    await scene.waitUntilInSync();
    await scene.expectInSync();
    expect(scene.fullReads).toBe(1);
    expect(server.count()).toBe(2);
  });

  test('keep a quiet watch alive', async () => {
    await using scene = await ReflectorHarness.synced();
    const { server, clock } = scene;
    for (let i = 0; i < 4; i++) {
      await clock.fake.advance(MAX_WATCH_SILENCE_MS - 2000);
      await heardBookmark(scene);
    }
    await scene.expectInSync();
    expect(server.count()).toBe(1);
  });
});

test('sends the field selector with every list and watch', async () => {
  const old = (server: FakeApiServer) => {
    server.watchList = false;
  };
  const fieldSelector = 'metadata.namespace=default';
  await using scene = await ReflectorHarness.start(old, { fieldSelector });
  await scene.server.until(({ requests }) => requests.length === 3);
  const selectors = scene.server.requests.map(({ verb, query }) => [verb, query.get('fieldSelector')]);
  expect(selectors).toEqual(['watch', 'list', 'watch'].map((verb) => [verb, fieldSelector]));
});
