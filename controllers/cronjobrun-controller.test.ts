/** The calls of the controller of CronJobRuns, beside the controller of CronJobs, on an API server in memory. */
import type { Client, ReconcileContext, Resource } from 'controller-runtime';
import { discardLogger } from 'controller-runtime/internal';
import { core, getCondition } from 'controller-runtime/kubernetes';
import { FakeClock } from 'controller-runtime/testing';
import { describe, expect, test } from 'vitest';
import type { Job } from '../api/kubernetes.ts';
import type { CronJobRun, CronJobRunSpec } from '../api/v1/cronjobrun-types.ts';
import { CRON_JOB, CronJobRunWorld, NAMESPACE, RUN } from '../test/support/cron-job-run-world.ts';
import { assessWorld, cronJobRun, NOON, requestedJob } from '../test/support/cron-job-runs.ts';
import { at, buildJob, cronJob } from '../test/support/cron-jobs.ts';
import { concludeRun } from './cronjobrun/conclude.ts';
import { CronJobRunReconciler } from './cronjobrun-controller.ts';
import { RequestedStarts } from './requested-starts.ts';
import { cronJobRuns, cronJobs, jobs } from './resources.ts';

const MINUTE_MS = 60_000;

const BACKFILL = { order: 'OldestFirst', maxConcurrentRuns: 1, limit: 100 } as const;
const backfill = (endTime: string, options: Partial<NonNullable<CronJobRunSpec['backfill']>> = {}) => ({
  backfill: { ...BACKFILL, startTime: '2025-12-31T20:00:00Z', endTime, ...options },
});

describe('a manual run', () => {
  test('takes three writes: the Job, and the status at its start and end', async () => {
    await using world = await CronJobRunWorld.start();
    await using _ = await world.startManager();
    world.request({ manual: {} });
    await world.untilState('Running');
    expect(world.run?.status).toMatchObject({ total: 1, active: 1, jobs: [{ result: 'Running' }] });
    world.finishJobs();
    await world.untilState('Succeeded');
    expect(world.server.count({ verb: 'create', resource: jobs })).toBe(1);
    expect(world.server.count({ verb: 'update', resource: cronJobRuns, subresource: 'status' })).toBe(2);
  });

  test('is deleted after its time, and leaves its Job', async () => {
    await using world = await CronJobRunWorld.start();
    await using _ = await world.startManager();
    world.request({ manual: {}, ttlSecondsAfterFinished: 60 });
    const [name] = await world.runToEnd();
    await world.clock.advance(2 * MINUTE_MS);
    await world.server.until(() => world.run === undefined);
    expect(world.jobNames).toEqual([name]);
  });
});

describe('a backfill starts each slot exactly once', () => {
  const SLOTS = 4;

  test('in its order', async () => {
    await using world = await CronJobRunWorld.start({ requestedRunsHistoryLimit: 10 });
    await using _ = await world.startManager();
    world.request(backfill(at('00:00:00')));
    expect(await world.runToEnd()).toHaveLength(SLOTS);
    expect(world.run?.status).toMatchObject({ total: SLOTS, succeeded: SLOTS });
    expect(world.server.count({ verb: 'create', resource: jobs })).toBe(SLOTS);
  });

  test('a crash between each create and its status write repeats no slot', async () => {
    await using world = await CronJobRunWorld.start({ requestedRunsHistoryLimit: 10 });
    world.request(backfill(at('00:00:00')));
    for (let crash = 1; crash <= SLOTS; crash++) {
      // The API server creates the Job and stores no status, until the process ends.
      world.server.fail(
        { verb: 'update', resource: cronJobRuns },
        { kind: 'error', code: 500 },
        Number.POSITIVE_INFINITY,
      );
      const crashing = await world.startManager();
      await world.server.until(({ pendingFaults }) => pendingFaults > 0 && world.server.list(jobs).length >= crash);
      await crashing.stop();
      world.server.clearFaults();
      await using next = await world.startManager();
      await world.untilState('Running');
      await world.server.until(() => world.run?.status?.jobs?.length === crash);
      await next.stop();
      world.finishJobs();
    }
    await using _ = await world.startManager();
    await world.untilState('Succeeded');
    expect(world.jobNames).toHaveLength(SLOTS);
    expect(world.run?.status).toMatchObject({ total: SLOTS, succeeded: SLOTS, failed: 0 });
  });

  test('if its status cannot be stored while its Job is deleted', async () => {
    await using world = await CronJobRunWorld.start();
    world.server.fail({ verb: 'update', resource: cronJobRuns }, { kind: 'error', code: 500 }, 3);
    await using _ = await world.startManager();
    world.request({ manual: {} });
    await world.server.until(() => world.jobNames.length === 1);
    world.server.remove(jobs, { namespace: NAMESPACE, name: world.jobNames[0] ?? '' });
    for (let attempt = 0; attempt < 5; attempt++) await world.clock.advance(2 * MINUTE_MS);
    await world.untilState('RunsFailed');
    expect(world.server.count({ verb: 'create', resource: jobs })).toBe(1);
    expect(world.run?.status).toMatchObject({ failed: 1, jobs: [{ result: 'Unknown', reason: 'JobDeleted' }] });
  });
});

