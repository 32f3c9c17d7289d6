/** The controller of CronJobRuns after a crash, and while statuses cannot be stored. */
import { expect, test } from 'vitest';
import { toRequestedJobName } from '../api/v1/job-names.ts';
import { CRON_JOB, CronJobRunWorld, RUN } from '../test/support/cron-job-run-world.ts';
import { at } from '../test/support/cron-jobs.ts';
import { cronJobRuns, cronJobs } from './resources.ts';

const STATUS_WRITES = { verb: 'update', resource: cronJobRuns } as const;
const SERVER_ERROR = { kind: 'error', code: 500 } as const;
const BACKFILL = {
  startTime: '2025-12-31T20:00:00Z',
  endTime: at('00:00:00'),
  order: 'OldestFirst',
  maxConcurrentRuns: 3,
  limit: 100,
} as const;

/** A manager creates the first Job and ends before the status of the CronJobRun is stored. */
async function crashAfterCreate(world: CronJobRunWorld): Promise<void> {
  world.server.fail(STATUS_WRITES, SERVER_ERROR, Number.POSITIVE_INFINITY);
  const crashing = await world.startManager();
  await world.server.until(({ pendingFaults }) => pendingFaults > 0 && world.jobNames.length === 1);
  await crashing.stop();
  world.server.clearFaults();
}

test('Forbid: its own Job, created before a crash, does not make the run wait', async () => {
  await using world = await CronJobRunWorld.start({ concurrencyPolicy: 'Forbid' });
  world.request({ manual: {} });
  await crashAfterCreate(world);
  await using _ = await world.startManager();
  await world.untilState('Running');
  expect(world.run?.status).toMatchObject({ active: 1, jobs: [{ result: 'Running' }] });
});

test('Replace: a run that was replaced before the CronJobRun counted it does not start again', async () => {
  await using world = await CronJobRunWorld.start({ concurrencyPolicy: 'Replace' });
  world.request({ manual: {} });
  const { server, run } = world;
  const stored = server.get(cronJobs, CRON_JOB);
  const jobName = run && toRequestedJobName(run);
  const recentRuns = [`${at('00:09:00')} Replaced ${jobName} Manual by=${RUN.name}`];
  if (stored) server.put(cronJobs, { ...stored, status: { ...stored.status, recentRuns } });
  await using _ = await world.startManager();
  await world.untilState('RunsFailed');
  expect(world.run?.status?.jobs).toMatchObject([{ name: jobName, result: 'Unknown' }]);
  expect(world.jobNames).toEqual([]);
});

test('a Job that was created before a crash is counted while the CronJobRun is suspended', async () => {
  await using world = await CronJobRunWorld.start();
  world.request({ backfill: BACKFILL });
  await crashAfterCreate(world);
  world.request({ backfill: BACKFILL, suspend: true });
  await using _ = await world.startManager();
  await world.untilState('Suspended');
  await world.server.until(() => world.run?.status?.active === 1);
  expect(world.jobNames).toHaveLength(1);
});

test('no run starts before the status shows the last one', async () => {
  await using world = await CronJobRunWorld.start();
  world.request({ backfill: BACKFILL });
  world.server.fail(STATUS_WRITES, SERVER_ERROR, 3);
  await using _ = await world.startManager();
  const attempts = () => world.server.count(STATUS_WRITES);
  while (attempts() < 3) await world.clock.advance(1000);
  expect(world.jobNames.length).toBe(1);
  while (world.jobNames.length < BACKFILL.maxConcurrentRuns) await world.clock.advance(10_000);
});

test('a status that cannot be stored is written again after a back-off, also when the CronJobRun has expired', async () => {
  await using world = await CronJobRunWorld.start();
  world.request({ manual: {}, ttlSecondsAfterFinished: 0 });
  await using _ = await world.startManager();
  await world.untilState('Running');
  world.server.fail(STATUS_WRITES, SERVER_ERROR, Number.POSITIVE_INFINITY);
  const before = world.server.count(STATUS_WRITES);
  world.finishJobs();
  await world.server.until(() => world.server.count(STATUS_WRITES) > before);
  for (let second = 0; second < 100; second++) await world.clock.advance(100);
  expect(world.server.count(STATUS_WRITES) - before).toBeLessThan(20);
});

test('the startTime that a dead process has stored late stays', async () => {
  await using world = await CronJobRunWorld.start();
  world.request({ manual: {} });
  const { server, run } = world;
  server.fail(STATUS_WRITES, SERVER_ERROR, Number.POSITIVE_INFINITY);
  await using _ = await world.startManager();
  await server.until(() => server.count(STATUS_WRITES) > 0);
  const startTime = at('00:09:50');
  if (run)
    server.put(cronJobRuns, {
      ...run,
      status: { cronJobUID: server.get(cronJobs, CRON_JOB)?.metadata.uid, startTime },
    });
  server.clearFaults();
  while (world.run?.status?.jobs === undefined) await world.clock.advance(1000);
  expect(world.run.status.startTime).toBe(startTime);
});
