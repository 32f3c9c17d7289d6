/** What the API server may answer, and what others may do to the Jobs. */
import { core } from 'controller-runtime/kubernetes';
import { describe, expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { jobs } from '../../controllers/resources.ts';
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
