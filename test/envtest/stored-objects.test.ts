/** All objects that a manager has stored, under the next manager: on a real API server, at the time of their storage. */
import { randomUUID } from 'node:crypto';
import { FakeClock, RecordingLogger } from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import { formatTime } from '../../api/time.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { cronJob } from '../support/cron-jobs.ts';
import type { RunningManager } from '../support/running-manager.ts';
import { Scene } from '../support/scene.ts';
import { EtcdObjects } from './support/etcd-objects.ts';
import { readStoredObjects, type StoredObjects } from './support/stored-objects.ts';
import './support/provided.ts';

/** CronJobs that start a run each minute, whatever ran before; and `refused`, which tries to. */
const STARTING = ['succeeded', 'failed', 'active', 'replaced', 'watched'];

interface StoredScene extends AsyncDisposable {
  readonly scene: Scene;
  readonly stored: StoredObjects;
  /** Starts a manager; resolves when it has handled every CronJob. */
  start(): Promise<RunningManager>;
}

/** The stored objects, at the time of their storage, without a running manager. */
async function openStoredScene(): Promise<StoredScene> {
  const { storedAt } = readStoredObjects('');
  const scene = await Scene.open({ clock: new FakeClock(new Date(storedAt)) });
  const stored = readStoredObjects(scene.namespace);
  const etcd = new EtcdObjects(inject('etcd'), scene.namespace);
  await etcd.put([...stored.cronJobs, ...stored.jobs]);
  const names = stored.cronJobs.map(({ metadata }) => metadata.name);
  const start = async () => {
    const log = new RecordingLogger();
    const manager = await scene.startManager({ log });
    const decided = () => log.records.filter(({ message }) => message === 'decided what to start');
    await scene.eventually(async () => {
      expect(decided().map(({ fields }) => fields['name'])).toEqual(expect.arrayContaining(names));
    });
    // Its status comes after the statuses of the others.
    const witness = `witness-${randomUUID()}`;
    await etcd.put([createWitness(witness, scene)]);
    await scene.waitUntilObserved(witness);
    return manager;
  };
  return { scene, stored, start, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
}

function createWitness(name: string, { namespace, clock }: Scene): CronJob {
  const creationTimestamp = formatTime(clock.now());
  return cronJob({ suspend: true }, undefined, { name, namespace, uid: randomUUID(), creationTimestamp });
}

const listNames = (objects: readonly { readonly metadata: { readonly name: string } }[]) =>
  objects.map(({ metadata }) => metadata.name).toSorted();

describe('the objects of an earlier manager', () => {
  test('stored objects cause no start, delete, event or status write', async () => {
    await using storedScene = await openStoredScene();
    const { scene, stored } = storedScene;
    const manager = await storedScene.start();
    const writes = (['POST', 'PUT', 'PATCH', 'DELETE'] as const)
      .flatMap((method) => manager.requests(method))
      .map(({ method, path }) => `${method} ${path.split('/').slice(6).join('/')}`)
      // The API server refuses it, as before.
      .filter((write) => write !== 'POST jobs' && !write.includes('/witness-'));
    expect(writes).toEqual([]);
    expect(listNames(await scene.jobs())).toEqual(listNames(stored.jobs));
  });

  test('run once at the next scheduled time', async () => {
    await using storedScene = await openStoredScene();
    const { scene, stored } = storedScene;
    const first = await storedScene.start();
    const slot = await scene.passNextMinute();
    const started = STARTING.map((each) => `${each}-${Date.parse(slot) / 1000}`);
    const kept = listNames(stored.jobs).filter((each) => !each.startsWith('replaced-'));
    const expected = [...kept, ...started].toSorted();
    const runOnce = () => scene.eventually(async () => expect(listNames(await scene.jobs())).toEqual(expected));
    await runOnce();
    await scene.stopManager(first);
    await storedScene.start();
    await runOnce();
  });
});
