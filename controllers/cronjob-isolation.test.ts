/**
 * Whatever happens to a CronJob's other calls, its runs start when they are due; and refused calls are not repeated all the time.
 */
import { ApiError } from 'controller-runtime';
import { describe, expect, test } from 'vitest';
import type { Job } from '../api/kubernetes.ts';
import type { CronJobSpec } from '../api/v1/cronjob-types.ts';
import { type ClientCall, MemoryCluster } from '../test/support/memory-cluster.ts';
import { throwing } from '../test/support/throwing.ts';

const forbidden = new ApiError(403, { reason: 'Forbidden', message: 'jobs is forbidden' });
const internal = new ApiError(500, { reason: 'InternalError', message: 'no' });
const HOUR_MS = 3_600_000;

/** Makes each call of that verb fail, while `isFailing`. */
const failing =
  (verb: ClientCall['verb'], error: Error, isFailing = () => true) =>
  (call: ClientCall) => {
    if (call.verb === verb && isFailing()) throw error;
  };

/** The maximum calls in any hour. */
function mostInAnHour(calls: readonly ClientCall[]): number {
  const counts = calls.map(({ at }) => calls.filter((other) => other.at >= at && +other.at - +at < HOUR_MS).length);
  return Math.max(0, ...counts);
}

describe('housekeeping does not take the schedule with it', () => {
  test('better: when deletes are denied, each of 120 slots runs, with ten deletes an hour', async () => {
    await using cluster = new MemoryCluster();
    cluster.fault = failing('delete', forbidden);
    cluster.create('hello', { successfulJobsHistoryLimit: 0 });
    await cluster.start();
    await cluster.passMinutes(120);
    expect(cluster.created).toHaveLength(120);
    expect(mostInAnHour(cluster.listCalls('delete'))).toBeLessThanOrEqual(10);
    expect(cluster.listCalls('delete').length).toBeGreaterThan(2);
    expect(cluster.events.filter((event) => event.startsWith('FailedDelete'))).toHaveLength(1);
  });

  test('what was denied is deleted once that is allowed, and no Job that cannot be deleted keeps the others', async () => {
    await using cluster = new MemoryCluster();
    let isDenied = (_: ClientCall) => true;
    cluster.fault = (call) => {
      if (call.verb === 'delete' && isDenied(call)) throw forbidden;
    };
    cluster.create('hello');
    await cluster.start();
    await cluster.passMinutes(60);
    expect(cluster.world.jobs.list()).toHaveLength(60);
    const [kept] = cluster.created;
    isDenied = ({ name }) => name === kept;
    await cluster.passMinutes(40);
    const left = cluster.world.jobs.list().map(({ metadata }) => metadata.name);
    expect(left).toContain(kept);
    expect(left.length).toBeLessThan(25);
    isDenied = () => false;
    await cluster.passMinutes(40);
    expect(cluster.world.jobs.list()).toHaveLength(3 + 1); // the limit, and the active run
  });

  test('when status writes fail for an hour, each slot starts, and the status is right afterwards', async () => {
    await using cluster = new MemoryCluster();
    let isFailing = true;
    cluster.fault = failing('updateStatus', internal, () => isFailing);
    cluster.create('hello', { successfulJobsHistoryLimit: 0 });
    await cluster.start();
    await cluster.passMinutes(60);
    isFailing = false;
    await cluster.passMinutes(60);
    expect(cluster.created).toHaveLength(120);
    expect(new Set(cluster.created).size).toBe(120);
    const status = cluster.world.cronJobs.get('default/hello')?.status;
    expect(status).toMatchObject({ lastScheduleTime: '2026-01-01T02:00:00Z', activeCount: 1 });
    expect(cluster.world.jobs.list()).toHaveLength(1);
  });

  test('deletes that are denied do not delay the retry of a create', async () => {
    await using cluster = new MemoryCluster();
    let creates = 0;
    cluster.fault = ({ verb }) => {
      if (verb === 'delete') throw forbidden;
      if (verb === 'create' && ++creates === 6) throw internal;
    };
    cluster.create('hello', { schedule: '0 * * * *', successfulJobsHistoryLimit: 0 });
    await cluster.start();
    await cluster.passMinutes(8 * 60);
    expect(cluster.created).toHaveLength(8);
    const late = cluster.world.jobs
      .list()
      .filter(({ metadata }) => !metadata.creationTimestamp.endsWith(':00:00Z'))
      .map(({ metadata }) => metadata.creationTimestamp);
    expect(late).toEqual([]);
  });

  test('a delete that hangs holds up neither the run nor its status', async () => {
    await using cluster = new MemoryCluster();
    cluster.hang = ({ verb }) => verb === 'delete';
    cluster.create('hello', { successfulJobsHistoryLimit: 0 });
    await cluster.start();
    await cluster.passMinutes(10);
    expect(cluster.created).toHaveLength(10);
    expect(cluster.world.cronJobs.get('default/hello')?.status).toMatchObject({
      lastScheduleTime: '2026-01-01T00:10:00Z',
    });
    expect(mostInAnHour(cluster.listCalls('delete'))).toBeLessThanOrEqual(10);
  });
});

