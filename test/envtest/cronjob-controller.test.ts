import { describe, expect, test } from 'vitest';
import { cronJobs } from '../../controllers/resources.ts';
import { Scene } from '../support/scene.ts';

describe('the controller on a real API server', () => {
  test('starts a Job at its slot, owned, labelled and accounted for', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    const created = await scene.createCronJob();
    await scene.observed();
    const slot = await scene.passNextMinute();
    const [job] = await scene.hasJobs(1);
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
        active: [{ kind: 'Job', namespace: scene.namespace, name: job?.metadata.name, uid: job?.metadata.uid }],
        activeCount: 1,
        lastScheduleTime: slot,
        lastRun: { result: 'Running', scheduledTime: slot },
        observedGeneration: 1,
      });
    });
    await scene.eventually(async () => expect(await scene.reasonsOfEvents()).toContain('SuccessfulCreate'));
  });

  test('records how a run ended and keeps no more history than asked for', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    await scene.createCronJob({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 });
    await scene.observed();
    for (const type of ['Complete', 'Failed', 'Complete'] as const) {
      const slot = await scene.passNextMinute();
      const job = await scene.eventually(async () => {
        const found = (await scene.jobs()).find((each) => each.metadata.name.endsWith(String(Date.parse(slot) / 1000)));
        if (!found) throw new Error(`no Job of ${slot}`);
        return found;
      });
      await scene.finish(job, type);
      await scene.eventually(async () => {
        const result = type === 'Complete' ? 'Succeeded' : 'Failed';
        expect((await scene.cronJob()).status).toMatchObject({
          activeCount: 0,
          lastRun: { scheduledTime: slot, result },
        });
      });
    }
    await scene.eventually(async () => expect(await scene.jobs()).toHaveLength(1));
    const { status } = await scene.cronJob();
    expect(status).toMatchObject({ lastSuccessfulTime: expect.any(String), lastFailureTime: expect.any(String) });
    await scene.eventually(async () => {
      expect(await scene.reasonsOfEvents()).toEqual(expect.arrayContaining(['SawCompletedJob', 'SuccessfulDelete']));
    });
  });

  test('better: adopts the Job of a pass that crashed before it wrote the status', async () => {
    await using scene = await Scene.open();
    const first = await scene.startManager();
    await scene.createCronJob();
    await scene.observed();
    await scene.stopManager(first);
    const { metadata } = await scene.cronJob();
    const second = await scene.startManager();
    await scene.passNextMinute();
    const [job] = await scene.hasJobs(1);
    await scene.stopManager(second);
    // As if the status write after the create had never happened.
    const stored = await scene.cronJob();
    const { active: _, activeCount: __, lastScheduleTime: ___, lastRun: ____, ...rest } = stored.status ?? {};
    await scene.client.updateStatus(cronJobs, { metadata: stored.metadata, status: rest });
    await scene.startManager();
    await scene.eventually(async () => {
      expect((await scene.cronJob()).status).toMatchObject({ activeCount: 1, active: [{ uid: job?.metadata.uid }] });
    });
    expect(await scene.jobs()).toHaveLength(1);
    expect((await scene.cronJob()).metadata.uid).toBe(metadata.uid);
  });

  test('says what is wrong with a schedule, and goes on with the others', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    await scene.createCronJob({ schedule: '61 * * * *' }, 'broken');
    await scene.createCronJob();
    await scene.observed('broken');
    await scene.observed();
    await scene.eventually(async () => expect(await scene.reasonsOfEvents('broken')).toEqual(['UnparseableSchedule']));
    await scene.passNextMinute();
    await scene.hasJobs(1);
  });

  test('writes nothing while nothing changes', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    await scene.createCronJob({ schedule: '@every 1h' }); // not due meanwhile, whatever the time is now
    await scene.observed();
    const before = (await scene.cronJob()).metadata.resourceVersion;
    for (let pass = 0; pass < 3; pass++) await scene.clock.advance(5_000);
    expect((await scene.cronJob()).metadata.resourceVersion).toBe(before);
  });
});
