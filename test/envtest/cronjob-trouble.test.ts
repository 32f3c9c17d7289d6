/** What the API server may answer, and what others may do to the Jobs. */
import { core } from 'controller-runtime/kubernetes';
import { describe, expect, inject, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { cronJobs, jobs } from '../../controllers/resources.ts';
import { run } from '../../hack/control-plane/run.ts';
import { Scene } from '../support/scene.ts';

const { namespaces, resourceQuotas: quotas } = core.v1;

async function forbidJobs(scene: Scene): Promise<void> {
  const quota = {
    metadata: { name: 'no-jobs', namespace: scene.namespace },
    spec: { hard: { 'count/jobs.batch': '0' } },
  };
  const created = await scene.client.create(quotas, quota);
  // What the quota controller would do: without a status the quota holds nothing back.
  await scene.client.patch(
    quotas,
    created.metadata,
    { kind: 'merge', body: { status: { hard: quota.spec.hard, used: { 'count/jobs.batch': '0' } } } },
    { subresource: 'status' },
  );
}

describe('trouble on a real API server', () => {
  test('a quota that is full is reported once, and the slot starts when there is room', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    await forbidJobs(scene);
    await scene.createCronJob();
    await scene.observed();
    const slot = await scene.passNextMinute();
    await scene.eventually(async () => expect((await scene.conditions())['Degraded']).toBe('True FailedCreate'));
    expect((await scene.cronJob()).status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Degraded', message: expect.stringContaining('exceeded quota') }),
    );
    expect((await scene.cronJob()).status).not.toHaveProperty('lastScheduleTime');
    await scene.client.delete(quotas, { namespace: scene.namespace, name: 'no-jobs' });
    const [job] = await scene.hasJobs(1);
    expect(job?.metadata.annotations).toMatchObject({ 'batch.tutorial.kubebuilder.io/scheduled-at': slot });
    await scene.eventually(async () => expect((await scene.conditions())['Degraded']).toBe('False AsExpected'));
    expect((await scene.reasonsOfEvents()).filter((reason) => reason === 'FailedCreate')).toHaveLength(1);
  });

  test.each([
    ['Complete', 'SuccessCriteriaMet', 'Succeeded'],
    ['Failed', 'FailureTarget', 'Failed'],
  ])(
    'a finished Job whose condition (%s) has no time shows in the status and is pruned',
    async (type, before, result) => {
      await using scene = await Scene.open();
      await begin(scene, { successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 });
      const job = await firstRun(scene);
      const name = job.metadata.name;
      // Held, so that what the API server has stored can be looked at.
      const holds = { metadata: { finalizers: ['example.com/hold'] } };
      await scene.client.patch(jobs, job.metadata, { kind: 'merge', body: holds });
      const time = job.metadata.creationTimestamp;
      const conditions = [before, type].map((each) => ({ type: each, status: 'True' }));
      const ended = { startTime: time, ...(type === 'Complete' ? { completionTime: time } : {}), conditions };
      await scene.client.patch(
        jobs,
        job.metadata,
        { kind: 'merge', body: { status: ended } },
        { subresource: 'status' },
      );
      const args = ['--kubeconfig', inject('kubeconfig'), '--namespace', scene.namespace];
      const stored = await run(inject('kubectl'), [...args, 'get', 'job', name, '--output=json']);
      expect(stored).toContain('"lastTransitionTime": null');
      await scene.eventually(async () => {
        expect((await scene.jobs())[0]?.metadata).toHaveProperty('deletionTimestamp');
      });
      await scene.client.patch(jobs, job.metadata, { kind: 'merge', body: { metadata: { finalizers: null } } });
      await scene.hasJobs(0);
      const { status } = await scene.cronJob();
      expect(status).toMatchObject({ activeCount: 0, lastRun: { jobName: name, result } });
      expect(status).not.toHaveProperty('lastFailureTime');
    },
  );

  test('a namespace that is going away is left in peace', async () => {
    await using scene = await Scene.open();
    await begin(scene);
    await scene.client.delete(namespaces, { name: scene.namespace });
    await scene.passNextMinute();
    await scene.eventually(async () => {
      expect((await scene.cronJob()).status?.nextScheduleTime).toBe(scene.nextMinute.toISOString().replace('.000', ''));
    });
    expect(await scene.jobs()).toEqual([]);
    expect(await scene.reasonsOfEvents()).toEqual([]);
  });

  test('a Job that somebody deleted is reported as missing, and its slot does not run again', async () => {
    await using scene = await Scene.open();
    await begin(scene);
    const job = await firstRun(scene);
    await scene.client.delete(jobs, job.metadata, { propagationPolicy: 'Background' });
    await scene.eventually(async () => {
      const { status } = await scene.cronJob();
      expect(status).toMatchObject({ activeCount: 0, lastRun: { result: 'Unknown', reason: 'JobDeleted' } });
    });
    await scene.eventually(async () => expect(await scene.reasonsOfEvents()).toContain('MissingJob'));
    expect(await scene.jobs()).toEqual([]);
  });

  test('an active Job that names the CronJob as its controller counts, and is reported as unexpected', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    const created = await scene.createCronJob({ concurrencyPolicy: 'Forbid' });
    await scene.observed();
    await scene.client.create(jobs, jobOwnedBy(created, 'by-hand'));
    await scene.eventually(async () => expect((await scene.cronJob()).status?.activeCount).toBe(1));
    await scene.eventually(async () => expect(await scene.reasonsOfEvents()).toContain('UnexpectedJob'));
    await scene.passNextMinute();
    await scene.eventually(async () => expect(await scene.reasonsOfEvents()).toContain('JobAlreadyActive'));
    expect(await scene.jobs()).toHaveLength(1);
  });

  test('a Job that the CronJob owns and does not control counts for nothing', async () => {
    await using scene = await Scene.open();
    const job = jobOwnedBy(await scene.createCronJob({ concurrencyPolicy: 'Forbid' }), 'of-another-controller');
    const ownerReferences = job.metadata.ownerReferences.map((owner) => ({ ...owner, controller: false }));
    await scene.client.create(jobs, { ...job, metadata: { ...job.metadata, ownerReferences } });
    await scene.startManager();
    await scene.passNextMinute();
    await scene.hasJobs(2);
  });

  test('better: a Job of another owner of the same name is not ours, and counts for nothing', async () => {
    await using scene = await Scene.open();
    const before = await scene.createCronJob();
    await scene.client.delete(cronJobs, { namespace: scene.namespace, name: 'hello' });
    const created = await scene.createCronJob({ concurrencyPolicy: 'Forbid' });
    expect(created.metadata.uid).not.toBe(before.metadata.uid);
    await scene.client.create(jobs, jobOwnedBy(before, 'of-the-first'));
    await scene.startManager();
    await scene.observed();
    expect((await scene.cronJob()).status?.activeCount).toBe(0);
    await scene.passNextMinute();
    await scene.hasJobs(2);
  });

  test('better: Forbid waits for a run whose Job somebody has taken from the CronJob', async () => {
    await using scene = await Scene.open();
    await begin(scene, { concurrencyPolicy: 'Forbid' });
    const job = await firstRun(scene);
    const body = [{ op: 'remove', path: '/metadata/ownerReferences' }] as const;
    await scene.client.patch(jobs, job.metadata, { kind: 'json', body });
    await scene.passNextMinute();
    await scene.eventually(async () => expect(await scene.reasonsOfEvents()).toContain('JobAlreadyActive'));
    expect(await scene.jobs()).toHaveLength(1);
    await scene.finish(job, 'Complete');
    await scene.hasJobs(2);
    await scene.eventually(async () => {
      const { recentRuns } = (await scene.cronJob()).status ?? {};
      expect(recentRuns?.at(-1)).toContain(` Succeeded ${job.metadata.name} `);
    });
  });

  test('a Job that a queue keeps suspended is active', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    const { spec } = (await scene.createCronJob({ suspend: true }, 'template')).spec.jobTemplate;
    const jobTemplate = { spec: { template: {}, ...spec, suspend: true } };
    await scene.createCronJob({ concurrencyPolicy: 'Forbid', jobTemplate });
    await scene.observed();
    await scene.passNextMinute();
    await scene.hasJobs(1);
    await scene.passNextMinute();
    await scene.eventually(async () => expect(await scene.reasonsOfEvents()).toContain('JobAlreadyActive'));
    expect(await scene.jobs()).toHaveLength(1);
  });

  test('a slot whose deadline passed is reported once', async () => {
    await using scene = await Scene.open();
    await scene.createCronJob({ startingDeadlineSeconds: 10 });
    await scene.passNextMinute();
    await scene.clock.advance(20_000);
    await scene.startManager();
    await scene.observed();
    await scene.eventually(async () => expect(await scene.reasonsOfEvents()).toEqual(['MissSchedule']));
    await scene.clock.advance(5_000);
    await scene.passNextMinute();
    await scene.hasJobs(1);
    await scene.eventually(async () => expect(await scene.reasonsOfEvents()).toContain('SuccessfulCreate'));
    expect((await scene.reasonsOfEvents()).filter((reason) => reason === 'MissSchedule')).toHaveLength(1);
  });

  test('better: after more than 100 missed times nothing of the backlog starts, and the next run does', async () => {
    await using scene = await Scene.open();
    await scene.createCronJob();
    await scene.clock.advance(3 * 3_600_000);
    await scene.startManager();
    await scene.observed();
    expect(await scene.jobs()).toEqual([]);
    expect((await scene.conditions())['Degraded']).toBe('True TooManyMissedTimes');
    await scene.eventually(async () => expect(await scene.reasonsOfEvents()).toEqual(['TooManyMissedTimes']));
    await scene.passNextMinute();
    await scene.hasJobs(1);
    await scene.eventually(async () => expect((await scene.conditions())['Degraded']).toBe('False AsExpected'));
  });
});

/** A manager, and a CronJob that it has seen. */
async function begin(scene: Scene, spec: Partial<CronJobSpec> = {}): Promise<void> {
  await scene.startManager();
  await scene.createCronJob(spec);
  await scene.observed();
}

/** The Job of the next minute, which the status counts as active. */
async function firstRun(scene: Scene): Promise<Job> {
  await scene.passNextMinute();
  const [job] = await scene.hasJobs(1);
  await scene.eventually(async () => expect((await scene.cronJob()).status?.activeCount).toBe(1));
  if (!job) throw new Error('no Job');
  return job;
}

function jobOwnedBy({ apiVersion, kind, metadata, spec }: Awaited<ReturnType<Scene['cronJob']>>, name: string) {
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: metadata.namespace, ownerReferences: [owner] },
    spec: spec.jobTemplate.spec ?? { template: {} },
  } satisfies Pick<Job, 'apiVersion' | 'kind' | 'spec'> & { metadata: object };
}
