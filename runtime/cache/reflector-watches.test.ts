import { describe, expect, test } from 'vitest';
import { job, jobs } from '../test-support/objects.ts';
import { expectNoDuplicates, jobKey, ReflectorHarness } from '../test-support/reflector-harness.ts';
import type { FakeApiServer } from '../testing/fake-api-server.ts';
import { MAX_WATCH_SILENCE_MS } from './reflector.ts';
import { MIN_BACK_OFF_MS } from './watch-retries.ts';

describe('a watch that breaks', () => {
  const cases = [
    { name: 'socket reset', kind: 'reset', fullReads: 1, atOnce: 0 },
    { name: 'clean close', kind: 'close', fullReads: 1, atOnce: 1 },
    { name: 'half a line', kind: 'halfLine', fullReads: 1, atOnce: 1 },
    { name: 'a line that is not JSON', kind: 'garbage', fullReads: 1, atOnce: 0 },
    { name: 'error 500 in the stream', kind: 'fail', fullReads: 1, atOnce: 0 },
    { name: '410 in the stream', kind: 'expire', fullReads: 2, atOnce: 0 },
  ] as const;

  test.each(cases)('by $name: the sink ends in sync', async ({ kind, fullReads, atOnce }) => {
    await using scene = await ReflectorHarness.synced();
    const { server } = scene;
    server.breakWatches({ kind, afterEvents: 2 });
    server.put(jobs, job('d'));
    server.remove(jobs, jobKey('b'));
    server.remove(jobs, jobKey('a'));
    server.put(jobs, job('e'));
    expect(server.pendingFaults).toBe(0);
    await scene.settled();
    expect(server.count(), 'requests while time stands').toBeLessThanOrEqual(1 + atOnce);
    server.put(jobs, job('c', 2));
    server.remove(jobs, jobKey('d'));
    await scene.waitUntilInSync();
    await scene.expectInSync();
    expect(scene.fullReads).toBe(fullReads);
    expect(server.count()).toBe(2);
    if (fullReads === 1) expectNoDuplicates(scene.mirror.changes);
  });

  test('by silence: is replaced after the limit, not before', async () => {
    await using scene = await ReflectorHarness.synced();
    const { server, clock } = scene;
    server.breakWatches({ kind: 'silence', afterEvents: 1 });
    server.put(jobs, job('d'));
    await scene.waitUntilInSync(0);
    server.remove(jobs, jobKey('a'));
    server.put(jobs, job('b', 2));
    server.bookmark();
    await clock.fake.advance(MAX_WATCH_SILENCE_MS - 1);
    await scene.settled();
    expect(server.count()).toBe(1);
    expect(scene.reflector.silenceMs).toBe(MAX_WATCH_SILENCE_MS - 1);
    await clock.fake.advance(1);
    server.put(jobs, job('c', 2));
    await scene.waitUntilInSync();
    await scene.expectInSync();
    expect(server.count()).toBe(2);
    expect(scene.fullReads).toBe(1);
    expectNoDuplicates(scene.mirror.changes);
  });

  test('a new watch without any response causes a relist, because etcd may be restored', async () => {
    await using scene = await ReflectorHarness.synced();
    const { server, clock } = scene;
    server.fail({ verb: 'watch' }, { kind: 'silence' });
    server.breakWatches({ kind: 'reset' });
    await scene.until(() => expect(server.pendingFaults).toBe(0), 500);
    server.remove(jobs, jobKey('a'));
    server.put(jobs, job('d'));
    await clock.fake.advance(MAX_WATCH_SILENCE_MS);
    await scene.waitUntilInSync();
    await scene.expectInSync();
    expect(scene.fullReads).toBe(2);
  });
});

describe('a watch request that fails', () => {
  const cases = [
    { name: '500', fault: { kind: 'error', code: 500 } },
    { name: '429', fault: { kind: 'error', code: 429 } },
    { name: '403', fault: { kind: 'error', code: 403 } },
    { name: 'a proxy page', fault: { kind: 'text', code: 502, text: '<html>bad gateway</html>' } },
    {
      name: 'a login page',
      fault: { kind: 'text', code: 200, text: '<html>', headers: { 'content-type': 'text/html' } },
    },
    { name: 'a reset socket', fault: { kind: 'drop' } },
  ] as const;

  test.each(cases)('with $name: is repeated from the same version', async ({ fault }) => {
    await using scene = await ReflectorHarness.synced();
    const { server } = scene;
    for (let i = 0; i < 3; i++) server.fail({ verb: 'watch' }, fault);
    server.breakWatches({ kind: 'reset' });
    server.remove(jobs, jobKey('a'));
    await scene.settled();
    expect(server.count(), 'requests while time stands').toBe(1);
    server.put(jobs, job('b', 2));
    await scene.waitUntilInSync();
    await scene.expectInSync();
    expect(server.pendingFaults).toBe(0);
    expect(scene.fullReads).toBe(1);
    expect(scene.mirror.resumes, 'number of reports that the server answers again').toBe(1);
    expectNoDuplicates(scene.mirror.changes);
  });

  test('without an answer: is cancelled after too long a silence', async () => {
    const release = Promise.withResolvers<void>();
    await using scene = await ReflectorHarness.start((server) =>
      server.fail({ verb: 'watch' }, { kind: 'hold', until: release.promise }),
    );
    const { server, clock } = scene;
    await server.until(() => server.count() === 1);
    await clock.fake.advance(MAX_WATCH_SILENCE_MS);
    server.remove(jobs, jobKey('a'));
    await scene.waitUntilInSync();
    release.resolve();
    await scene.expectInSync();
    expect(server.count()).toBe(2);
  });
});

test('waits longer after each failure, and restarts after a success', async () => {
  const refusing = (server: FakeApiServer) => server.fail({ verb: 'watch' }, { kind: 'error', code: 500 }, 3);
  await using scene = await ReflectorHarness.start(refusing, { random: () => 0 });
  await scene.waitUntilInSync(10_000);
  expect(scene.clock.waitsMs).toEqual([800, 1600, 3200]);
  scene.server.breakWatches({ kind: 'reset' });
  scene.server.put(jobs, job('d'));
  await scene.waitUntilInSync();
  expect(scene.clock.waitsMs.slice(3)).toEqual([MIN_BACK_OFF_MS]);
});
