import { expect, test } from 'vitest';
import { cronJobs } from '../../../controllers/resources.ts';
import { Scene } from '../../support/scene.ts';

const template = (annotations: Record<string, string> = {}) => ({
  spec: {
    backoffLimit: 0,
    template: {
      metadata: { annotations },
      spec: { restartPolicy: 'Never', containers: [{ name: 'hello', image: 'busybox' }] },
    },
  },
});

test('Jobs finish, the history stays within its limit, and deleting a CronJob deletes its Jobs', async () => {
  await using scene = await Scene.open();
  await scene.startManager();
  await scene.createCronJob({ successfulJobsHistoryLimit: 2, jobTemplate: template() });
  await scene.waitUntilObserved();
  for (let run = 1; run <= 3; run++) {
    const slot = await scene.passNextMinute();
    await scene.eventually(async () => {
      const { status } = await scene.cronJob();
      expect(status).toMatchObject({ activeCount: 0, lastRun: { scheduledTime: slot, result: 'Succeeded' } });
    });
  }
  const kept = await scene.waitForJobs(2);
  for (const job of kept) expect(job.status?.succeeded).toBe(1);
  await scene.eventually(async () => expect(await scene.listEventReasons()).toContain('SuccessfulDelete'));

  await scene.client.delete(cronJobs, { namespace: scene.namespace, name: 'hello' });
  // The garbage collector discovers new kinds every 30 s.
  await scene.waitForJobs(0);
});

test('a run with a failed Pod counts in the failed history only', async () => {
  await using scene = await Scene.open();
  await scene.startManager();
  const jobTemplate = template({ 'kwok.batch.tutorial.kubebuilder.io/exit-code': '7' });
  await scene.createCronJob({ failedJobsHistoryLimit: 1, jobTemplate });
  await scene.waitUntilObserved();
  for (let run = 1; run <= 2; run++) {
    const slot = await scene.passNextMinute();
    await scene.eventually(async () => {
      const { status } = await scene.cronJob();
      expect(status?.lastRun).toMatchObject({ scheduledTime: slot, result: 'Failed', reason: 'BackoffLimitExceeded' });
    });
  }
  await scene.waitForJobs(1);
});

test('Replace ends a hanging run and its Pod', async () => {
  await using scene = await Scene.open();
  await scene.startManager();
  const jobTemplate = template({ 'kwok.batch.tutorial.kubebuilder.io/hang': 'true' });
  await scene.createCronJob({ concurrencyPolicy: 'Replace', jobTemplate });
  await scene.waitUntilObserved();
  await scene.passNextMinute();
  const [first] = await scene.waitForJobs(1);
  await scene.eventually(async () => expect((await scene.jobs())[0]?.status?.active).toBe(1));
  await scene.passNextMinute();
  await scene.eventually(async () => {
    const [only, ...others] = await scene.jobs();
    expect(others).toEqual([]);
    expect(only?.metadata.uid).not.toBe(first?.metadata.uid);
    expect(only?.status?.active).toBe(1);
  });
});
