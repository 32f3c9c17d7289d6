/** A real Prometheus scrapes the real manager, and its alerts fire and resolve. They need not hold for some time first. */
import { describe, expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import { RESUME_ANNOTATION } from '../../api/v1/groupversion.ts';
import { jobs } from '../../controllers/resources.ts';
import { PATIENCE, Watched } from './support/watched.ts';

describe('a real Prometheus sees', () => {
  test('CronJobFailing fire when a run fails, and resolve when one succeeds', async () => {
    await using watched = await Watched.open();
    await watched.observedCronJob();
    await watched.finish(await watched.run(1), 'Failed');
    const { labels, annotations } = await watched.fires('CronJobFailing');
    const { namespace } = watched.scene;
    expect(labels).toEqual({ alertname: 'CronJobFailing', severity: 'warning', namespace, name: 'hello' });
    expect(annotations['summary']).toBe(`CronJob ${namespace}/hello is failing.`);
    await watched.finish(await watched.run(2), 'Complete');
    await watched.resolves('CronJobFailing');
  });

  test('CronJobStuckStarting fire when no Pod of a Job is ready, and resolve when one is', async () => {
    await using watched = await Watched.open();
    await watched.observedCronJob();
    const job = await watched.run(1);
    const { client } = watched.scene;
    const startTime = new Date(Date.now() - 3_600_000).toISOString().replace(/\.\d+/, '');
    const patchJob = (status: Job['status']) =>
      client.patch(jobs, job.metadata, { kind: 'merge', body: { status } }, { subresource: 'status' });
    await patchJob({ startTime, active: 1 });
    const { labels, annotations } = await watched.fires('CronJobStuckStarting');
    expect(labels).toMatchObject({ namespace: watched.scene.namespace, name: 'hello' });
    expect(annotations['description']).toMatch(/^It has waited for 1h /);
    await patchJob({ ready: 1 });
    await watched.resolves('CronJobStuckStarting');
  });

  test('CronJobPaused fire when runs fail, and resolve when somebody resumes', async () => {
    await using watched = await Watched.open();
    await watched.observedCronJob({ schedule: '@every 1s', concurrencyPolicy: 'Forbid', pauseAfterFailures: 1 });
    const [job] = await watched.scene.hasJobs(1, PATIENCE);
    if (job === undefined) throw new Error('no Job');
    await watched.finish(job, 'Failed');
    expect(await watched.fires('CronJobPaused')).toMatchObject({ labels: { name: 'hello', severity: 'warning' } });
    await watched.scene.annotate({ [RESUME_ANNOTATION]: 'now' });
    await watched.resolves('CronJobPaused');
  });

  test('CronJobOverdue fire when no run succeeds in time, and resolve when one has', async () => {
    await using watched = await Watched.open();
    await watched.observedCronJob({ expectSuccessWithinSeconds: 1 });
    expect(await watched.fires('CronJobOverdue')).toMatchObject({ labels: { name: 'hello', severity: 'warning' } });
    await watched.finish(await watched.run(1), 'Complete');
    await watched.scene.edit({ expectSuccessWithinSeconds: 1_000_000 });
    await watched.resolves('CronJobOverdue');
  });

  test('CronJobControllerLate fire while a run is due and nobody has looked at it', async () => {
    await using watched = await Watched.open();
    await watched.observedCronJob();
    await watched.patchStatus({ nextScheduleTime: new Date(Date.now() - 600_000).toISOString().replace(/\.\d+/, '') });
    await watched.fires('CronJobControllerLate');
    await watched.scene.edit({ schedule: '@every 20000h' }); // a pass, which finds that nothing is due
    await watched.resolves('CronJobControllerLate');
  });

  test('CronJobControllerDown fire when the manager was killed, and resolve when the next one leads', async () => {
    await using watched = await Watched.open();
    await watched.resolves('CronJobControllerDown'); // it may have fired before the manager led
    await watched.killManager();
    const { labels } = await watched.fires('CronJobControllerDown');
    expect(labels).toEqual({ alertname: 'CronJobControllerDown', severity: 'critical' });
    watched.restartManager();
    await watched.resolves('CronJobControllerDown');
  });
});
