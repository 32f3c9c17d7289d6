import type { Job } from 'controller-runtime/kubernetes';
import { eventually } from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import { SCHEDULED_AT_ANNOTATION, START_TIMEOUT_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { cronJobs, pods } from '../../../controllers/resources.ts';
import { type Operator, PATIENCE, WORK_NAMESPACE } from '../support/operator.ts';
import type { Chapter } from './chapter.ts';
import {
  cronJobManifest,
  getStatus,
  listEventMessages,
  listJobs,
  requestRun,
  runManually,
  type Workload,
} from './cron-jobs.ts';

/** Longer than a test takes to find out what a Pod waits for. */
const AN_HOUR = 3600;
const DEADLINE_EXCEEDED = expect.arrayContaining([
  expect.objectContaining({ type: 'Failed', status: 'True', reason: 'DeadlineExceeded' }),
]);

/** Jobs whose containers start late or never, and what a Job that starts knows of its run. */
export const starts: Chapter = (operator) => {
  describe.concurrent('a Job with a timeout for its start', () => {
    test('is ended when it gets no Pod', async () => {
      const spec = { startTimeoutSeconds: 2 };
      await operator().apply(cronJobManifest('no-pod', spec, { job: { parallelism: 0 } }));
      const { lastRun } = await runManually(operator(), 'no-pod', 'first');
      expect(lastRun).toMatchObject({ result: 'Failed', reason: 'StartTimeout' });
      expect(await listJobs(operator(), 'no-pod')).toEqual([expectedEnd(2)]);
      await operator().kubectlInWork('delete', 'tcj', 'no-pod');
    });

    if (inject('site').name === 'kwok') return;

    test('is ended when its Pod fits no node, unblocks Forbid, and keeps its Job', async () => {
      const spec = {
        ...{ schedule: '@every 8s', concurrencyPolicy: 'Forbid' as const, failedJobsHistoryLimit: 100 },
        startTimeoutSeconds: AN_HOUR,
      };
      const work: Workload = { pod: { nodeSelector: { 'example.com/no-node': 'has-this' } } };
      await operator().apply(cronJobManifest('unschedulable', spec, work));
      await waitForPodCondition(operator(), 'unschedulable', 'Unschedulable');
      await limitStart(operator(), 'unschedulable', 4);
      await eventually(async () => {
        const [first, second] = await listJobs(operator(), 'unschedulable');
        expect(first).toEqual(expectedEnd(4));
        expect(second).toEqual(expectedEnd(4));
      }, PATIENCE);
      const [message] = await listEventMessages(operator(), 'unschedulable', 'StartTimeout');
      expect(message).toMatch(/^Ended job unschedulable-\d+: .* within 4 seconds; Pod .*: Unschedulable: 0\/\d+ nodes/);
      await operator().kubectlInWork('delete', 'tcj', 'unschedulable');
    });

    test('is ended when its image cannot be pulled', async () => {
      const container = { image: 'no-such-image:1', imagePullPolicy: 'Never' };
      await operator().apply(cronJobManifest('no-image', { startTimeoutSeconds: AN_HOUR }, { container }));
      await requestRun(operator(), 'no-image', 'first');
      await waitForPodCondition(operator(), 'no-image', 'ErrImageNeverPull');
      await limitStart(operator(), 'no-image', 5);
      const { lastRun } = await runManually(operator(), 'no-image', 'first');
      expect(lastRun).toMatchObject({ result: 'Failed', reason: 'StartTimeout' });
      const [message] = await listEventMessages(operator(), 'no-image', 'StartTimeout');
      expect(message).toContain('ErrImageNeverPull');
      await operator().kubectlInWork('delete', 'tcj', 'no-image');
    });

    test('is not ended after its container has started, however late it becomes ready', async () => {
      const work: Workload = { script: 'sleep 3600', container: { readinessProbe: { exec: { command: ['false'] } } } };
      await operator().apply(cronJobManifest('never-ready', { startTimeoutSeconds: AN_HOUR }, work));
      await requestRun(operator(), 'never-ready', 'first');
      await waitForPodCondition(operator(), 'never-ready', 'startedAt');
      const job = await waitUntilOlder(operator(), 'never-ready', 5);
      await limitStart(operator(), 'never-ready', 1);
      await eventually(async () => expect(await listGenerations(operator(), 'never-ready')).toEqual([2, 2]), PATIENCE);
      const [left] = await listJobs(operator(), 'never-ready');
      expect(left?.metadata.uid).toBe(job.metadata.uid);
      expect(left?.spec).not.toHaveProperty('activeDeadlineSeconds');
      expect(left?.status).toMatchObject({ active: 1, ready: 0 });
      await operator().kubectlInWork('delete', 'tcj', 'never-ready');
    });

    test('is not ended while a queue suspends it', async () => {
      await operator().apply(cronJobManifest('queued', { startTimeoutSeconds: 2 }, { job: { suspend: true } }));
      await requestRun(operator(), 'queued', 'first');
      const job = await waitUntilOlder(operator(), 'queued', 8);
      expect(job.spec).not.toHaveProperty('activeDeadlineSeconds');
      await limitStart(operator(), 'queued', AN_HOUR);
      await eventually(async () => expect(await listGenerations(operator(), 'queued')).toEqual([2, 2]), PATIENCE);
      const unblocked = '--patch={"spec":{"suspend":false}}';
      await operator().kubectlInWork('patch', 'job', job.metadata.name, '--type=merge', unblocked);
      await eventually(async () => {
        expect(await getStatus(operator(), 'queued')).toMatchObject({ lastRun: { result: 'Succeeded' } });
      }, PATIENCE);
      await operator().kubectlInWork('delete', 'tcj', 'queued');
    });
  });

  if (inject('site').name === 'kwok') return;

  test.concurrent('a container knows the time that its run was scheduled for, by the downward API and by its environment', async () => {
    const field = { fieldPath: `metadata.annotations['${SCHEDULED_AT_ANNOTATION}']` };
    const names = ['NAME', 'RUN', 'TRIGGER', 'SCHEDULED_TIME', 'LAST_SUCCESSFUL_TIME'];
    const work: Workload = {
      script: `echo $SLOT ${names.map((name) => `$CRONJOB_${name}`).join(' ')}`,
      container: { env: [{ name: 'SLOT', valueFrom: { fieldRef: field } }] },
    };
    const spec = {
      ...{ schedule: '@every 10s', concurrencyPolicy: 'Forbid' as const, successfulJobsHistoryLimit: 100 },
      runContext: 'Env' as const,
    };
    await operator().apply(cronJobManifest('with-context', spec, work));
    const [first, second] = await eventually(async () => {
      const succeeded = (await listJobs(operator(), 'with-context')).filter(({ status }) => status?.succeeded === 1);
      expect(succeeded.length).toBeGreaterThan(1);
      return succeeded;
    }, PATIENCE);
    const readRunLog = async (job: Job | undefined) => (await readLog(operator(), job)).trim().split(' ');
    expect(await readRunLog(first)).toEqual([
      getSlot(first),
      'with-context',
      first?.metadata.name,
      'Schedule',
      getSlot(first),
    ]);
    const lastSuccess = first?.status?.completionTime;
    expect(await readRunLog(second)).toEqual([
      getSlot(second),
      ...['with-context', second?.metadata.name, 'Schedule', getSlot(second)],
      lastSuccess,
    ]);
    await operator().kubectlInWork('delete', 'tcj', 'with-context');
  });
};

/** Waits until a Pod of the CronJob has this reason for not having started. */
async function waitForPodCondition(operator: Operator, cronJob: string, reason: string): Promise<void> {
  await eventually(async () => {
    const [job] = await listJobs(operator, cronJob);
    const labelSelector = `batch.kubernetes.io/job-name=${job?.metadata.name}`;
    const [pod] = await operator.client.list(pods, { namespace: WORK_NAMESPACE, labelSelector });
    expect(JSON.stringify(pod?.status)).toContain(`"${reason}"`);
  }, PATIENCE);
}

/** The CronJob's first Job, once it is this old. */
async function waitUntilOlder(operator: Operator, cronJob: string, seconds: number): Promise<Job> {
  return await eventually(async () => {
    const [job] = await listJobs(operator, cronJob);
    if (job === undefined) throw new Error('there is no Job');
    expect(Date.now()).toBeGreaterThan(Date.parse(job.metadata.creationTimestamp) + seconds * 1000);
    return job;
  }, PATIENCE);
}

/** The generation of the CronJob, and the generation that its status has observed. */
async function listGenerations(operator: Operator, cronJob: string): Promise<readonly unknown[]> {
  const found = await operator.client.get(cronJobs, { namespace: WORK_NAMESPACE, name: cronJob });
  return [found?.metadata.generation, found?.status?.observedGeneration];
}

async function limitStart(operator: Operator, cronJob: string, startTimeoutSeconds: number): Promise<void> {
  const patch = JSON.stringify({ spec: { startTimeoutSeconds } });
  await operator.kubectlInWork('patch', 'tcj', cronJob, '--type=merge', `--patch=${patch}`);
}

function expectedEnd(timeoutSeconds: number): object {
  return expect.objectContaining({
    metadata: expect.objectContaining({
      annotations: expect.objectContaining({
        [START_TIMEOUT_ANNOTATION]: expect.stringContaining(`within ${timeoutSeconds} seconds`),
      }),
    }),
    status: expect.objectContaining({ conditions: DEADLINE_EXCEEDED }),
  });
}

function getSlot(job: Job | undefined): string | undefined {
  return job?.metadata['annotations']?.[SCHEDULED_AT_ANNOTATION];
}

function readLog(operator: Operator, job: Job | undefined): Promise<string> {
  return operator.kubectlInWork('logs', `job/${job?.metadata.name}`);
}
