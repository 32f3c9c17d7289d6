/** Which of several CronJobRuns starts a run, and what stops a run that waits for its turn. */
import { getCondition } from 'controller-runtime/kubernetes';
import { expect, test } from 'vitest';
import { REQUESTED_BY_ANNOTATION } from '../api/v1/groupversion.ts';
import { CRON_JOB, CronJobRunWorld, NAMESPACE } from '../test/support/cron-job-run-world.ts';
import { cronJob } from '../test/support/cron-jobs.ts';
import { cronJobRuns, cronJobs, jobs } from './resources.ts';

/** Three slots of the hourly CronJob. */
const BACKFILL = {
  startTime: '2025-12-31T20:00:00Z',
  endTime: '2025-12-31T23:00:00Z',
  order: 'OldestFirst',
  maxConcurrentRuns: 1,
  limit: 100,
} as const;

test.each(['suspended', 'deleted'] as const)(
  'a CronJobRun that is %s before its turn starts nothing',
  async (change) => {
    await using world = await CronJobRunWorld.start();
    const { metadata, ...other } = cronJob();
    world.server.put(cronJobs, { ...other, metadata: { namespace: NAMESPACE, name: 'other' } });
    const create = Promise.withResolvers<void>();
    world.server.fail({ verb: 'create', resource: jobs }, { kind: 'hold', until: create.promise });
    for (const name of ['one', 'two']) world.request({ manual: {} }, name);
    await using _ = await world.startManager();
    await world.server.until(({ pendingFaults }) => pendingFaults === 0);
    for (const name of ['one', 'two']) {
      if (change === 'suspended') world.request({ manual: {}, suspend: true }, name);
      else world.server.remove(cronJobRuns, { namespace: NAMESPACE, name });
    }
    // The watch delivers these changes before a later CronJobRun.
    world.request({ manual: {}, cronJobName: 'other' }, 'later');
    await world.untilState('Running', 'later');
    create.resolve();
    await world.server.until(() => world.jobNames.length === 2);
    world.request({ manual: {} }, 'last');
    await world.untilState('Running', 'last');
    expect(world.jobNames).toHaveLength(3);
  },
);

test('a CronJobRun starts nothing if its CronJob is being deleted before its turn', async () => {
  await using world = await CronJobRunWorld.start();
  const { metadata, ...other } = cronJob();
  const { metadata: stored, ...object } = world.server.get(cronJobs, CRON_JOB) ?? expect.fail('no CronJob');
  world.server.put(cronJobs, { ...object, metadata: { ...stored, finalizers: ['example.com/keep'] } });
  const create = Promise.withResolvers<void>();
  world.server.fail({ verb: 'create', resource: jobs }, { kind: 'hold', until: create.promise });
  for (const name of ['one', 'two']) world.request({ manual: {} }, name);
  await using running = await world.startManager();
  await world.server.until(({ pendingFaults }) => pendingFaults === 0);
  await running.manager.client.delete(cronJobs, CRON_JOB); // the finalizer keeps it
  // The watch delivers the deletion before a later CronJob.
  world.server.put(cronJobs, { ...other, metadata: { namespace: NAMESPACE, name: 'later' } });
  const later = () => world.server.get(cronJobs, { namespace: NAMESPACE, name: 'later' });
  await world.server.until(() => later()?.status?.conditions !== undefined);
  create.resolve();
  await world.untilState('CronJobDeleted', 'two');
  expect(world.jobNames).toHaveLength(1);
});

test('Forbid: CronJobRuns take turns, so a manual run does not wait for a backfill', async () => {
  await using world = await CronJobRunWorld.start({ concurrencyPolicy: 'Forbid', requestedRunsHistoryLimit: 10 });
  await using _ = await world.startManager();
  const requests = { long: { backfill: BACKFILL }, also: { backfill: BACKFILL }, short: { manual: {} } };
  for (const [name, spec] of Object.entries(requests)) {
    world.request(spec, name);
    await world.untilState(name === 'long' ? 'Running' : 'Waiting', name);
    await world.clock.advance(1000);
  }
  const states = () =>
    world.server.list(cronJobRuns).map(({ status }) => getCondition(status?.conditions, 'Complete')?.reason);
  const order: (string | undefined)[] = [];
  while (order.length < 7) {
    // One run is active, and the others wait or have ended.
    await world.server.until(
      () => world.activeJobs.length === 1 && states().filter((state) => state === 'Running').length === 1,
    );
    order.push(world.activeJobs[0]?.metadata.annotations?.[REQUESTED_BY_ANNOTATION]);
    world.finishJobs();
  }
  expect(order).toEqual(['long', 'also', 'short', 'long', 'also', 'long', 'also']);
});

test('Replace: a backfill ends no run of another backfill', async () => {
  await using world = await CronJobRunWorld.start({ concurrencyPolicy: 'Replace', requestedRunsHistoryLimit: 10 });
  await using _ = await world.startManager();
  world.request({ backfill: BACKFILL }, 'one');
  await world.untilState('Running', 'one');
  // A run may be replaced as soon as the status of the CronJob lists it.
  await world.server.until(() => world.server.get(cronJobs, CRON_JOB)?.status?.recentRuns?.length === 1);
  world.request({ backfill: BACKFILL }, 'two');
  await world.untilState('Waiting', 'two');
  await world.server.until(() => {
    if (world.activeJobs.length > 0) queueMicrotask(() => world.finishJobs());
    return world.server.list(cronJobRuns).every(({ status }) => status?.completionTime !== undefined);
  });
  expect(world.server.list(cronJobRuns).map(({ status }) => status?.succeeded)).toEqual([3, 3]);
});
