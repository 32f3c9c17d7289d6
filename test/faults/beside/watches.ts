/** Faults of watches while all other requests work. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { NewObject } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { expect } from 'vitest';
import type { Job } from '../../../api/kubernetes.ts';
import { cronJobs, jobs } from '../../../controllers/resources.ts';
import type { Random } from '../../simulation/random.ts';
import { noFault } from '../support/api-proxy.ts';
import type { FaultResultRow } from '../support/results.ts';
import type { Rig } from '../support/rig.ts';
import { EVERY_SECONDS, Tenant } from '../support/tenant.ts';

/** runtime/cache/reflector.ts: 150 s without a bookmark. */
const SILENCE_MS = 150_000;
/** Back-offs of a watch: 15 s, or many times that on a busy machine. */
const BOUND_MS = 120_000;
/** Number of breaks of the first watches of a manager. */
const ROUNDS = 3;
/** Cuts for each kind of object, one after the other. */
const CUTS = 2;
/** Fewer bytes than the initial events have. */
const MAX_BYTES = 10_000;

/** The proxy of the watches drops them, and keeps their connections open. */
export async function testSilentWatches(rig: Rig): Promise<readonly FaultResultRow[]> {
  const tenant = await Tenant.open(rig, 'silent-watches');
  await tenant.startManager();
  await tenant.waitForRunsAfter(Date.now());
  const silent = [...tenant.proxy.watches];
  expect(silent.map(({ resource }) => resource).sort()).toEqual(['cronjobs', 'jobs']);
  const startedMs = Date.now();
  for (const watch of silent) watch.pause();
  const isOver = Promise.all(silent.map(({ ended }) => ended));
  await eventually(() => expect(silent.filter((watch) => tenant.proxy.watches.has(watch))).toEqual([]), {
    timeoutMs: SILENCE_MS + BOUND_MS,
    intervalMs: 500,
  });
  await isOver;
  const tookMs = Date.now() - startedMs;
  await tenant.waitUntilWellAfter(Date.now());
  expect(tenant.manager.ends).toEqual([]);
  console.info(`silent watches were given up after ${Math.round(tookMs / 1000)} s`);
  return [tenant.createRow('watches silent until the manager ends them', { startedMs })];
}

/** The first read of all objects breaks in the middle, at the start of the manager, and when its version is too old. */
export async function testBrokenFirstReads(rig: Rig, random: Random): Promise<readonly FaultResultRow[]> {
  const tenant = await Tenant.open(rig, 'broken-first-reads');
  await tenant.startManager();
  await tenant.waitForRunsAfter(Date.now());
  const startedMs = Date.now();
  for (let round = 0; round < ROUNDS; round++) {
    const cuts = new Map<string, number>();
    tenant.proxy.plan = ({ verb, resource }) => {
      const count = cuts.get(resource) ?? 0;
      if (verb !== 'watch' || count === CUTS) return noFault();
      cuts.set(resource, count + 1);
      return { kind: 'CutWatch', bytes: random.int(1, MAX_BYTES) };
    };
    if (round === 0) for (const watch of [...tenant.proxy.watches]) watch.expire();
    else await tenant.manager.kill();
    await eventually(() => expect([...cuts.values()]).toEqual([CUTS, CUTS]));
    tenant.proxy.plan = noFault;
    const endedMs = Date.now();
    await tenant.waitUntilWellAfter(endedMs);
  }
  const row = { ...tenant.createRow('first watch response cut in the middle', { startedMs }), times: ROUNDS };
  return [row, await testDeleteDuringBrokenWatch(rig, tenant)];
}

/** Jobs are deleted, and others created, while the watch is broken. Then its version is too old to report this. */
async function testDeleteDuringBrokenWatch(rig: Rig, tenant: Tenant): Promise<FaultResultRow> {
  const { namespace } = tenant;
  const watches = [...tenant.proxy.watches];
  const deleted = await eventually(async () => {
    const all = await rig.client.list(cronJobs, { namespace });
    const active = all.flatMap(({ spec, status }) =>
      spec.concurrencyPolicy === 'Forbid' ? (status?.active ?? []) : [],
    );
    if (active.length === 0) throw new Error('no Job of a CronJob with Forbid is active');
    return active;
  });
  const startedMs = Date.now();
  for (const watch of watches) watch.pause();
  for (const { name = '' } of deleted) {
    await rig.client.delete(jobs, { namespace, name }, { propagationPolicy: 'Background' });
  }
  const others = Array.from({ length: 3 * deleted.length + 20 }, (_, index) =>
    createOtherJob(namespace, `other-${index}`),
  );
  await Promise.all(others.map((job) => rig.client.create(jobs, job)));
  await sleep(EVERY_SECONDS * 1000);
  for (const watch of watches) watch.expire();
  const endedMs = Date.now();
  await tenant.waitUntilWellAfter(endedMs);
  return tenant.createRow('Jobs deleted and created while the watch was broken, then status 410', {
    startedMs,
    endedMs,
  });
}

function createOtherJob(namespace: string, name: string): NewObject<Job> {
  const spec = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'run', image: 'busybox' }] } } };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { namespace, name }, spec };
}
