import { describe, expect, inject, test } from 'vitest';
import { run } from '../../hack/control-plane/run.ts';
import { Scene } from '../support/scene.ts';

const RUN_NOW = 'batch.tutorial.kubebuilder.io/run-now';

describe('run now, on a real API server', () => {
  test('one run for each new value, also while suspended', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    await scene.createCronJob({ suspend: true });
    await scene.observed();
    await scene.annotate({ [RUN_NOW]: 'first' });
    const [job] = await scene.hasJobs(1);
    expect(job?.metadata).toMatchObject({
      name: expect.stringMatching(/^hello-m[0-9a-f]{9}$/),
      annotations: { 'cronjob.kubernetes.io/instantiate': 'manual' },
    });
    await scene.eventually(async () => {
      expect((await scene.cronJob()).status).toMatchObject({ lastManualRun: 'first', activeCount: 1 });
    });
    await scene.annotate({ [RUN_NOW]: 'second' });
    await scene.hasJobs(2);
    await scene.annotate({ other: 'change' });
    await scene.eventually(async () => expect((await scene.cronJob()).status?.lastManualRun).toBe('second'));
    expect((await scene.cronJob()).status).not.toHaveProperty('lastScheduleTime');
    expect(await scene.jobs()).toHaveLength(2);
  });

  test('a value that a manifest brings along starts nothing', async () => {
    await using scene = await Scene.open();
    await scene.createCronJob({}, 'hello', { [RUN_NOW]: 'restored' });
    await scene.startManager();
    await scene.eventually(async () => expect((await scene.cronJob()).status?.lastManualRun).toBe('restored'));
    expect(await scene.jobs()).toEqual([]);
  });

  test('a value that somebody sets while no manager is there starts a run', async () => {
    await using scene = await Scene.open();
    await scene.createCronJob();
    // As another client: two writes of one client within a second cannot be told apart.
    const args = ['--kubeconfig', inject('kubeconfig'), '--namespace', scene.namespace];
    await run(inject('kubectl'), [...args, 'annotate', 'tcj', 'hello', `${RUN_NOW}=first`]);
    await scene.startManager();
    await scene.hasJobs(1);
    await scene.eventually(async () => expect((await scene.cronJob()).status?.lastManualRun).toBe('first'));
  });

  test('under Forbid it waits for the active run, and goes first', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    await scene.createCronJob({ concurrencyPolicy: 'Forbid' });
    await scene.observed();
    await scene.passNextMinute();
    const [job] = await scene.hasJobs(1);
    await scene.annotate({ [RUN_NOW]: 'first' });
    await scene.eventually(async () => expect(await scene.reasonsOfEvents()).toContain('JobAlreadyActive'));
    expect(await scene.jobs()).toHaveLength(1);
    await scene.passNextMinute();
    if (job) await scene.finish(job, 'Complete');
    const found = await scene.hasJobs(2);
    expect(found.map(({ metadata }) => metadata.name)).toContainEqual(expect.stringMatching(/^hello-m/));
  });
});