test.each([10, 20, 40])(
  'better: the first slot after an outage of %i minutes runs in time, although earlier reconciles threw errors',
  async (outageMinutes) => {
    await using cluster = new MemoryCluster();
    cluster.create('hello', { schedule: '*/5 * * * *' });
    await cluster.start();
    await cluster.passMinutes(6);
    cluster.fault = throwing(new Error('connect ECONNREFUSED'));
    await cluster.passMinutes(outageMinutes);
    cluster.fault = () => {};
    const before = cluster.created.length;
    const nextSlot = Math.floor(cluster.clock.now().getTime() / 300_000) * 300 + 300;
    await cluster.passMinutes(5);
    expect(cluster.created.slice(before)).toContain(`hello-${nextSlot}`);
  },
);

describe('a CRD that prunes fields of the status', () => {
  /** The fields that the kubebuilder tutorial's CRD keeps. */
  const tutorial: MemoryCluster['prune'] = ({ active, lastScheduleTime }) => ({
    ...(active && { active }),
    ...(lastScheduleTime && { lastScheduleTime }),
  });

  test('lost fields cause one or two more status writes, not a loop', async () => {
    await using cluster = new MemoryCluster();
    cluster.prune = tutorial;
    cluster.create('hello', { successfulJobsHistoryLimit: 0 });
    await cluster.start();
    await cluster.passMinutes(30);
    expect(cluster.created).toHaveLength(30);
    expect(cluster.listCalls('updateStatus').length).toBeLessThanOrEqual(30 * 4);
    expect(cluster.world.jobs.list()).toHaveLength(1);
    expect(cluster.log.records.filter(({ message }) => message.includes('dropped fields'))).toHaveLength(1);
  });

  test('does not keep a run from being replaced that no status will ever record', async () => {
    await using cluster = new MemoryCluster();
    cluster.prune = ({ active }) => ({ ...(active && { active }) });
    cluster.create('hello', { concurrencyPolicy: 'Replace' });
    await cluster.start();
    for (let minute = 0; minute < 10; minute++) await cluster.clock.advance(60_000);
    expect(cluster.created).toHaveLength(10);
    expect(cluster.listCalls('updateStatus').length).toBeLessThanOrEqual(10 * 4);
  });
});

test('a CronJob that is deleted during a reconcile causes no error', async () => {
  await using cluster = new MemoryCluster();
  cluster.create('hello');
  await cluster.start();
  cluster.fault = ({ verb }) => {
    if (verb === 'updateStatus') cluster.world.deleteCronJob('default/hello');
  };
  await cluster.passMinutes(3);
  expect(cluster.created).toHaveLength(1);
  expect(cluster.log.errors).toEqual([]);
});

describe('a run that a full quota refuses', () => {
  const exceeded = new ApiError(403, { reason: 'Forbidden', message: 'exceeded quota' });

  /**
   * A daily CronJob whose first slot has been refused for `passMinutes`. @returns the time at which the quota has room, in
   * milliseconds.
   */
  async function refusedFor(cluster: MemoryCluster, minutes: number): Promise<{ makeRoom: () => void }> {
    let isFull = false;
    cluster.fault = failing('create', exceeded, () => isFull);
    cluster.create('hello', { schedule: '30 0,12 * * *', successfulJobsHistoryLimit: 3 });
    await cluster.start();
    await cluster.passMinutes(15 * 60);
    isFull = true;
    await cluster.passMinutes(10 * 60 + minutes);
    return {
      makeRoom: () => {
        isFull = false;
      },
    };
  }

  test('better: a refused run starts within a minute after the quota has space', async () => {
    await using cluster = new MemoryCluster();
    const { makeRoom } = await refusedFor(cluster, 100);
    const before = cluster.created.length;
    makeRoom();
    await cluster.clock.advance(60_000);
    expect(cluster.created).toHaveLength(before + 1);
    expect(mostInAnHour(cluster.listCalls('create'))).toBeLessThan(100);
  });

  const ahead = { lastSuccessfulTime: '2027-01-01T00:00:00Z' };
  test.each([
    ['the deadline of each passes', {}],
    ['the deadline of each passes, and a time in the status is ahead', ahead],
  ])('better: is tried about once a minute though %s, and the first with room starts', async (_, status) => {
    await using cluster = new MemoryCluster();
    let isFull = true;
    cluster.fault = failing('create', exceeded, () => isFull);
    const { metadata } = cluster.create('hello', { startingDeadlineSeconds: 5 });
    cluster.world.updateStatus({ metadata, status }, { kind: 'JobController' });
    await cluster.start();
    await cluster.passMinutes(180);
    expect(mostInAnHour(cluster.listCalls('create'))).toBeLessThan(100);
    expect(cluster.created).toHaveLength(0);
    isFull = false;
    await cluster.passMinutes(1);
    expect(cluster.created).toHaveLength(1);
  });

  test('better: starts soon after an old Job of its own went away, though the quota is counted anew later', async () => {
    await using cluster = new MemoryCluster();
    const { makeRoom } = await refusedFor(cluster, 100);
    await cluster.clock.advance(30_000);
    const before = cluster.created.length;
    const [old] = cluster.world.jobs.list();
    cluster.world.deleteJob({ namespace: 'default', name: old?.metadata.name ?? '' }, {}, { kind: 'Person' });
    await cluster.clock.advance(1000);
    makeRoom();
    await cluster.clock.advance(2000);
    expect(cluster.created).toHaveLength(before + 1);
  });
});