test('a result is counted and reported once, although the responses to the status are lost', async () => {
  await using world = await CronJobRunWorld.start();
  await using running = await world.startManager();
  world.request({ manual: {} });
  await world.untilState('Running');
  world.server.fail({ verb: 'update', resource: cronJobRuns }, { kind: 'cutAnswer' }, Number.POSITIVE_INFINITY);
  world.finishJobs();
  await world.untilState('Succeeded');
  world.server.clearFaults();
  const ofRun = ({ involvedObject }: { readonly involvedObject: { readonly kind?: string } }) =>
    involvedObject.kind === 'CronJobRun';
  const reasons = () =>
    world.server
      .list(core.v1.events)
      .filter(ofRun)
      .map(({ reason }) => reason);
  while (!reasons().includes('Succeeded')) await world.clock.advance(10_000);
  expect(reasons().toSorted()).toEqual(['Succeeded', 'SuccessfulCreate']);
  const { body } = await running.manager.metrics.registry.render();
  expect(body).toContain('cronjobrun_controller_runs_total{result="Succeeded"} 1\n');
});

test('a status that could not be stored, and that is no longer needed, starts one more reconcile and not an endless loop', async () => {
  const run = cronJobRun({ manual: {} });
  const facts = assessWorld({ run });
  const [start = expect.fail('no run')] = facts.remaining;
  const { status: _, ...job } = requestedJob(run, start.jobName);
  const { status } = concludeRun(facts, { kind: 'Tried', start, result: { kind: 'Created', job } });
  const lost = { ...status, conditions: status.conditions?.map((each) => ({ ...each, message: 'waiting' })) };
  const objects: Readonly<Record<string, unknown>> = {
    [cronJobRuns.plural]: { ...run, status },
    [cronJobs.plural]: cronJob(),
    [jobs.plural]: job,
  };
  const client = { get: async ({ plural }: Resource) => objects[plural] } as unknown as Client;
  const reconciler = new CronJobRunReconciler({
    ...{ client, apiReader: client, clock: new FakeClock(NOON), recorder: { event() {} } },
    metrics: { recordResults() {} },
    observer: { observe: async () => expect.fail('nothing has to start') },
    requestedStarts: new RequestedStarts(),
    unstoredStatuses: new Map([['default/again', { uid: run.metadata.uid, status: lost, base: {} }]]),
  });
  const { signal } = new AbortController();
  const context = { log: discardLogger, signal } as unknown as ReconcileContext;
  const requeues = [];
  for (let count = 0; count < 2; count++) requeues.push((await reconciler.reconcile(RUN, context)).requeue);
  expect(requeues).toEqual(['normal', undefined]);
});

