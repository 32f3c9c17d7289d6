import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { API_VERSION, KIND } from '../../api/v1/groupversion.ts';
import { cronJobs, jobs } from '../../controllers/resources.ts';
import type { KubernetesObject, Resource } from '../../runtime/client/object.ts';
import { FakeClock } from '../../runtime/clock/fake-clock.ts';
import { type ClusterClient, connect } from '../support/cluster-client.ts';
import { eventually } from '../support/eventually.ts';
import { createNamespace } from '../support/namespace.ts';
import { type RunningManager, startManager } from '../support/running-manager.ts';

interface EventObject extends KubernetesObject {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly name: string };
}

const events: Resource<EventObject> = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true };

let cluster: ClusterClient;
let namespace: string;
let clock: FakeClock;
let running: RunningManager[];

beforeEach(async () => {
  cluster = connect(inject('kubeconfig'));
  namespace = await createNamespace(inject('apiServer'));
  clock = new FakeClock(new Date());
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((manager) => manager.stop()));
  await cluster[Symbol.asyncDispose]();
});

async function start(): Promise<RunningManager> {
  const manager = await startManager({ kubeconfig: inject('kubeconfig'), namespace, clock });
  running.push(manager);
  return manager;
}

async function stop(manager: RunningManager): Promise<void> {
  running = running.filter((each) => each !== manager);
  await manager.stop();
}

async function createCronJob(spec: Partial<CronJobSpec> = {}, name = 'hello'): Promise<CronJob> {
  const manifest = {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: { name, namespace },
    spec: {
      schedule: '* * * * *',
      jobTemplate: {
        metadata: { labels: { app: 'hello' } },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'hello', image: 'busybox' }] } } },
      },
      ...spec,
    },
  } as const;
  return cluster.client.create(cronJobs, manifest as unknown as CronJob); // the server fills in the defaults
}

async function get(name = 'hello'): Promise<CronJob> {
  const found = await cluster.client.get(cronJobs, { namespace, name });
  if (!found) throw new Error(`no CronJob ${name}`);
  return found;
}

const listJobs = async () =>
  (await cluster.client.list(jobs, { namespace })).toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

const reasonsOf = async (name = 'hello') =>
  (await cluster.client.list(events, { namespace }))
    .filter((event) => event.involvedObject.name === name)
    .map((event) => event.reason);

/** The controller has seen the object as it now is and has written what it thinks of it. */
const observed = (name = 'hello') =>
  eventually(async () => {
    const { metadata, status } = await get(name);
    expect(status?.observedGeneration).toBe(metadata.generation);
  });

/** Moves the clock over the next minute, and a bit. */
async function passNextMinute(): Promise<string> {
  const nowMs = clock.now().getTime();
  const slotMs = Math.floor(nowMs / 60_000) * 60_000 + 60_000;
  await clock.advance(slotMs - nowMs + 1000);
  return new Date(slotMs).toISOString().replace('.000', '');
}

const waitForJobs = (count: number) =>
  eventually(async () => {
    const found = await listJobs();
    expect(found.map((job) => job.metadata.name)).toHaveLength(count);
    return found;
  });

/** What the Job controller does when the pods are done; the API server checks that the conditions make sense. */
async function finish(job: Job, type: 'Complete' | 'Failed'): Promise<void> {
  const now = clock.now().toISOString().replace(/\.\d+/, '');
  const condition = (name: string) => ({ type: name, status: 'True', lastTransitionTime: now, reason: 'Test' });
  const before = type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  const status = {
    startTime: job.metadata.creationTimestamp,
    ...(type === 'Complete' ? { completionTime: now } : {}),
    conditions: [condition(before), condition(type)],
  };
  await cluster.client.patch(jobs, job.metadata, { kind: 'merge', body: { status } }, { subresource: 'status' });
}