describe('better: a run whose Job has lost its owner stays active until the Job finishes', () => {
  const lose = (job: Job): Job => ({ ...job, metadata: { ...job.metadata, ownerReferences: [] } });
  const adopt = (job: Job): Job => ({
    ...job,
    metadata: {
      ...job.metadata,
      ownerReferences: [{ apiVersion: 'example.com/v1', kind: 'Other', name: 'other', uid: 'other', controller: true }],
    },
  });

  /** The first run is active, and a client changes its Job. */
  async function changed(
    cluster: MemoryCluster,
    spec: Partial<CronJobSpec>,
    change: (job: Job) => Job,
  ): Promise<string> {
    cluster.create('hello', { successfulJobsHistoryLimit: 0, ...spec });
    await cluster.start();
    await cluster.clock.advance(60_000);
    const [job] = cluster.world.jobs.list();
    if (job === undefined) throw new Error('no run has started');
    cluster.world.changeJob(job.metadata.uid, change);
    return job.metadata.name;
  }

  test.each([
    ['none', lose],
    ['another', adopt],
  ])(
    'under Forbid, the end of the run is recorded, and then the next run starts (owner of the Job: %s)',
    async (_, change) => {
      await using cluster = new MemoryCluster();
      const first = await changed(cluster, { concurrencyPolicy: 'Forbid' }, change);
      await cluster.clock.advance(10 * 60_000);
      expect(cluster.created).toEqual([first]);
      expect(cluster.world.cronJobs.get('default/hello')?.status).toMatchObject({ activeCount: 1 });
      cluster.finishAll();
      await cluster.clock.advance(1000);
      expect(cluster.created).toHaveLength(2);
      const { status } = cluster.world.cronJobs.get('default/hello') ?? {};
      expect(status?.recentRuns?.[1]).toContain(` Succeeded ${first} `);
      expect(cluster.world.jobs.list().map(({ metadata }) => metadata.name)).toContain(first);
    },
  );

  test('under Replace, the next run starts beside the run, whose Job is not deleted', async () => {
    await using cluster = new MemoryCluster();
    const first = await changed(cluster, { concurrencyPolicy: 'Replace' }, lose);
    await cluster.clock.advance(60_000);
    expect(cluster.world.jobs.list().map(({ metadata }) => metadata.name)).toEqual([first, cluster.created[1]]);
  });

  test('after another client deletes the Job, an event reports the missing Job', async () => {
    await using cluster = new MemoryCluster();
    const name = await changed(cluster, { concurrencyPolicy: 'Forbid' }, lose);
    cluster.world.deleteJob({ namespace: 'default', name }, {}, { kind: 'Person' });
    await cluster.clock.advance(1000);
    expect(cluster.events.filter((event) => event.startsWith('MissingJob'))).toHaveLength(1);
    expect(cluster.world.cronJobs.get('default/hello')?.status).toMatchObject({ activeCount: 0 });
  });
});

test('better: a namespace whose creates are refused does not delay the retry of another', async () => {
  await using cluster = new MemoryCluster();
  let failures = 0;
  cluster.fault = ({ verb, name }) => {
    if (verb !== 'create') return;
    if (name.startsWith('bad')) throw forbidden;
    if (failures++ === 0) throw internal;
  };
  for (let index = 0; index < 300; index++) cluster.create(`bad-${index}`, {}, 'bad');
  cluster.create('good', { schedule: '5 * * * *' }, 'good');
  await cluster.start();
  await cluster.clock.advance(5 * 60_000);
  expect(failures).toBe(2);
  expect(cluster.created).toHaveLength(1);
});

test('a status write that is answered with 404 while the CronJob is there does not cost the next slot', async () => {
  await using cluster = new MemoryCluster();
  cluster.create('hello');
  await cluster.start();
  await cluster.passMinutes(2);
  // The response of one API server among several that does not serve the CustomResourceDefinition yet.
  cluster.fault = failing('updateStatus', new ApiError(404, { message: '404 page not found' }));
  await cluster.clock.advance(5 * 60_000);
  expect(cluster.created).toHaveLength(7);
});