test('the result of a Job counts although the Job is deleted as soon as it ends', async () => {
  await using world = await CronJobRunWorld.start();
  await using _ = await world.startManager();
  world.request({ manual: {} });
  await world.untilState('Running');
  const [name = ''] = world.jobNames;
  world.finishJobs();
  world.server.remove(jobs, { namespace: NAMESPACE, name });
  await world.untilState('Succeeded');
});

describe('the history', () => {
  test('keeps requestedRunsHistoryLimit Jobs, beside the history of the schedule', async () => {
    await using world = await CronJobRunWorld.start({ requestedRunsHistoryLimit: 1 });
    await using _ = await world.startManager();
    world.request(backfill(at('00:00:00')));
    await world.runToEnd();
    await world.server.until(() => world.jobNames.length === 1);
    expect(world.run?.status).toMatchObject({ succeeded: 4 });
  });

  test('keeps a Job until the status has its result', async () => {
    await using world = await CronJobRunWorld.start({ requestedRunsHistoryLimit: 0 });
    await using _ = await world.startManager();
    world.request({ manual: {} });
    await world.untilState('Running');
    world.server.fail(
      { verb: 'update', resource: cronJobRuns },
      { kind: 'error', code: 500 },
      Number.POSITIVE_INFINITY,
    );
    world.finishJobs();
    await world.server.until(() => world.server.get(cronJobs, CRON_JOB)?.status?.lastSuccessfulTime !== undefined);
    const attempts = () => world.server.count({ verb: 'update', resource: cronJobRuns });
    for (const before = attempts(); attempts() < before + 3; ) await world.clock.advance(10_000);
    expect(world.jobNames).toHaveLength(1);
    world.server.clearFaults();
    while (world.run?.status?.succeeded !== 1) await world.clock.advance(10_000); // the back-off of the status
    await world.server.until(() => world.jobNames.length === 0); // without another event
  });

  test('is also limited after the CronJobRun was deleted', async () => {
    await using world = await CronJobRunWorld.start({ requestedRunsHistoryLimit: 0 });
    {
      await using _ = await world.startManager();
      world.server.fail({ verb: 'delete', resource: jobs }, { kind: 'error', code: 500 }, Number.POSITIVE_INFINITY);
      world.request({ manual: {} });
      await world.runToEnd();
    }
    world.server.clearFaults();
    world.server.remove(cronJobRuns, RUN);
    await using _ = await world.startManager();
    await world.server.until(() => world.jobNames.length === 0);
  });

  test.each(['kept', 'deleted'])(
    'is shortened as soon as the limit is lowered, with its CronJobRun %s',
    async (what) => {
      await using world = await CronJobRunWorld.start({ requestedRunsHistoryLimit: 10 });
      await using _ = await world.startManager();
      world.request(backfill(at('00:00:00')));
      await world.runToEnd();
      if (what === 'deleted') world.server.remove(cronJobRuns, RUN);
      const { spec, ...object } = world.server.get(cronJobs, CRON_JOB) ?? expect.fail('no CronJob');
      world.server.put(cronJobs, { ...object, spec: { ...spec, requestedRunsHistoryLimit: 1 } });
      await world.server.until(() => world.jobNames.length === 1);
    },
  );
});