describe('the controller on a real API server', () => {
  test('starts a Job at its slot, owned, labelled and accounted for', async () => {
    await start();
    const created = await createCronJob();
    await observed();
    const slot = await passNextMinute();
    const [job] = await waitForJobs(1);
    expect(job).toMatchObject({
      metadata: {
        name: `hello-${new Date(slot).getTime() / 1000}`,
        labels: { app: 'hello' },
        annotations: {
          'batch.tutorial.kubebuilder.io/scheduled-at': slot,
          'batch.kubernetes.io/cronjob-scheduled-timestamp': slot.replace('Z', 'Z'),
        },
        ownerReferences: [{ kind: 'CronJob', uid: created.metadata.uid, controller: true, blockOwnerDeletion: true }],
      },
    });
    await eventually(async () => {
      expect((await get()).status).toMatchObject({
        active: [{ kind: 'Job', namespace, name: job?.metadata.name, uid: job?.metadata.uid }],
        activeCount: 1,
        lastScheduleTime: slot,
        lastRun: { result: 'Running', scheduledTime: slot },
        observedGeneration: 1,
      });
    });
    await eventually(async () => expect(await reasonsOf()).toContain('SuccessfulCreate'));
  });

  test('records how a run ended and keeps no more history than asked for', async () => {
    await start();
    await createCronJob({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 });
    await observed();
    for (const type of ['Complete', 'Failed', 'Complete'] as const) {
      const slot = await passNextMinute();
      const job = await eventually(async () => {
        const found = (await listJobs()).find((each) => each.metadata.name.endsWith(String(Date.parse(slot) / 1000)));
        if (!found) throw new Error(`no Job of ${slot}`);
        return found;
      });
      await finish(job, type);
      await eventually(async () => {
        const result = type === 'Complete' ? 'Succeeded' : 'Failed';
        expect((await get()).status).toMatchObject({ activeCount: 0, lastRun: { scheduledTime: slot, result } });
      });
    }
    await eventually(async () => expect(await listJobs()).toHaveLength(1));
    const { status } = await get();
    expect(status).toMatchObject({ lastSuccessfulTime: expect.any(String), lastFailureTime: expect.any(String) });
    await eventually(async () => {
      expect(await reasonsOf()).toEqual(expect.arrayContaining(['SawCompletedJob', 'SuccessfulDelete']));
    });
  });

  test('never runs a slot again, though its Job is gone and the manager was restarted', async () => {
    const first = await start();
    await createCronJob({ successfulJobsHistoryLimit: 0 });
    await observed();
    await passNextMinute();
    const [job] = await waitForJobs(1);
    if (!job) throw new Error('no Job');
    await finish(job, 'Complete');
    await waitForJobs(0);
    await stop(first);
    await start();
    await clock.advance(5_000);
    const other = await createCronJob({ suspend: true }, 'witness');
    await observed(other.metadata.name);
    expect(await listJobs()).toEqual([]);
  });

  test('adopts the Job of a pass that crashed before it wrote the status', async () => {
    const first = await start();
    await createCronJob();
    await observed();
    await stop(first);
    const { metadata } = await get();
    const second = await start();
    await passNextMinute();
    const [job] = await waitForJobs(1);
    await stop(second);
    // As if the status write after the create had never happened.
    const stored = await get();
    const { active: _, activeCount: __, lastScheduleTime: ___, lastRun: ____, ...rest } = stored.status ?? {};
    await cluster.client.updateStatus(cronJobs, { metadata: stored.metadata, status: rest });
    await start();
    await eventually(async () => {
      expect((await get()).status).toMatchObject({ activeCount: 1, active: [{ uid: job?.metadata.uid }] });
    });
    expect(await listJobs()).toHaveLength(1);
    expect((await get()).metadata.uid).toBe(metadata.uid);
  });

  test('leaves a slot alone whose Job name somebody else has taken, and runs the next one', async () => {
    await start();
    await createCronJob();
    await observed();
    const slotMs = Math.floor(clock.now().getTime() / 60_000) * 60_000 + 60_000;
    const foreign = `hello-${slotMs / 1000}`;
    const { spec } = (await get()).spec.jobTemplate;
    await cluster.client.create(jobs, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: foreign, namespace },
      spec: spec ?? { template: {} },
    });
    await passNextMinute();
    await eventually(async () => {
      const { status } = await get();
      expect(status?.handledThrough).toBe(new Date(slotMs).toISOString().replace('.000', ''));
      expect(status?.lastScheduleTime).toBeUndefined();
    });
    await passNextMinute();
    await waitForJobs(2);
  });

  test('Forbid holds a slot back while a run is active, and starts it late', async () => {
    await start();
    await createCronJob({ concurrencyPolicy: 'Forbid' });
    await observed();
    await passNextMinute();
    const [job] = await waitForJobs(1);
    const held = await passNextMinute();
    await eventually(async () => expect(await reasonsOf()).toContain('JobAlreadyActive'));
    expect(await listJobs()).toHaveLength(1);
    if (job) await finish(job, 'Complete');
    const [, late] = await waitForJobs(2);
    expect(late?.metadata.annotations).toMatchObject({ 'batch.tutorial.kubebuilder.io/scheduled-at': held });
  });

  test('Replace deletes the active run and starts the new one', async () => {
    await start();
    await createCronJob({ concurrencyPolicy: 'Replace' });
    await observed();
    await passNextMinute();
    const [first] = await waitForJobs(1);
    await passNextMinute();
    await eventually(async () => {
      const found = await listJobs();
      expect(found).toHaveLength(1);
      expect(found[0]?.metadata.uid).not.toBe(first?.metadata.uid);
    });
    await eventually(async () => expect((await get()).status?.activeCount).toBe(1));
  });

  test('starts nothing while suspended, and the newest missed slot on resume', async () => {
    await start();
    await createCronJob({ suspend: true });
    await observed();
    await passNextMinute();
    const slot = await passNextMinute();
    expect(await listJobs()).toEqual([]);
    await cluster.client.patch(
      cronJobs,
      { namespace, name: 'hello' },
      { kind: 'merge', body: { spec: { suspend: false } } },
    );
    const [job] = await waitForJobs(1);
    expect(job?.metadata.annotations).toMatchObject({ 'batch.tutorial.kubebuilder.io/scheduled-at': slot });
  });

  test('does not start a slot that was missed by more than the deadline', async () => {
    await createCronJob({ schedule: '* * * * *', startingDeadlineSeconds: 10 });
    await passNextMinute();
    await clock.advance(20_000);
    await start();
    await observed();
    expect(await listJobs()).toEqual([]);
    await passNextMinute();
    await waitForJobs(1);
  });

  test('says what is wrong with a schedule, and goes on with the others', async () => {
    await start();
    await createCronJob({ schedule: '61 * * * *' }, 'broken');
    await createCronJob();
    await observed('broken');
    await observed();
    await eventually(async () => expect(await reasonsOf('broken')).toEqual(['UnparseableSchedule']));
    await passNextMinute();
    await waitForJobs(1);
  });

  test('an edit does not start a run by itself', async () => {
    await createCronJob({ schedule: '0 0 1 1 *' });
    await start();
    await observed();
    await clock.advance(600_000);
    const minute = new Date(clock.now().getTime() - 120_000).getUTCMinutes();
    const edit = { kind: 'merge', body: { spec: { schedule: `${minute} * * * *` } } } as const;
    await cluster.client.patch(cronJobs, { namespace, name: 'hello' }, edit);
    await observed();
    await clock.advance(1_000);
    expect(await listJobs()).toEqual([]);
  });

  test('writes nothing while nothing changes', async () => {
    await start();
    await createCronJob();
    await observed();
    const before = (await get()).metadata.resourceVersion;
    for (let pass = 0; pass < 3; pass++) await clock.advance(5_000);
    await delay(0);
    expect((await get()).metadata.resourceVersion).toBe(before);
  });

  test('the garbage collector owns the Jobs of a deleted CronJob: nothing more is started', async () => {
    await start();
    await createCronJob();
    await observed();
    await cluster.client.delete(cronJobs, { namespace, name: 'hello' });
    const witness = await createCronJob({ suspend: true }, 'witness');
    await observed(witness.metadata.name);
    await passNextMinute();
    expect(await listJobs()).toEqual([]);
  });
});
