import { expect, test } from 'vitest';
import { jobs } from '../test-support/objects.ts';
import { jobKey, ReflectorHarness } from '../test-support/reflector-harness.ts';
import { eventually } from '../testing/eventually.ts';
import type { Fault } from '../testing/fake-api/faults.ts';
import { MAX_BACK_OFF_MS, MIN_BACK_OFF_MS } from './watch-retries.ts';

/** The watch fails, and `times` attempts to open it get `fault`; time passes until they have. */
async function failTimes(scene: ReflectorHarness, fault: Fault, times: number): Promise<void> {
  const { server, clock } = scene;
  server.fail({ verb: 'watch' }, fault, times);
  await scene.until(() => expect(server.pendingFaults).toBe(0), 1000);
  await eventually(() => expect(clock.waitsMs.length).toBeGreaterThanOrEqual(times), { intervalMs: 1 });
}

async function lost(): Promise<ReflectorHarness> {
  const scene = await ReflectorHarness.synced(undefined, { random: () => 0 });
  scene.server.breakWatches({ kind: 'reset' });
  await eventually(() => expect(scene.clock.waitsMs).toEqual([MIN_BACK_OFF_MS]), { intervalMs: 1 });
  return scene;
}

test.each([
  ['an expired version', { kind: 'error', code: 410 }],
  ['a watch that ends at once', { kind: 'close' }],
] as const)('after an outage with long waits, %s is followed by a short one', async (_, fault) => {
  await using scene = await lost();
  await failTimes(scene, { kind: 'error', code: 500 }, 9);
  expect(scene.clock.waitsMs.at(-1)).toBe(MAX_BACK_OFF_MS);
  scene.clock.waitsMs.length = 0;
  await failTimes(scene, fault, 1);
  expect(scene.clock.waitsMs).toEqual([MIN_BACK_OFF_MS]);
  scene.server.remove(jobs, jobKey('a'));
  await scene.waitUntilInSync();
});

test('waits longer each time initial events are interrupted', async () => {
  await using scene = await lost();
  scene.clock.waitsMs.length = 0;
  await failTimes(scene, { kind: 'expire' }, 1);
  await failTimes(scene, { kind: 'breakInitialEvents', afterEvents: 1 }, 4);
  expect(scene.clock.waitsMs).toEqual([800, 800, 1600, 3200, 6400]);
});

test('waits briefly after a healthy watch without events', async () => {
  await using scene = await lost();
  const { server, clock } = scene;
  await failTimes(scene, { kind: 'close' }, 6);
  await scene.until(() => expect(server.openWatches).toBe(1), 1000);
  await scene.settled();
  await clock.fake.advance(20_000);
  clock.waitsMs.length = 0;
  server.breakWatches({ kind: 'reset' });
  await eventually(() => expect(clock.waitsMs).toEqual([MIN_BACK_OFF_MS]), { intervalMs: 1 });
});
