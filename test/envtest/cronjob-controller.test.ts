/** The life of a CronJob on a real API server, and the API server's possible responses. */
import { core } from 'controller-runtime/kubernetes';
import { describe, expect, test } from 'vitest';
import { Scene } from '../support/scene.ts';
import { allowJobs, forbidJobs } from './support/job-quota.ts';

const { namespaces } = core.v1;
const idle = { Available: 'True AllJobsCompleted', Progressing: 'False NoJobsActive', Degraded: 'False AsExpected' };
const busy = { Available: 'True JobsActive', Progressing: 'True JobsActive', Degraded: 'False AsExpected' };

/** A manager, and a CronJob that it has seen. */
async function createObserved(scene: Scene, spec: Parameters<Scene['createCronJob']>[0] = {}) {
  await scene.startManager();
  const created = await scene.createCronJob(spec);
  await scene.waitUntilObserved();
  return created;
}

describe('the controller on a real API server', () => {
  test('starts a Job at its slot, with owner and labels, and records it in the status', async () => {
    await using scene = await Scene.open();
    const created = await createObserved(scene);
    expect(await scene.conditions()).toEqual(idle);
    const slot = await scene.passNextMinute();
    const job = await scene.waitForJob(slot);
    expect(job).toMatchObject({
      metadata: {
        name: `hello-${new Date(slot).getTime() / 1000}`,
        labels: { app: 'hello' },
        annotations: {
          'batch.tutorial.kubebuilder.io/scheduled-at': slot,
          'batch.kubernetes.io/cronjob-scheduled-timestamp': slot,
        },
        ownerReferences: [{ kind: 'CronJob', uid: created.metadata.uid, controller: true, blockOwnerDeletion: true }],
      },
    });
    await scene.eventually(async () => {
      expect((await scene.cronJob()).status).toMatchObject({
        active: [{ kind: 'Job', namespace: scene.namespace, name: job.metadata.name, uid: job.metadata.uid }],
        activeCount: 1,
        lastScheduleTime: slot,
        lastRun: { result: 'Running', scheduledTime: slot },
        observedGeneration: 1,
      });
    });
    expect(await scene.conditions()).toEqual(busy);
    await scene.eventually(async () => expect(await scene.listEventReasons()).toContain('SuccessfulCreate'));
  });

  test('records the result of a run, and limits the history', async () => {
    await using scene = await Scene.open();
    await createObserved(scene, { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 });
    for (const type of ['Complete', 'Failed', 'Complete'] as const) {
      const slot = await scene.passNextMinute();
      await scene.finish(await scene.waitForJob(slot), type);
      const [result, Degraded] =
        type === 'Complete' ? ['Succeeded', 'False AsExpected'] : ['Failed', 'True LastRunFailed'];
      await scene.eventually(async () => {
        expect((await scene.cronJob()).status).toMatchObject({
          activeCount: 0,
          lastRun: { scheduledTime: slot, result },
        });
      });
      expect(await scene.conditions()).toEqual({ ...idle, Degraded });
    }
    await scene.waitForJobs(1);
    const { status } = await scene.cronJob();
    expect(status).toMatchObject({ lastSuccessfulTime: expect.any(String), lastFailureTime: expect.any(String) });
    await scene.eventually(async () => {
      expect(await scene.listEventReasons()).toEqual(expect.arrayContaining(['SawCompletedJob', 'SuccessfulDelete']));
    });
  });

  test('reports an invalid schedule, and continues with other CronJobs', async () => {
    await using scene = await Scene.open();
    await createObserved(scene);
    await scene.createCronJob({ schedule: '61 * * * *' }, 'broken');
    await scene.waitUntilObserved('broken');
    expect(await scene.conditions('broken')).toMatchObject({ Degraded: 'True UnparseableSchedule' });
    await scene.eventually(async () => expect(await scene.listEventReasons('broken')).toEqual(['UnparseableSchedule']));
    await scene.passNextMinute();
    await scene.waitForJobs(1);
  });

  test('reports a full quota once, and starts the slot when there is room', async () => {
    await using scene = await Scene.open();
    await forbidJobs(scene);
    await createObserved(scene);
    const slot = await scene.passNextMinute();
    await scene.eventually(async () => expect((await scene.conditions())['Degraded']).toBe('True FailedCreate'));
    const { status } = await scene.cronJob();
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Degraded', message: expect.stringContaining('exceeded quota') }),
    );
    expect(status).not.toHaveProperty('lastScheduleTime');
    await allowJobs(scene);
    await scene.waitForJob(slot);
    await scene.eventually(async () => expect((await scene.conditions())['Degraded']).toBe('False AsExpected'));
    const listFailures = async () => (await scene.listEventReasons()).filter((reason) => reason === 'FailedCreate');
    await scene.eventually(async () => expect(await listFailures()).toHaveLength(1));
  });

  test('does nothing in a namespace that is being deleted', async () => {
    await using scene = await Scene.open();
    await createObserved(scene);
    await scene.client.delete(namespaces, { name: scene.namespace });
    await scene.passNextMinute();
    await scene.eventually(async () => {
      expect((await scene.cronJob()).status?.nextScheduleTime).toBe(scene.nextMinute.toISOString().replace('.000', ''));
    });
    expect(await scene.jobs()).toEqual([]);
    expect(await scene.listEventReasons()).toEqual([]);
  });
});
