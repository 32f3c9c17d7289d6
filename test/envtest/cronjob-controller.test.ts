import { describe, expect, test } from 'vitest';
import { cronJobs, jobs } from '../../controllers/resources.ts';
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

  test('never runs a slot again, though its Job is gone and the manager was restarted', async () => {
    await using scene = await Scene.open();
    const first = await scene.startManager();
    await scene.createCronJob({ successfulJobsHistoryLimit: 0 });
    await scene.observed();
    await scene.passNextMinute();
    const [job] = await scene.hasJobs(1);
    if (!job) throw new Error('no Job');
    await scene.finish(job, 'Complete');
    await scene.hasJobs(0);
    await scene.stopManager(first);
    await scene.startManager();
    await scene.clock.advance(5_000);
    const other = await scene.createCronJob({ suspend: true }, 'witness');
    await scene.observed(other.metadata.name);
    expect(await scene.jobs()).toEqual([]);
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

  test('leaves a slot alone whose Job name somebody else has taken, and runs the next one', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    await scene.createCronJob();
    await scene.observed();
    const slot = scene.nextMinute;
    const foreign = `hello-${slot.getTime() / 1000}`;
    const { spec } = (await scene.cronJob()).spec.jobTemplate;
    await scene.client.create(jobs, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: foreign, namespace: scene.namespace },
      spec: spec ?? { template: {} },
    });
    await scene.passNextMinute();
    await scene.eventually(async () => {
      const { status } = await scene.cronJob();
      expect(status?.handledThrough).toBe(slot.toISOString().replace('.000', ''));
      expect(status?.lastScheduleTime).toBeUndefined();
    });
    await scene.passNextMinute();
    await scene.hasJobs(2);
  });

  test('Forbid holds a slot back while a run is active, and starts it late', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    await scene.createCronJob({ concurrencyPolicy: 'Forbid' });
    await scene.observed();
    await scene.passNextMinute();
    const [job] = await scene.hasJobs(1);
    const held = await scene.passNextMinute();
    await scene.eventually(async () => expect(await scene.reasonsOfEvents()).toContain('JobAlreadyActive'));
    expect(await scene.jobs()).toHaveLength(1);
    if (job) await scene.finish(job, 'Complete');
    const [, late] = await scene.hasJobs(2);
    expect(late?.metadata.annotations).toMatchObject({ 'batch.tutorial.kubebuilder.io/scheduled-at': held });
  });

  test('Replace deletes the active run and starts the new one', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    await scene.createCronJob({ concurrencyPolicy: 'Replace' });
    await scene.observed();
    await scene.passNextMinute();
    const [first] = await scene.hasJobs(1);
    await scene.passNextMinute();
    await scene.eventually(async () => {
      const found = await scene.jobs();
      expect(found).toHaveLength(1);
      expect(found[0]?.metadata.uid).not.toBe(first?.metadata.uid);
    });
    await scene.eventually(async () => expect((await scene.cronJob()).status?.activeCount).toBe(1));
  });

  test('starts nothing while suspended, and the newest missed slot on resume', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    await scene.createCronJob({ suspend: true });
    await scene.observed();
    await scene.passNextMinute();
    const slot = await scene.passNextMinute();
    expect(await scene.jobs()).toEqual([]);
    await scene.client.patch(
      cronJobs,
      { namespace: scene.namespace, name: 'hello' },
      { kind: 'merge', body: { spec: { suspend: false } } },
    );
    const [job] = await scene.hasJobs(1);
    expect(job?.metadata.annotations).toMatchObject({ 'batch.tutorial.kubebuilder.io/scheduled-at': slot });
  });

  test('does not start a slot that was missed by more than the deadline', async () => {
    await using scene = await Scene.open();
    await scene.createCronJob({ schedule: '* * * * *', startingDeadlineSeconds: 10 });
    await scene.passNextMinute();
    await scene.clock.advance(20_000);
    await scene.startManager();
    await scene.observed();
    expect(await scene.jobs()).toEqual([]);
    await scene.passNextMinute();
    await scene.hasJobs(1);
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

  test('the garbage collector owns the Jobs of a deleted CronJob: nothing more is started', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    await scene.createCronJob();
    await scene.observed();
    await scene.client.delete(cronJobs, { namespace: scene.namespace, name: 'hello' });
    const witness = await scene.createCronJob({ suspend: true }, 'witness');
    await scene.observed(witness.metadata.name);
    await scene.passNextMinute();
    expect(await scene.jobs()).toEqual([]);
  });
});
