/** The manager is killed before and after each kind of call, and restarted. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ignoreNotFound } from 'controller-runtime';
import { test } from 'vitest';
import { leases } from '../support/leases.ts';
import { noFault } from './support/api-proxy.ts';
import { kindOfCall } from './support/call.ts';
import { extent } from './support/extent.ts';
import { byPolicy } from './support/results.ts';
import { LEASE } from './support/rig.ts';
import { rigOfFile } from './support/rig-of-file.ts';
import type { SupervisedManager } from './support/supervised-manager.ts';

const EVERY_SECONDS = 10;
const COUNT = 120;
/** In order of importance: creates decide whether a slot runs twice. */
const MAX_KINDS = extent({ all: Number.POSITIVE_INFINITY, fast: 1 });
const FIRST: readonly string[] = ['create jobs', 'update cronjobs/status'];
/** Calls that come in bursts are also hit in the middle of a burst. */
const IN_THE_MIDDLE = 40;
const CROWDS: readonly string[] = ['create jobs', 'update cronjobs/status', 'create events', 'delete jobs'];

const scene = rigOfFile('crash', { count: COUNT, everySeconds: EVERY_SECONDS });

interface Point {
  readonly kind: string;
  readonly at: 'before' | 'after';
  /** Index of the call among the calls of its kind. */
  readonly nth: number;
}

function pointsOf(kind: string): readonly Point[] {
  const first = [
    { kind, at: 'before', nth: 1 },
    { kind, at: 'after', nth: 1 },
  ] as const;
  const middle = first.map((point) => ({ ...point, nth: IN_THE_MIDDLE }));
  return CROWDS.includes(kind) ? [...first, ...middle] : first;
}

/** Kills the manager, and then its successor at the point; resolves when this has happened. */
async function dieAt({ kind, at, nth }: Point, manager: SupervisedManager): Promise<void> {
  const { rig } = scene;
  const { promise: died, resolve } = Promise.withResolvers<void>();
  let calls = 0;
  const run = async () => {
    await manager.kill();
    rig.proxy.plan = noFault;
    resolve();
  };
  rig.proxy.plan = (call) => (kindOfCall(call) === kind && ++calls === nth ? { kind: 'Run', at, run } : noFault());
  await manager.kill();
  await PROVOKED[kind]?.();
  await rig.runNow(`${kind} ${at} ${nth}`);
  await died;
}

/** Causes a call that a restart alone does not cause. */
const PROVOKED: Readonly<Record<string, () => Promise<unknown>>> = {
  'create leases': () => ignoreNotFound(scene.rig.client.delete(leases, LEASE)),
};
/** Every five minutes, and without consequences: an Event with the number of its occurrences. */
const TOO_RARE: readonly string[] = ['patch events'];

test('killed before and after each kind of call, it loses no slot and runs none twice', async () => {
  const { rig, rows } = scene;
  const manager = await rig.startManager();
  await sleep(3 * EVERY_SECONDS * 1000);
  await rig.isWellThrough(Date.now());
  const tried = new Set<string>();
  // After a crash, the next manager makes calls that it would not make otherwise: each new kind of call gets its turn.
  for (let kinds = untried(tried); kinds.length > 0; kinds = untried(tried)) {
    for (const kind of kinds) {
      tried.add(kind);
      if (tried.size > MAX_KINDS) continue;
      const before = rig.history.jobs.length;
      const points = pointsOf(kind);
      for (const point of points) {
        await dieAt(point, manager);
        console.info(JSON.stringify(point));
        await rig.isWellThrough(Date.now());
      }
      const runs = byPolicy(rig.history.jobs.slice(before));
      rows.push({ fault: `killed before and after: ${kind}`, times: points.length, runs });
    }
  }
  await rig.endsWithTrueStatuses();
});

function untried(tried: ReadonlySet<string>): readonly string[] {
  const kinds = [...scene.rig.history.calls.keys()]
    .sort()
    .filter((kind) => !tried.has(kind) && !TOO_RARE.includes(kind));
  return kinds.toSorted((left, right) => Number(FIRST.includes(right)) - Number(FIRST.includes(left)));
}
