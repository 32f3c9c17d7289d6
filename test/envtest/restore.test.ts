/** Restored backups: which CronJobs start, and which do not. On a real API server; docs/backup-and-restore.md describes it for users. */
import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import { formatTime } from '../../api/time.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { SCHEDULED_AT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { Scene } from '../support/scene.ts';
import { EtcdObjects } from './support/etcd-objects.ts';
import { storedObjects } from './support/stored-objects.ts';
import './support/provided.ts';

const MINUTE_MS = 60_000;
const slotsOf = (jobs: readonly Job[]) => jobs.map(({ metadata }) => metadata.annotations?.[SCHEDULED_AT_ANNOTATION]);
const namesOf = (objects: readonly (Job | CronJob)[]) => objects.map(({ metadata }) => metadata.name).toSorted();
const etcdOf = ({ namespace }: Scene) => new EtcdObjects(inject('etcd'), namespace);
const minutesBefore = (time: string, minutes: number) => formatTime(new Date(Date.parse(time) - minutes * MINUTE_MS));

/** CronJobs that would run each minute if their history were lost. */
const STARTING = ['active', 'blocked', 'failed', 'missed', 'paused', 'replaced', 'succeeded', 'watched'];
const HAS_ACTIVE_RUN = ['blocked', 'missed'];
/** The owners of the Jobs in the backup, after the CronJobs were created again. */
type Owners = (job: Job, cronJobs: readonly CronJob[]) => Job;

const withoutOwner: Owners = (job) => ({ ...job, metadata: { ...job.metadata, ownerReferences: [] } });
const ownedByNew: Owners = ({ metadata, ...job }, cronJobs) => {
  const [reference] = metadata.ownerReferences ?? [];
  const owner = cronJobs.find(({ metadata: { name } }) => name === reference?.name);
  return { ...job, metadata: { ...metadata, ownerReferences: [{ ...reference!, uid: owner!.metadata.uid }] } };
};
const ownedByOld: Owners = (job) => job;

describe('CronJobs that are created again without their status', () => {
  test.each([
    { name: 'no Jobs', owners: undefined, starting: STARTING },
    { name: 'Jobs without an owner', owners: withoutOwner, starting: STARTING },
    { name: 'Jobs of the CronJobs that were lost', owners: ownedByOld, starting: STARTING },
    {
      name: 'Jobs of their own',
      owners: ownedByNew,
      // The failed run of the paused CronJob exists again, and pauses it.
      starting: STARTING.filter((each) => ![...HAS_ACTIVE_RUN, 'paused'].includes(each)),
    },
  ])('and with $name start no old run, and the next one once', async ({ owners, starting }) => {
    await using scene = await Scene.open();
    const backup = storedObjects(scene.namespace);
    const create = ({ metadata, spec }: CronJob) => scene.createCronJob(spec, metadata.name, metadata.annotations);
    // Checked at once, within one minute.
    const created = await Promise.all(backup.cronJobs.map(create));
    const old = owners ? backup.jobs.map((job) => owners(job, created)) : [];
    await etcdOf(scene).put(old);
    const first = await scene.startManager();
    for (const { metadata } of created) await scene.observed(metadata.name);
    expect(namesOf(await scene.jobs())).toEqual(namesOf(old));

    const slot = await scene.passNextMinute();
    const isReplaced = (name: string) => owners === ownedByNew && name.startsWith('replaced-');
    const kept = namesOf(old).filter((name) => !isReplaced(name));
    const expected = [...kept, ...starting.map((name) => `${name}-${Date.parse(slot) / 1000}`)].toSorted();
    const runOnce = () => scene.eventually(async () => expect(namesOf(await scene.jobs())).toEqual(expected));
    await runOnce();
    await scene.stopManager(first);
    await scene.startManager();
    await scene.createCronJob({ suspend: true }, 'witness');
    await scene.observed('witness');
    await runOnce();
  });
});

/** A CronJob under Forbid whose run of the first slot was active at the backup; three slots later, all its Jobs are gone. */
async function lost(spec: Partial<CronJob['spec']> = {}) {
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
  await etcdOf(scene).restore([]);
  await etcdOf(scene).put([restored]);
  return { scene, slot, newest: minutesBefore(slot, -3) };
}

describe('a CronJob that is created again with its status', () => {
  test('goes on where the backup ends: of the slots since then the newest starts, once, though the status names an active run', async () => {
    const { scene, slot, newest } = await lost();
    await using _ = scene;
    const first = await scene.startManager();
    const [job] = await scene.hasJobs(1);
    expect(slotsOf([job!])).toEqual([newest]);
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
    expect(slotsOf(await scene.hasJobs(2))).toEqual([newest, next]);
  });

  test('starts nothing that is older than its deadline', async () => {
    const { scene, newest } = await lost({ startingDeadlineSeconds: 20 });
    await using _ = scene;
    await scene.startManager();
    await scene.eventually(async () => expect((await scene.cronJob()).status?.handledThrough).toBe(newest));
    expect(await scene.jobs()).toEqual([]);
    const next = await scene.passNextMinute();
    expect(slotsOf(await scene.hasJobs(1))).toEqual([next]);
  });
});

/** A CronJob that ran at one slot before the snapshot, and at two slots after it, without a running manager. */
async function snapshotRestored() {
  const scene = await Scene.open();
  const manager = await scene.startManager();
  await scene.createCronJob();
  const run = async () => {
    const slot = await scene.passNextMinute();
    const job = await scene.jobOf(slot);
    await scene.finish(job, 'Complete');
    await scene.eventually(async () => {
      expect((await scene.cronJob()).status?.lastRun).toMatchObject({ scheduledTime: slot, result: 'Succeeded' });
    });
    return slot;
  };
  const before = await run();
  const snapshot = await etcdOf(scene).snapshot();
  await run();
  const newest = await run();
  await scene.stopManager(manager);
  await etcdOf(scene).restore(snapshot);
  expect(slotsOf(await scene.jobs())).toEqual([before]);
  return { scene, before, newest };
}

describe('a snapshot of etcd that is restored', () => {
  test('has forgotten later runs: of the slots since then the newest starts, once', async () => {
    const { scene, before, newest } = await snapshotRestored();
    await using _ = scene;
    const first = await scene.startManager();
    expect(slotsOf(await scene.hasJobs(2))).toEqual([before, newest]);
    await scene.eventually(async () => expect((await scene.cronJob()).status?.lastScheduleTime).toBe(newest));
    await scene.stopManager(first);
    await scene.startManager();
    const next = await scene.passNextMinute();
    expect(slotsOf(await scene.hasJobs(3))).toEqual([before, newest, next]);
  });

  test('starts nothing again with a suspendUntil that was set before a manager ran', async () => {
    const { scene, before } = await snapshotRestored();
    await using _ = scene;
    const until = formatTime(new Date(scene.nextMinute.getTime() + 30_000));
    await scene.edit({ suspendUntil: until });
    await scene.startManager();
    await scene.observed();
    await scene.passNextMinute();
    await scene.clock.advance(40_000);
    await scene.eventually(async () => expect((await scene.conditions())['Available']).toBe('True AllJobsCompleted'));
    expect(slotsOf(await scene.jobs())).toEqual([before]);
    const next = await scene.passNextMinute();
    expect(slotsOf(await scene.hasJobs(2))).toEqual([before, next]);
  });
});
