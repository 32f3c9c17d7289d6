/** The controller of CronJobRuns after a crash, and while statuses cannot be stored. */
import { getCondition } from 'controller-runtime/kubernetes';
import { FakeApiServer, FakeClock, startTestManager } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import type { CronJobSpec } from '../api/v1/cronjob-types.ts';
import type { CronJobRunSpec } from '../api/v1/cronjobrun-types.ts';
import { at, cronJob } from '../test/support/cron-jobs.ts';
import { setupWithManager } from './cronjob-controller.ts';
import { setupCronJobRunsWithManager } from './cronjobrun-controller.ts';
import { cronJobRuns, cronJobs, jobs } from './resources.ts';

const RUN = { namespace: 'default', name: 'again' };
const STATUS_WRITES = { verb: 'update', resource: cronJobRuns } as const;
const SERVER_ERROR = { kind: 'error', code: 500 } as const;
const BACKFILL = {
  startTime: '2025-12-31T20:00:00Z',
  endTime: at('00:00:00'),
  order: 'OldestFirst',
  maxConcurrentRuns: 3,
  limit: 100,
} as const;

async function createWorld(spec: Partial<CronJobSpec>, request: Partial<CronJobRunSpec>) {
  const server = await FakeApiServer.start();
  const clock = new FakeClock(at('00:10:00'));
  const handled = { lastScheduleTime: at('00:10:00'), handledThrough: at('00:10:00'), observedGeneration: 1 };
  const { metadata, ...object } = cronJob(spec, handled);
  server.put(cronJobs, { ...object, metadata: { namespace: RUN.namespace, name: metadata.name } });
  server.put(cronJobRuns, { metadata: RUN, spec: { cronJobName: 'hello', concurrencyPolicy: 'Obey', ...request } });
  const setUp = (manager: Parameters<typeof setupWithManager>[0]) =>
    setupCronJobRunsWithManager(manager, setupWithManager(manager));
  return {
    server,
    clock,
    startManager: () => startTestManager({ cluster: server, setUp, clock }),
    untilState: (reason: string) =>
      server.until(() => getCondition(server.get(cronJobRuns, RUN)?.status?.conditions, 'Complete')?.reason === reason),
    get jobCount(): number {
      return server.list(jobs).length;
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

test('Forbid: its own Job, created before a crash, does not make the run wait', async () => {
  await using world = await createWorld({ concurrencyPolicy: 'Forbid' }, { manual: {} });
  world.server.fail(STATUS_WRITES, SERVER_ERROR, Number.POSITIVE_INFINITY);
  const crashing = await world.startManager();
  await world.server.until(({ pendingFaults }) => pendingFaults > 0 && world.jobCount === 1);
  await crashing.stop();
  world.server.clearFaults();
  await using _ = await world.startManager();
  await world.untilState('Running');
  expect(world.server.get(cronJobRuns, RUN)?.status).toMatchObject({ active: 1, jobs: [{ result: 'Running' }] });
});

test('no run starts before the status shows the last one', async () => {
  await using world = await createWorld({}, { backfill: BACKFILL });
  world.server.fail(STATUS_WRITES, SERVER_ERROR, 3);
  await using _ = await world.startManager();
  const attempts = () => world.server.count(STATUS_WRITES);
  while (attempts() < 3) await world.clock.advance(1000);
  expect(world.jobCount).toBe(1);
  while (world.jobCount < BACKFILL.maxConcurrentRuns) await world.clock.advance(10_000);
});

test('a status that cannot be stored is written again after a back-off, also when the CronJobRun has expired', async () => {
  await using world = await createWorld({}, { manual: {}, ttlSecondsAfterFinished: 0 });
  await using _ = await world.startManager();
  await world.untilState('Running');
  world.server.fail(STATUS_WRITES, SERVER_ERROR, Number.POSITIVE_INFINITY);
  const before = world.server.count(STATUS_WRITES);
  const [job] = world.server.list(jobs);
  const completionTime = world.clock.now().toISOString();
  const conditions = [{ type: 'Complete', status: 'True', lastTransitionTime: completionTime }] as const;
  if (job) world.server.put(jobs, { ...job, status: { startTime: completionTime, completionTime, conditions } });
  await world.server.until(() => world.server.count(STATUS_WRITES) > before);
  for (let second = 0; second < 100; second++) await world.clock.advance(100);
  expect(world.server.count(STATUS_WRITES) - before).toBeLessThan(20);
});