describe('beside the schedule', () => {
  test('Forbid: neither a run of the schedule nor a requested run overlaps another', async () => {
    await using world = await CronJobRunWorld.start({
      schedule: '* * * * *',
      concurrencyPolicy: 'Forbid',
      requestedRunsHistoryLimit: 50,
    });
    await using _ = await world.startManager();
    world.request(backfill(at('00:00:00'), { startTime: '2025-12-31T23:50:00Z' }));
    let mostActive = 0;
    const watching = world.server.until(() => {
      mostActive = Math.max(mostActive, world.activeJobs.length);
      return getCondition(world.run?.status?.conditions, 'Complete')?.reason === 'Succeeded';
    });
    let isDone = false;
    void watching.then(() => {
      isDone = true;
    });
    while (!isDone) {
      await world.clock.advance(MINUTE_MS / 2);
      while (!isDone && world.activeJobs.length === 0) await world.clock.advance(100);
      world.finishJobs();
    }
    await watching;
    expect(mostActive).toBe(1);
    expect(world.run?.status).toMatchObject({ total: 10, succeeded: 10 });
    expect(world.jobNames.some((name) => /^hello-\d+$/.test(name))).toBe(true);
  });

  test('Forbid: a run of the schedule waits for a requested run that the cache does not contain yet', async () => {
    await using world = await CronJobRunWorld.start({ schedule: '* * * * *', concurrencyPolicy: 'Forbid' });
    world.server.fail({ verb: 'watch', resource: jobs }, { kind: 'silence' });
    await using _ = await world.startManager();
    world.request({ manual: {} });
    await world.untilState('Running');
    await world.clock.advance(2 * MINUTE_MS);
    await world.server.until(() => world.server.get(cronJobs, CRON_JOB)?.status?.activeCount === 1);
    expect(world.jobNames).toEqual([expect.stringMatching(/^hello-r/)]);
  });

  test('CronJobs run although the API server does not serve CronJobRuns', async () => {
    await using world = await CronJobRunWorld.start({ schedule: '* * * * *' });
    world.server.fail({ resource: cronJobRuns }, { kind: 'error', code: 404 }, Number.POSITIVE_INFINITY);
    await using _ = await world.startManager();
    await world.clock.advance(2 * MINUTE_MS);
    await world.server.until(() => world.jobNames.length > 0);
  });
});

test('a deleted CronJobRun starts nothing more', async () => {
  await using world = await CronJobRunWorld.start();
  await using _ = await world.startManager();
  world.request(backfill(at('00:00:00')));
  await world.untilState('Running');
  world.server.remove(cronJobRuns, RUN);
  world.request({ manual: {} }, 'other');
  const other = () => world.server.get(cronJobRuns, { namespace: NAMESPACE, name: 'other' })?.status;
  // The watch delivers the deletion before the other CronJobRun.
  await world.server.until(() => other()?.active === 1);
  world.finishJobs();
  await world.server.until(() => other()?.succeeded === 1);
  expect(world.jobNames).toHaveLength(2);
});

test('Replace: a run waits, and replaces no Job, while a Job of the CronJob cannot be read', async () => {
  const run = cronJobRun({ manual: {} });
  const active = buildJob(at('11:00:00'));
  const owner = cronJob({ concurrencyPolicy: 'Replace' }, { lastScheduleTime: at('12:00:00') });
  const calls: string[] = [];
  const reconcile = async (failure?: { readonly error: unknown }) => {
    const objects: Readonly<Record<string, unknown>> = { [cronJobRuns.plural]: run, [cronJobs.plural]: owner };
    const client = {
      get: async ({ plural }: Resource) => objects[plural],
      list: async () => [],
      delete: async () => calls.push('delete'),
      create: async (_: Resource, job: Job) => calls.push('create') && job,
      updateStatus: async (_: Resource, { status }: CronJobRun) =>
        calls.push(getCondition(status?.conditions, 'Complete')?.reason ?? ''),
    } as unknown as Client;
    const reconciler = new CronJobRunReconciler({
      ...{ client, apiReader: client, clock: new FakeClock(NOON), recorder: { event() {} } },
      metrics: { recordResults() {} },
      observer: { observe: async () => ({ cronJob: owner, jobs: [active], ...(failure && { failure }) }) },
      requestedStarts: new RequestedStarts(),
    });
    const context = { log: discardLogger, signal: new AbortController().signal } as unknown as ReconcileContext;
    await reconciler.reconcile(RUN, context);
    return calls.splice(0);
  };
  expect(await reconcile({ error: new Error('the API server returned 500') })).toEqual(['Waiting']);
  expect(await reconcile()).toEqual(['delete', 'create', 'Running']);
});
