/** Everything that versions of the operator have stored, under this version: on a real API server, at the time at which it was stored. */
import { randomUUID } from 'node:crypto';
import { FakeClock, RecordingLogger } from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import { formatTime } from '../../api/time.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { cronJob } from '../support/cron-jobs.ts';
import type { RunningManager } from '../support/running-manager.ts';
import { Scene } from '../support/scene.ts';
import { EtcdObjects } from './support/etcd-objects.ts';
import { STORED_SETS, type StoredSet, storedSet } from './support/stored-set.ts';
import './support/provided.ts';

/** Those that start a run at each minute, whatever ran before; and `refused`, which tries to. */
const STARTING = ['succeeded', 'failed', 'active', 'replaced', 'watched'];
const THIS_VERSION = 'unreleased';

interface Upgrade extends AsyncDisposable {
  readonly scene: Scene;
  readonly set: StoredSet;
  /** Starts a manager; resolves when it has done what there is to do for every CronJob. */
  start(): Promise<RunningManager>;
}

/** The objects of the set, at the time at which they were stored. No manager runs. */
async function upgradeOf(name: string): Promise<Upgrade> {
  const { storedAt } = storedSet(name, '');
  const scene = await Scene.open({ clock: new FakeClock(new Date(storedAt)) });
  const set = storedSet(name, scene.namespace);
  const etcd = new EtcdObjects(inject('etcd'), scene.namespace);
  await etcd.put([...set.cronJobs, ...set.jobs]);
  const names = set.cronJobs.map(({ metadata }) => metadata.name);
  const start = async () => {
    const log = new RecordingLogger();
    const manager = await scene.startManager({ log });
    const decided = () => log.records.filter(({ message }) => message === 'decided what to start');
    await scene.eventually(async () => {
      expect(decided().map(({ fields }) => fields['name'])).toEqual(expect.arrayContaining(names));
    });
    // Its status comes after those of the others.
    const witness = `witness-${randomUUID()}`;
    await etcd.put([witnessOf(witness, scene)]);
    await scene.observed(witness);
    return manager;
  };
  return { scene, set, start, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
}

function witnessOf(name: string, { namespace, clock }: Scene): CronJob {
  const creationTimestamp = formatTime(clock.now());
  return cronJob({ suspend: true }, undefined, { name, namespace, uid: randomUUID(), creationTimestamp });
}

const namesOf = (objects: readonly { readonly metadata: { readonly name: string } }[]) =>
  objects.map(({ metadata }) => metadata.name).toSorted();

describe.each(STORED_SETS)('what version %s has stored', (name) => {
  test('is taken over: nothing starts or is deleted, nothing is told, and a status is written once at most', async () => {
    await using upgrade = await upgradeOf(name);
    const { scene, set } = upgrade;
    const manager = await upgrade.start();
    const writes = (['POST', 'PUT', 'PATCH', 'DELETE'] as const)
      .flatMap((method) => manager.requests(method))
      .map(({ method, path }) => `${method} ${path.split('/').slice(6).join('/')}`)
      // It is refused, as before.
      .filter((write) => write !== 'POST jobs' && !write.includes('/witness-'));
    const statuses = set.cronJobs.map(({ metadata }) => `PUT cronjobs/${metadata.name}/status`);
    expect(statuses).toEqual(expect.arrayContaining([...new Set(writes)]));
    expect(writes.length).toBe(name === THIS_VERSION ? 0 : new Set(writes).size);
    expect(namesOf(await scene.jobs())).toEqual(namesOf(set.jobs));
  });

  test('runs at the next scheduled time, once', async () => {
    await using upgrade = await upgradeOf(name);
    const { scene, set } = upgrade;
    const first = await upgrade.start();
    const slot = await scene.passNextMinute();
    const known = namesOf(set.cronJobs);
    const started = STARTING.filter((each) => known.includes(each)).map((each) => `${each}-${Date.parse(slot) / 1000}`);
    const kept = namesOf(set.jobs).filter((each) => !each.startsWith('replaced-'));
    const expected = [...kept, ...started].toSorted();
    const runOnce = () => scene.eventually(async () => expect(namesOf(await scene.jobs())).toEqual(expected));
    await runOnce();
    await scene.stopManager(first);
    await upgrade.start();
    await runOnce();
  });
});
