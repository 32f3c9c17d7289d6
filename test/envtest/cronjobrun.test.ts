/** CronJobRuns on a real API server, without webhooks: the controller refuses in the status what they refuse. */
import { getCondition } from 'controller-runtime/kubernetes';
import { describe, expect, test } from 'vitest';
import { REQUESTED_BY_ANNOTATION, SCHEDULED_AT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { toRequestedJobName } from '../../api/v1/job-names.ts';
import { cronJobRuns, jobs } from '../../controllers/resources.ts';
import { Scene } from '../support/scene.ts';
import { allowJobs, forbidJobs } from './support/job-quota.ts';
import {
  backfillDays,
  createRun,
  DAILY,
  dailySlots,
  finishJobsUntil,
  getRun,
  listRequestedJobs,
  type RunManifestSpec,
  waitForState,
} from './support/requested-runs.ts';

const ENDED_NAME = 'ended';
const MINUTE_MS = 60_000;

async function listSlots(scene: Scene): Promise<readonly (string | undefined)[]> {
  return (await listRequestedJobs(scene)).map(({ metadata }) => metadata.annotations?.[SCHEDULED_AT_ANNOTATION]);
}

describe('a manual run', () => {
  test('starts a Job that the CronJob owns, and ends with it', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    const { metadata } = await scene.createCronJob({ schedule: DAILY });
    const run = await createRun(scene, { manual: {} });
    const [job] = await scene.waitForJobs(1);
    expect(job?.metadata).toMatchObject({
      name: toRequestedJobName(run, undefined),
      annotations: { [REQUESTED_BY_ANNOTATION]: 'again', 'cronjob.kubernetes.io/instantiate': 'manual' },
      ownerReferences: [{ kind: 'CronJob', uid: metadata.uid, controller: true }],
    });
    expect(job?.metadata.ownerReferences).toHaveLength(1);
    const { status } = await finishJobsUntil(scene, 'Succeeded');
    expect(status).toMatchObject({ cronJobUID: metadata.uid, total: 1, succeeded: 1, active: 0 });
    expect(status?.jobs).toMatchObject([{ name: job?.metadata.name, result: 'Succeeded' }]);
  });

  test('changes the Job as the CronJob allows', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    await scene.createCronJob({ schedule: DAILY, runOverrides: 'ArgsAndEnv' });
    const changes = { args: ['--full'], env: [{ name: 'LEVEL', value: 'debug' }] };
    const overrides = { containers: [{ name: 'hello', ...changes }], activeDeadlineSeconds: 60 };
    await createRun(scene, { manual: {}, overrides });
    const [job] = await scene.waitForJobs(1);
    expect(job?.spec).toMatchObject({ activeDeadlineSeconds: 60, template: { spec: { containers: [changes] } } });
  });

  test('starts when a full quota has room again', async () => {
    await using scene = await Scene.open();
    await forbidJobs(scene);
    await scene.startManager();
    await scene.createCronJob({ schedule: DAILY });
    await createRun(scene, { manual: {} });
    const { status } = await waitForState(scene, 'FailedCreate');
    expect(status?.failedStart?.message).toContain('exceeded quota: no-jobs');
    await allowJobs(scene);
    await scene.waitForJobs(1);
    expect((await finishJobsUntil(scene, 'Succeeded')).status).not.toHaveProperty('failedStart');
  });

  test('starts when the CronJob is created', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    await createRun(scene, { manual: {} });
    await waitForState(scene, 'CronJobNotFound');
    expect(getCondition((await getRun(scene)).status?.conditions, 'Accepted')).toMatchObject({
      status: 'False',
      message: 'the CronJob hello does not exist',
    });
    await scene.createCronJob({ schedule: DAILY });
    await scene.waitForJobs(1);
    await finishJobsUntil(scene, 'Succeeded');
  });
});

test('a run for a scheduled time retries a failed run of the schedule', async () => {
  await using scene = await Scene.open();
  await scene.startManager();
  await scene.createCronJob({ failedJobsHistoryLimit: 5 });
  await scene.waitUntilObserved();
  const scheduledTime = await scene.passNextMinute();
  const failed = await scene.waitForJob(scheduledTime);
  await scene.finish(failed, 'Failed');
  const run = await createRun(scene, { scheduledTime });
  await finishJobsUntil(scene, 'Succeeded');
  const [retry] = await listRequestedJobs(scene);
  expect(await listSlots(scene)).toEqual([scheduledTime]);
  expect(retry?.metadata.name).toBe(toRequestedJobName(run, new Date(scheduledTime)));
  expect(retry?.metadata.name).not.toBe(failed.metadata.name);
});

