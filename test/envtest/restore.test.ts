/** Restored backups: which CronJobs start, and which do not. On a real API server; docs/backup-and-restore.md describes it for users. */
import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import { formatTime } from '../../api/time.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { SCHEDULED_AT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { Scene } from '../support/scene.ts';
import { EtcdObjects } from './support/etcd-objects.ts';
import { readStoredObjects } from './support/stored-objects.ts';
import './support/provided.ts';

const MINUTE_MS = 60_000;
const listSlots = (jobs: readonly Job[]) => jobs.map(({ metadata }) => metadata.annotations?.[SCHEDULED_AT_ANNOTATION]);
const listNames = (objects: readonly (Job | CronJob)[]) => objects.map(({ metadata }) => metadata.name).toSorted();
const openEtcd = ({ namespace }: Scene) => new EtcdObjects(inject('etcd'), namespace);
const subtractMinutes = (time: string, minutes: number) => formatTime(new Date(Date.parse(time) - minutes * MINUTE_MS));

/** CronJobs that would run each minute if their history were lost. */
const STARTING_SCENARIOS = ['active', 'blocked', 'failed', 'missed', 'paused', 'replaced', 'succeeded', 'watched'];
const HAS_ACTIVE_RUN = ['blocked', 'missed'];
/** The owners of the Jobs in the backup, after the CronJobs were created again. */
type OwnerChange = (job: Job, cronJobs: readonly CronJob[]) => Job;

const removeOwner: OwnerChange = (job) => ({ ...job, metadata: { ...job.metadata, ownerReferences: [] } });
const setNewOwner: OwnerChange = ({ metadata, ...job }, cronJobs) => {
  const [reference] = metadata.ownerReferences ?? [];
  const owner = cronJobs.find(({ metadata: { name } }) => name === reference?.name);
  return { ...job, metadata: { ...metadata, ownerReferences: [{ ...reference!, uid: owner!.metadata.uid }] } };
};
const keepOldOwner: OwnerChange = (job) => job;

describe('CronJobs that are created again without their status', () => {
  test.each([
    { name: 'no Jobs', owners: undefined, starting: STARTING_SCENARIOS },
    { name: 'Jobs without an owner', owners: removeOwner, starting: STARTING_SCENARIOS },
    { name: 'Jobs of the lost CronJobs', owners: keepOldOwner, starting: STARTING_SCENARIOS },
    {
      name: 'Jobs of the new CronJobs',
      owners: setNewOwner,
      // The failed run of the paused CronJob exists again, and pauses it.
      starting: STARTING_SCENARIOS.filter((each) => ![...HAS_ACTIVE_RUN, 'paused'].includes(each)),
    },
  ])('start no old run, and the next run once, with $name', async ({ owners, starting }) => {
    await using scene = await Scene.open();
    const backup = readStoredObjects(scene.namespace);
    const create = ({ metadata, spec }: CronJob) => scene.createCronJob(spec, metadata.name, metadata.annotations);
    // Checked at once, within one minute.
    const created = await Promise.all(backup.cronJobs.map(create));
    const old = owners ? backup.jobs.map((job) => owners(job, created)) : [];
    await openEtcd(scene).put(old);
    const first = await scene.startManager();
    for (const { metadata } of created) await scene.waitUntilObserved(metadata.name);
    expect(listNames(await scene.jobs())).toEqual(listNames(old));

    const slot = await scene.passNextMinute();
    const isReplaced = (name: string) => owners === setNewOwner && name.startsWith('replaced-');
    const kept = listNames(old).filter((name) => !isReplaced(name));
    const expected = [...kept, ...starting.map((name) => `${name}-${Date.parse(slot) / 1000}`)].toSorted();
    const runOnce = () => scene.eventually(async () => expect(listNames(await scene.jobs())).toEqual(expected));
    await runOnce();
    await scene.stopManager(first);
    await scene.startManager();
    await scene.createCronJob({ suspend: true }, 'witness');
    await scene.waitUntilObserved('witness');
    await runOnce();
  });
});

