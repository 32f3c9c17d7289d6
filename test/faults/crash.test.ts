/** The manager is killed before and after each kind of call, and restarted. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ignoreNotFound } from 'controller-runtime';
import { test } from 'vitest';
import { leases } from '../support/leases.ts';
import { noFault } from './support/api-proxy.ts';
import { formatCallKind } from './support/call.ts';
import { chooseExtent } from './support/extent.ts';
import { createFileRig } from './support/file-rig.ts';
import { countByPolicy } from './support/results.ts';
import { LEASE } from './support/rig.ts';
import type { SupervisedManager } from './support/supervised-manager.ts';

const EVERY_SECONDS = 10;
const COUNT = 120;
/** In order of importance: creates decide whether a slot runs twice. */
const MAX_KINDS = chooseExtent({ all: Number.POSITIVE_INFINITY, fast: 1 });
const FIRST: readonly string[] = ['create jobs', 'update cronjobs/status'];
/** Calls that come in bursts are also hit in the middle of a burst. */
const MIDDLE_CALL = 40;
const FREQUENT_KINDS: readonly string[] = ['create jobs', 'update cronjobs/status', 'create events', 'delete jobs'];

const scene = createFileRig('crash', { count: COUNT, everySeconds: EVERY_SECONDS });

interface CrashPoint {
  readonly kind: string;
  readonly at: 'before' | 'after';
  /** Index of the call among the calls of its kind. */
  readonly nth: number;
}

function listPoints(kind: string): readonly CrashPoint[] {
  const first = [
    { kind, at: 'before', nth: 1 },
    { kind, at: 'after', nth: 1 },
  ] as const;
  const middle = first.map((point) => ({ ...point, nth: MIDDLE_CALL }));
  return FREQUENT_KINDS.includes(kind) ? [...first, ...middle] : first;
}

/** Kills the manager, and then its successor at the point; resolves when this has happened. */
async function crashAt({ kind, at, nth }: CrashPoint, manager: SupervisedManager): Promise<void> {
  const { rig } = scene;
  const { promise: died, resolve } = Promise.withResolvers<void>();
  let calls = 0;
  const run = async () => {
    await manager.kill();
    rig.proxy.plan = noFault;
    resolve();
  };
  rig.proxy.plan = (call) => (formatCallKind(call) === kind && ++calls === nth ? { kind: 'Run', at, run } : noFault());
  await manager.kill();
  await PROVOKERS[kind]?.();
  await rig.runNow(`${kind} ${at} ${nth}`);
  await died;
}

/** Causes a call that a restart alone does not cause. */
const PROVOKERS: Readonly<Record<string, () => Promise<unknown>>> = {
  'create leases': () => ignoreNotFound(scene.rig.client.delete(leases, LEASE)),
};
/** Every five minutes, and without consequences: an Event with the number of its occurrences. */
const SKIPPED_KINDS: readonly string[] = ['patch events'];

test('a manager that is killed before and after each kind of call loses and doubles no slot', async () => {
  const { rig, rows } = scene;
  const manager = await rig.startManager();
  await sleep(3 * EVERY_SECONDS * 1000);
  await rig.waitUntilWellThrough(Date.now());
  const testedKinds = new Set<string>();
  // After a crash, the next manager makes calls that it would not make otherwise: each new kind of call gets its turn.
  for (let kinds = listUntestedKinds(testedKinds); kinds.length > 0; kinds = listUntestedKinds(testedKinds)) {
    for (const kind of kinds) {
      testedKinds.add(kind);
      if (testedKinds.size > MAX_KINDS) continue;
      const before = rig.history.jobs.length;
      const points = listPoints(kind);
      for (const point of points) {
        await crashAt(point, manager);
        console.info(JSON.stringify(point));
        await rig.waitUntilWellThrough(Date.now());
      }
      const runs = countByPolicy(rig.history.jobs.slice(before));
      rows.push({ fault: kind, times: points.length, runs });
    }
  }
  await rig.expectCorrectStatuses();
});

function listUntestedKinds(testedKinds: ReadonlySet<string>): readonly string[] {
  const kinds = [...scene.rig.history.calls.keys()]
    .sort()
    .filter((kind) => !testedKinds.has(kind) && !SKIPPED_KINDS.includes(kind));
  return kinds.toSorted((left, right) => Number(FIRST.includes(right)) - Number(FIRST.includes(left)));
}
