import { describe, expect, test } from 'vitest';
import { job, jobs } from '../test-support/objects.ts';
import { named, Scene } from '../test-support/reflector-scene.ts';
import { eventually } from '../testing/eventually.ts';
import type { Fault } from '../testing/fake-api/faults.ts';
import { MAX_ABSENT_WAIT_MS, MAX_BACK_OFF_MS, MIN_BACK_OFF_MS } from './watch-retries.ts';

const unserved: Fault = { kind: 'error', code: 404 };
const broken: Fault = { kind: 'error', code: 500 };
const waitOf = 'retryAfterMs';

/** The watch is lost, and `times` tries to open it meet `fault`; time passes until they have. */
async function failTimes(scene: Scene, fault: Fault, times: number): Promise<void> {
  const { server, clock } = scene;
  server.fail({ verb: 'watch' }, fault, times);
  await scene.until(() => expect(server.pendingFaults).toBe(0), 1000);
  await eventually(() => expect(clock.waitsMs.length).toBeGreaterThanOrEqual(times), { intervalMs: 1 });
}

async function lost(): Promise<Scene> {
  const scene = await Scene.synced(undefined, { random: () => 0 });
  scene.server.breakWatches({ kind: 'reset' });
  await eventually(() => expect(scene.clock.waitsMs).toEqual([MIN_BACK_OFF_MS]), { intervalMs: 1 });
  return scene;
}

describe('a kind that is not served', () => {
  test('is asked for again every few seconds, however long it is away', async () => {
    await using scene = await lost();
    await failTimes(scene, unserved, 40);
    expect(Math.max(...scene.clock.waitsMs)).toBe(MAX_ABSENT_WAIT_MS);
    expect(MAX_ABSENT_WAIT_MS).toBeLessThan(5000);
    scene.server.put(jobs, job('d'));
    const before = scene.clock.waitsMs.length;
    await scene.agrees();
    expect(scene.clock.waitsMs.length).toBeLessThanOrEqual(before + 1);
  });

  test('is asked for soon after an outage with long waits, too', async () => {
    await using scene = await lost();
    await failTimes(scene, broken, 9);
    expect(scene.clock.waitsMs.at(-1)).toBe(MAX_BACK_OFF_MS);
    await failTimes(scene, unserved, 1);
    expect(scene.clock.waitsMs.at(-1)).toBe(MAX_ABSENT_WAIT_MS);
  });

  test('is logged once, with the wait, and when it is back', async () => {
    await using scene = await lost();
    await failTimes(scene, unserved, 5);
    const isAbout = ({ level, message }: { level: string; message: string }) =>
      level === 'info' && message.startsWith('the API server ');
    const lines = () => scene.log.records.filter(isAbout).map(({ message, fields }) => [message, fields[waitOf]]);
    const gone = 'the API server does not serve this kind, will retry; install its CustomResourceDefinition';
    expect(lines()).toEqual([[gone, 1600]]);
    await scene.staysInTouch();
    expect(lines().slice(1)).toEqual([['the API server serves this kind again', undefined]]);
  });

  test('is asked for soon when the API server asks to wait because its definition is new', async () => {
    await using scene = await lost();
    await failTimes(scene, unserved, 9);
    scene.clock.waitsMs.length = 0;
    await failTimes(scene, { kind: 'error', code: 429, retryAfterSeconds: 1 }, 5);
    expect(Math.max(...scene.clock.waitsMs)).toBe(MAX_ABSENT_WAIT_MS);
  });
});

describe('after an outage with long waits', () => {
  async function backAfterOutage(): Promise<Scene> {
    const scene = await lost();
    await failTimes(scene, broken, 9);
    expect(scene.clock.waitsMs.at(-1)).toBe(MAX_BACK_OFF_MS);
    scene.clock.waitsMs.length = 0;
    return scene;
  }

  test.each([
    ['an expired version, in the answer', { kind: 'error', code: 410 }],
    ['an expired version, in the stream', { kind: 'expire' }],
    ['a watch that ends at once', { kind: 'close' }],
    ['a watch that breaks at once', { kind: 'reset' }],
    ['a watch that fails at once', { kind: 'fail' }],
  ] as const)('%s is followed by a short wait', async (_, fault) => {
    await using scene = await backAfterOutage();
    await failTimes(scene, fault, 1);
    expect(scene.clock.waitsMs).toEqual([MIN_BACK_OFF_MS]);
    scene.server.remove(jobs, named('a'));
    await scene.agrees();
  });

  test('watches that end at once, again and again, are followed by longer waits', async () => {
    await using scene = await backAfterOutage();
    await failTimes(scene, { kind: 'close' }, 5);
    expect(scene.clock.waitsMs).toEqual([800, 1600, 3200, 6400, 12_800]);
  });

  test('initial events that break off, again and again, are followed by longer waits', async () => {
    await using scene = await backAfterOutage();
    await failTimes(scene, { kind: 'expire' }, 1);
    await failTimes(scene, { kind: 'breakInitialEvents', afterEvents: 1 }, 4);
    expect(scene.clock.waitsMs).toEqual([800, 800, 1600, 3200, 6400]);
  });

  test('410 for all that is asked anew is followed by longer waits', async () => {
    await using scene = await backAfterOutage();
    await failTimes(scene, { kind: 'error', code: 410 }, 5);
    expect(scene.clock.waitsMs).toEqual([800, 1600, 3200, 6400, 12_800]);
  });
});

test('a quiet watch that was sound for a while has a short wait after it', async () => {
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

test('every wait is in the log', async () => {
  await using scene = await Scene.start(
    (server) => {
      server.fail({ verb: 'watch' }, broken);
      server.fail({ verb: 'watch' }, { kind: 'error', code: 429, retryAfterSeconds: 7 });
      server.fail({ verb: 'watch' }, { kind: 'error', code: 410 });
    },
    { random: () => 0 },
  );
  await scene.agrees();
  const waits = scene.log.records.map(({ fields }) => fields[waitOf]).filter((wait) => wait !== undefined);
  expect(waits).toEqual([800, 7000, 3200]);
});