/** A CronJob under Forbid whose run of the first slot was active at the backup; three slots later, all its Jobs are gone. */
async function loseAndRestore(spec: Partial<CronJob['spec']> = {}) {
  const scene = await Scene.open();
  const manager = await scene.startManager();
  await scene.createCronJob({ concurrencyPolicy: 'Forbid', ...spec });
  const slot = await scene.passNextMinute();
  await scene.eventually(async () => expect((await scene.cronJob()).status?.activeCount).toBe(1));
  await scene.stopManager(manager);
  const backup = await scene.cronJob();
  for (let passed = 0; passed < 3; passed++) await scene.passNextMinute();
  await scene.clock.advance(30_000);
  const creationTimestamp = formatTime(scene.clock.now());
  const restored = { ...backup, metadata: { ...backup.metadata, uid: randomUUID(), creationTimestamp, generation: 1 } };
  await openEtcd(scene).restore([]);
  await openEtcd(scene).put([restored]);
  return { scene, slot, newest: subtractMinutes(slot, -3) };
}

describe('a CronJob that is created again with its status', () => {
  test('runs the newest slot since the backup once', async () => {
    const { scene, slot, newest } = await loseAndRestore();
    await using _ = scene;
    const first = await scene.startManager();
    const [job] = await scene.waitForJobs(1);
    expect(listSlots([job!])).toEqual([newest]);
    await scene.eventually(async () => {
      const { status } = await scene.cronJob();
      expect(status).toMatchObject({ lastScheduleTime: newest, active: [{ uid: job!.metadata.uid }] });
      expect(status?.recentRuns?.[1]).toContain(`${slot} Unknown`);
      expect(status?.recentSkips?.[0]).toContain('Superseded');
    });
    await scene.finish(job!, 'Complete');
    await scene.stopManager(first);
    await scene.startManager();
    const next = await scene.passNextMinute();
    expect(listSlots(await scene.waitForJobs(2))).toEqual([newest, next]);
  });

  test('starts no run that is older than its deadline', async () => {
    const { scene, newest } = await loseAndRestore({ startingDeadlineSeconds: 20 });
    await using _ = scene;
    await scene.startManager();
    await scene.eventually(async () => expect((await scene.cronJob()).status?.handledThrough).toBe(newest));
    expect(await scene.jobs()).toEqual([]);
    const next = await scene.passNextMinute();
    expect(listSlots(await scene.waitForJobs(1))).toEqual([next]);
  });
});

/** A CronJob that ran at one slot before the snapshot, and at two slots after it, without a running manager. */
async function restoreSnapshot() {
  const scene = await Scene.open();
  const manager = await scene.startManager();
  await scene.createCronJob();
  const run = async () => {
    const slot = await scene.passNextMinute();
    const job = await scene.waitForJob(slot);
    await scene.finish(job, 'Complete');
    await scene.eventually(async () => {
      expect((await scene.cronJob()).status?.lastRun).toMatchObject({ scheduledTime: slot, result: 'Succeeded' });
    });
    return slot;
  };
  const before = await run();
  const snapshot = await openEtcd(scene).snapshot();
  await run();
  const newest = await run();
  await scene.stopManager(manager);
  await openEtcd(scene).restore(snapshot);
  expect(listSlots(await scene.jobs())).toEqual([before]);
  return { scene, before, newest };
}

describe('a snapshot of etcd that is restored', () => {
  test('the manager runs the newest slot since the snapshot once', async () => {
    const { scene, before, newest } = await restoreSnapshot();
    await using _ = scene;
    const first = await scene.startManager();
    expect(listSlots(await scene.waitForJobs(2))).toEqual([before, newest]);
    await scene.eventually(async () => expect((await scene.cronJob()).status?.lastScheduleTime).toBe(newest));
    await scene.stopManager(first);
    await scene.startManager();
    const next = await scene.passNextMinute();
    expect(listSlots(await scene.waitForJobs(3))).toEqual([before, newest, next]);
  });

  test('repeats no run with a suspendUntil that was set before a manager ran', async () => {
    const { scene, before } = await restoreSnapshot();
    await using _ = scene;
    const until = formatTime(new Date(scene.nextMinute.getTime() + 30_000));
    await scene.edit({ suspendUntil: until });
    await scene.startManager();
    await scene.waitUntilObserved();
    await scene.passNextMinute();
    await scene.clock.advance(40_000);
    await scene.eventually(async () => expect((await scene.conditions())['Available']).toBe('True AllJobsCompleted'));
    expect(listSlots(await scene.jobs())).toEqual([before]);
    const next = await scene.passNextMinute();
    expect(listSlots(await scene.waitForJobs(2))).toEqual([before, next]);
  });
});