describe('a backfill', () => {
  test('starts each slot once, in its order, also if the manager is replaced', async () => {
    const SLOTS = 4;
    await using scene = await Scene.open();
    const first = await scene.startManager();
    await scene.createCronJob({ schedule: DAILY, requestedRunsHistoryLimit: 10 });
    await createRun(scene, backfillDays(SLOTS));
    const [job] = await scene.waitForJobs(1);
    await scene.stopManager(first);
    if (job) await scene.finish(job, 'Complete');
    await scene.startManager();
    const { status } = await finishJobsUntil(scene, 'Succeeded');
    expect(status).toMatchObject({ total: SLOTS, succeeded: SLOTS, active: 0, failed: 0, skipped: 0 });
    expect(await listSlots(scene)).toEqual(dailySlots(SLOTS));
    expect(status?.jobs?.map(({ scheduledTime }) => scheduledTime)).toEqual(dailySlots(SLOTS).toReversed());
  });

  test('keeps as many active runs as it may, and starts no more while it is suspended', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    await scene.createCronJob({ schedule: DAILY, requestedRunsHistoryLimit: 10 });
    await createRun(scene, backfillDays(3, { maxConcurrentRuns: 2, order: 'NewestFirst' }));
    const started = await scene.waitForJobs(2);
    await scene.eventually(async () => expect((await getRun(scene)).status).toMatchObject({ active: 2, total: 3 }));
    expect(await listSlots(scene)).toEqual(dailySlots(3).slice(1));
    const suspend = async (isSuspended: boolean) => {
      const { metadata } = await getRun(scene);
      await scene.client.patch(cronJobRuns, metadata, { kind: 'merge', body: { spec: { suspend: isSuspended } } });
    };
    await suspend(true);
    for (const job of started) await scene.finish(job, 'Complete');
    await waitForState(scene, 'Suspended');
    expect(await scene.jobs()).toHaveLength(2);
    await suspend(false);
    await finishJobsUntil(scene, 'Succeeded');
    expect(await listSlots(scene)).toEqual(dailySlots(3));
  });

  test('leaves its Jobs when it is deleted, and starts no more', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    await scene.createCronJob({ schedule: DAILY });
    const { metadata } = await createRun(scene, backfillDays(3));
    const [job] = await scene.waitForJobs(1);
    await scene.client.delete(cronJobRuns, metadata);
    if (job) await scene.finish(job, 'Complete');
    // A later CronJobRun shows that the manager has seen the end of the Job.
    await createRun(scene, { manual: {} }, ENDED_NAME);
    await finishJobsUntil(scene, 'Succeeded', ENDED_NAME);
    const requesters = (await scene.jobs()).map(
      ({ metadata: { annotations } }) => annotations?.[REQUESTED_BY_ANNOTATION],
    );
    expect(requesters.toSorted()).toEqual(['again', ENDED_NAME]);
  });

  test('leaves as many finished Jobs as the history limit allows', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    await scene.createCronJob({ schedule: DAILY, requestedRunsHistoryLimit: 2, successfulJobsHistoryLimit: 0 });
    await createRun(scene, backfillDays(4));
    const { status } = await finishJobsUntil(scene, 'Succeeded');
    expect(status).toMatchObject({ total: 4, succeeded: 4 });
    await scene.waitForJobs(2);
    expect(await listSlots(scene)).toEqual(dailySlots(4).slice(2));
  });
});

test('a finished CronJobRun is deleted after its time, and its Job stays', async () => {
  await using scene = await Scene.open();
  await scene.startManager();
  await scene.createCronJob({ schedule: DAILY });
  const { metadata } = await createRun(scene, { manual: {}, ttlSecondsAfterFinished: 60 });
  await finishJobsUntil(scene, 'Succeeded');
  await scene.clock.advance(2 * MINUTE_MS);
  await scene.eventually(async () => expect(await scene.client.get(cronJobRuns, metadata)).toBeUndefined());
  expect(await scene.client.list(jobs, { namespace: scene.namespace })).toHaveLength(1);
});

describe('without webhooks, the controller refuses', () => {
  const args = (name: string) => ({ manual: {}, overrides: { containers: [{ name, args: ['a'] }] } });
  const env = { manual: {}, overrides: { containers: [{ name: 'hello', env: [{ name: 'A', value: '' }] }] } };

  test.each<{ what: string; spec: RunManifestSpec; reason: string; message: string }>([
    {
      what: 'overrides that the CronJob does not allow',
      spec: env,
      reason: 'OverridesNotAllowed',
      message: 'the CronJob allows no environment variables; set its spec.runOverrides to ArgsAndEnv',
    },
    {
      what: 'overrides of another container',
      spec: args('other'),
      reason: 'OverridesNotAllowed',
      message: 'the CronJob has no container other; it has hello',
    },
    {
      what: 'a scheduled time in the future',
      spec: { scheduledTime: '2999-01-01T00:00:00Z' },
      reason: 'ScheduledTimeInFuture',
      message: 'the scheduled time is later than the creation of the CronJobRun; use manual to start a run now',
    },
    {
      what: 'a backfill beyond its limit',
      spec: backfillDays(11, { limit: 10 }),
      reason: 'TooManySlots',
      message: expect.stringMatching(
        /^the range contains more than 10 scheduled times.+; give a shorter range or a higher/,
      ),
    },
    {
      what: 'a backfill without a slot',
      spec: { backfill: { startTime: '2026-01-01T01:00:00Z', endTime: '2026-01-01T02:00:00Z' } },
      reason: 'NoSlots',
      message: expect.stringContaining('no scheduled times'),
    },
  ])('$what', async ({ spec, reason, message }) => {
    await using scene = await Scene.open();
    await scene.startManager();
    await scene.createCronJob({ schedule: DAILY, runOverrides: 'Args' });
    await createRun(scene, spec);
    const { status } = await waitForState(scene, reason);
    expect(getCondition(status?.conditions, 'Accepted')).toMatchObject({ status: 'False', reason, message });
    await scene.eventually(async () => expect(await scene.listEventReasons('again')).toEqual([reason]));
    expect(await scene.jobs()).toEqual([]);
  });

  test('a Job that the API server refuses', async () => {
    await using scene = await Scene.open();
    await scene.startManager();
    await scene.createCronJob({ schedule: DAILY, runOverrides: 'ArgsAndEnv' });
    const invalid = { containers: [{ name: 'hello', env: [{ name: 'A=B', value: '' }] }] };
    await createRun(scene, { manual: {}, overrides: invalid });
    const { status } = await waitForState(scene, 'FailedCreate');
    expect(status).toMatchObject({ total: 1, active: 0, failedStart: { reason: 'Refused' } });
    expect(status?.failedStart?.message).toContain('"A=B"');
  });
});
