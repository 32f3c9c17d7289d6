import { join } from 'node:path';
import { eventually } from 'controller-runtime/testing';
import { describe, expect, test } from 'vitest';
import { PROJECT } from '../../support/manifests.ts';
import { PATIENCE } from '../support/operator.ts';
import type { Chapter } from './chapter.ts';
import { cronJobManifest, getStatus, listEventReasons, listJobs, runManually, type Workload } from './cron-jobs.ts';

const SAMPLE = join(PROJECT, 'config/samples/batch_v1_cronjob.yaml');
/** Command that never ends. */
const HANGING: Workload = { script: 'sleep 3600', simulated: { 'kwok.batch.tutorial.kubebuilder.io/hang': 'true' } };
const FAILING: Workload = {
  script: 'echo the disk is full; exit 7',
  simulated: { 'kwok.batch.tutorial.kubebuilder.io/exit-code': '7' },
};

/** The main features for users. All at the same time, as in a cluster. */
export const runs: Chapter = (operator) => {
  const log = (job: string) => operator().kubectlInWork('logs', `job/${job}`);

  describe.concurrent('a CronJob', () => {
    test('from the samples runs at the next minute, and shows the result', async () => {
      await operator().kubectlInWork('apply', '-f', SAMPLE);
      const status = await eventually(async () => {
        const found = await getStatus(operator(), 'cronjob-sample');
        expect(found).toMatchObject({ lastRun: { result: 'Succeeded' } });
        return found;
      }, PATIENCE);
      const { jobName, scheduledTime } = status.lastRun;
      expect(jobName).toBe(`cronjob-sample-${Date.parse(scheduledTime) / 1000}`);
      expect(status.lastScheduleTime).toBe(scheduledTime);
      await eventually(async () => {
        const reasons = ['SuccessfulCreate', 'SawCompletedJob'];
        expect(await listEventReasons(operator(), 'cronjob-sample')).toEqual(expect.arrayContaining(reasons));
      });
      const output = operator().site.hasContainers ? await log(jobName) : undefined;
      if (output !== undefined) expect(output).toMatch(/\nHello from the Kubernetes cluster\n$/);
      await operator().kubectlInWork('delete', '-f', SAMPLE);
    });

    // The manager needs the permission to get Jobs for the deletion of this Job.
    test('with Forbid waits for the previous run', async () => {
      await operator().apply(
        cronJobManifest('forbid', { schedule: '@every 3s', concurrencyPolicy: 'Forbid' }, HANGING),
      );
      await eventually(
        async () => expect(await listEventReasons(operator(), 'forbid')).toContain('JobAlreadyActive'),
        PATIENCE,
      );
      const [active, ...others] = await listJobs(operator(), 'forbid');
      expect(others).toEqual([]);
      await operator().kubectlInWork('delete', 'job', active?.metadata.name ?? '');
      await eventually(async () => {
        const [next, ...more] = await listJobs(operator(), 'forbid');
        expect(more).toEqual([]);
        expect(next?.metadata.uid).not.toBe(active?.metadata.uid);
        expect(next).toMatchObject({ status: { active: 1 } });
      }, PATIENCE);
      await operator().kubectlInWork('delete', 'tcj', 'forbid');
    });

    test('with Replace ends the previous run and its Pod', async () => {
      await operator().apply(
        cronJobManifest('replace', { schedule: '@every 20s', concurrencyPolicy: 'Replace' }, HANGING),
      );
      const first = await eventually(async () => {
        const [job] = await listJobs(operator(), 'replace');
        expect(job).toMatchObject({ status: { active: 1, ready: 1 } });
        return job;
      }, PATIENCE);
      await eventually(async () => {
        const jobs = await listJobs(operator(), 'replace');
        expect(jobs.map(({ metadata }) => metadata.name)).not.toContain(first?.metadata.name);
        expect(
          await operator().kubectlInWork('get', 'pods', `--selector=job-name=${first?.metadata.name}`, '--output=name'),
        ).toBe('');
      }, PATIENCE);
      await eventually(async () => expect(await listEventReasons(operator(), 'replace')).toContain('SuccessfulDelete'));
      await operator().kubectlInWork('delete', 'tcj', 'replace');
    });

    test('that fails is Degraded until it succeeds', async () => {
      await operator().apply(cronJobManifest('failing', {}, FAILING));
      const { lastRun, conditions } = await runManually(operator(), 'failing', 'first');
      expect(lastRun).toMatchObject({ result: 'Failed', reason: 'BackoffLimitExceeded' });
      expect(conditions).toContainEqual(
        expect.objectContaining({ type: 'Degraded', status: 'True', reason: 'LastRunFailed' }),
      );
      if (operator().site.hasContainers) expect(await log(lastRun.jobName)).toBe('the disk is full\n');
      await operator().apply(cronJobManifest('failing', {}));
      const succeeded = await runManually(operator(), 'failing', 'second');
      expect(succeeded).toMatchObject({ lastRun: { result: 'Succeeded' } });
      expect(succeeded.conditions).toContainEqual(expect.objectContaining({ type: 'Degraded', status: 'False' }));
    });
  });
};
