/** What the shell adds to the core and to its calls. test/envtest shows the results in a cluster. */
import { ApiError, type Client, LiveClient, type ReadOptions } from 'controller-runtime';
import { type Cache, CachedClient } from 'controller-runtime/internal';
import { FakeClock, RecordingTransport } from 'controller-runtime/testing';
import { stableDelayMs } from 'kubernetes-cron-schedule';
import { describe, expect, test } from 'vitest';
import type { Job } from '../api/kubernetes.ts';
import { formatTime } from '../api/time.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { CoreWorld } from '../test/support/core-world.ts';
import { at, buildJob, cronJob } from '../test/support/cron-jobs.ts';
import { ReconcilerHarness } from '../test/support/reconciler-harness.ts';
import { throwing } from '../test/support/throwing.ts';
import { SCHEDULE_SLACK_MS } from './cronjob/conclude.ts';
import { createJobWatchOptions, mapJobToCronJob } from './cronjob-controller.ts';
import { RequestedStarts } from './requested-starts.ts';
import { cronJobs } from './resources.ts';

/** One reconcile of the objects in the cache, on an API server with the given responses. By default it accepts every request. */
async function reconciled(
  given: { readonly cronJob: CronJob; readonly jobs?: readonly Job[]; readonly now: string },
  answer: RecordingTransport['answer'] = ({ body }) => body,
  options: Parameters<ReconcilerHarness['reconcile']>[0] = {},
) {
  const transport = new RecordingTransport();
  transport.answer = answer;
  const live = new LiveClient(transport, { fieldManager: 'tester' });
  const client = {
    get: async () => given.cronJob,
    list: async () => given.jobs ?? [],
    create: live.create.bind(live),
    updateStatus: live.updateStatus.bind(live),
    delete: live.delete.bind(live),
  };
  const harness = new ReconcilerHarness(client, new FakeClock(at(given.now)), { apiReader: live });
  const result = await harness.reconcile(options);
  const { reasons, createdSlots, skips, log } = harness;
  return { result, reasons, createdSlots, skips, log, requests: transport.requests };
}

/** An API server that refuses the status and accepts every other request. */
const refuseStatus =
  (error: Error): RecordingTransport['answer'] =>
  ({ path, body }) => {
    if (path.endsWith('/status')) throw error;
    return body;
  };

describe('a reconcile', () => {
  test('of a CronJob that is gone forgets the starts of CronJobRuns', async () => {
    const requestedStarts = new RequestedStarts();
    requestedStarts.add('default/hello', 'hello-r1');
    const client = { get: async () => undefined };
    const harness = new ReconcilerHarness(client, new FakeClock(at('02:00:00')), { requestedStarts });
    expect(await harness.reconcile()).toEqual({});
    expect(requestedStarts.has('default/hello')).toBe(false);
  });

  test('that is aborted aborts what it reads', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const noting =
      <T>(found: T) =>
      async (...call: readonly unknown[]) => {
        signals.push((call.at(-1) as ReadOptions).signal);
        return found;
      };
    // A reconcile of a suspended CronJob only reads, until it writes the status.
    const client = { get: noting(cronJob({ suspend: true })), list: noting([]) };
    const harness = new ReconcilerHarness(client, new FakeClock(at('02:00:00')));
    await harness.reconcile();
    expect(signals).toEqual([harness.signal, harness.signal]);
  });

  test('reports and counts what it did and saw, once the status is stored', async () => {
    const given = cronJob({ startingDeadlineSeconds: 60 });
    const now = '02:00:00';
    const answer: RecordingTransport['answer'] = ({ path, body }) =>
      path.endsWith('/jobs')
        ? { ...(body as Job), metadata: { ...(body as Job).metadata, creationTimestamp: at(now) } }
        : body;
    const { result, reasons, createdSlots, skips, log } = await reconciled({ cronJob: given, now }, answer);
    expect(result).toMatchObject({ retry: false });
    expect(reasons).toEqual(['SuccessfulCreate', 'MissSchedule']);
    const logged = log.records.filter(({ message }) => message === 'recorded event');
    expect(logged.map(({ level, fields }) => `${level} ${fields['reason']}`)).toEqual([
      'debug SuccessfulCreate',
      'info MissSchedule',
    ]);
    expect(createdSlots).toEqual([new Date(at('02:00:00'))]);
    expect(skips).toEqual([{ reason: 'DeadlineExceeded', count: 1 }]);
  });

  test('the skew of a delayed run counts from its delayed start', async () => {
    const given = cronJob({ jitterSeconds: 600 });
    const start = new Date(Date.parse(at('01:00:00')) + stableDelayMs(given.metadata.uid, 600));
    const now = formatTime(start).slice(11, -1);
    expect((await reconciled({ cronJob: given, now })).createdSlots).toEqual([start]);
  });

  test.each([
    ['another client wrote it', new ApiError(409, { reason: 'Conflict' }), 0],
    ['the server is in trouble', new ApiError(503, {}), 1],
  ])(
    'is made again when the status cannot be stored because %s; events of what its Job proves are sent',
    async (_, error, logged) => {
      const given = cronJob({ startingDeadlineSeconds: 60 });
      const outcome = await reconciled({ cronJob: given, now: '02:00:00' }, refuseStatus(error));
      expect(outcome.result).toMatchObject({ requeueAfterMs: 5 });
      expect(outcome.reasons).toEqual(['SuccessfulCreate', 'MissSchedule']);
      expect(outcome.skips).toEqual([]);
      expect(outcome.log.errors).toHaveLength(logged);
    },
  );

  test.each([
    ['started a Job', '01:00:00', ['POST'], ['SuccessfulCreate'], 60],
    ['has only a status to write', '00:10:00', [], [], 50],
  ])(
    'a reconcile that %s leaves the status write to a later reconcile while other CronJobs are due',
    async (_, now, methods, reasons, minutes) => {
      const outcome = await reconciled({ cronJob: cronJob(), now }, undefined, { othersComeFirst: true });
      expect(outcome.result).toEqual({
        requeue: 'low',
        requeueAfterMs: minutes * 60_000 + SCHEDULE_SLACK_MS,
        retry: false,
      });
      expect(outcome.requests.map(({ method }) => method)).toEqual(methods);
      expect(outcome.reasons).toEqual(reasons);
    },
  );
});

describe('an active Job that the cache has not', () => {
  /** The status names the Job of 01:00 as active. */
  function running(): CronJob {
    const world = new CoreWorld();
    world.reconcile(at('01:00:00'));
    return world.cronJob;
  }

  test('is looked for on the API server', async () => {
    const { reasons } = await reconciled({ cronJob: running(), now: '01:10:00' }, ({ method, body }) =>
      method === 'GET' ? buildJob(at('01:00:00')) : body,
    );
    expect(reasons).toEqual([]);
  });

  test('an active Job is missing when the API server has no such Job', async () => {
    const gone = reconciled({ cronJob: running(), now: '01:10:00' }, ({ method, body }) => {
      if (method === 'GET') throw new ApiError(404, {});
      return body;
    });
    expect((await gone).reasons).toEqual(['MissingJob']);
    const another = buildJob(at('01:00:00'), { ownerUid: 'another' });
    const successor = { ...another, metadata: { ...another.metadata, uid: 'created after it' } };
    const replaced = await reconciled({ cronJob: running(), now: '01:10:00' }, ({ method, body }) =>
      method === 'GET' ? successor : body,
    );
    expect(replaced.reasons).toEqual(['MissingJob']);
    const status = replaced.requests.find(({ method }) => method === 'PUT')?.body;
    expect(status).toMatchObject({ status: { activeCount: 0 } });
  });
});

describe('history', () => {
  function finishedRun() {
    const world = new CoreWorld(cronJob({ successfulJobsHistoryLimit: 0 }));
    world.reconcile(at('01:00:00'));
    world.finish(at('01:00:01'));
    return { cronJob: world.cronJob, jobs: world.jobs, now: '01:00:02' };
  }

  test('is cleaned up in the reconcile that stores the result, after the status', async () => {
    const { requests, reasons } = await reconciled(finishedRun());
    expect(requests.map(({ method }) => method)).toEqual(['PUT', 'DELETE']);
    expect(reasons).toEqual(['SawCompletedJob', 'SuccessfulDelete']);
  });

  test('is left to the next reconcile while other CronJobs wait', async () => {
    const { requests, reasons, result } = await reconciled(finishedRun(), undefined, { othersWait: true });
    expect(requests.map(({ method }) => method)).toEqual(['PUT']);
    expect(reasons).toEqual(['SawCompletedJob']);
    expect(result).toMatchObject({ requeue: 'low', retry: false });
  });
});

test('a reconcile that cannot look at its Jobs fails, and still says when its next slot is', async () => {
  const world = new CoreWorld();
  world.reconcile(at('01:00:00'));
  const fault = new ApiError(503, {});
  const { result } = await reconciled({ cronJob: world.cronJob, now: '01:10:00' }, throwing(fault));
  expect(result).toEqual({ error: fault, requeueAfterMs: 50 * 60_000 + SCHEDULE_SLACK_MS, retry: false });
});

test('a CronJob that has to be read again is read for the run that may be due, until the reconcile is aborted', async () => {
  const informer = { addEventHandler() {}, store: new Map<string, never>() };
  const cached = { has: () => true, get: async () => undefined, informerFor: () => informer };
  const transport = new RecordingTransport();
  const live = new LiveClient(transport, { fieldManager: 'tester' });
  const client = new CachedClient(cached as unknown as Cache, live);
  transport.answer = throwing(new Error('no answer'));
  await expect(client.updateStatus(cronJobs, { ...cronJob(), status: {} })).rejects.toThrow('no answer');
  const harness = new ReconcilerHarness(client, new FakeClock(at('01:00:00')), { apiReader: live, cache: cached });
  await harness.reconcile();
  expect(transport.requests.at(-1)).toMatchObject({ method: 'GET', priority: 'urgent', signal: harness.signal });
});

test('a Job whose create got no response is looked up by the next reconcile, although a CronJobRun has looked it up', async () => {
  const created: string[] = [];
  const job = buildJob(at('01:00:00'));
  const client = {
    get: async () => cronJob({ concurrencyPolicy: 'Forbid' }),
    list: async () => [], // the cache is late
    create: async (_: unknown, { metadata }: Job) => {
      created.push(metadata.name);
      throw new Error('no response');
    },
    updateStatus: async (_: unknown, object: unknown) => object,
  } as unknown as Client;
  const apiReader = {
    get: async (_: unknown, { name }: { name: string }) => (name === job.metadata.name ? job : undefined),
  };
  const clock = new FakeClock(at('01:00:00'));
  const readers = { apiReader: apiReader as unknown as Client };
  const harness = new ReconcilerHarness(client, clock, readers);
  await harness.reconcile();
  const { signal } = harness;
  await harness.reconciler.observe(cronJob({ concurrencyPolicy: 'Forbid' }), { client, ...readers, signal });
  await clock.advance(3_600_000);
  await harness.reconcile();
  expect(created).toEqual([job.metadata.name]);
});

describe('a change of a Job', () => {
  const ofPolicy = (concurrencyPolicy: 'Allow' | 'Forbid' | 'Replace') =>
    createJobWatchOptions({ get: (key) => (key === 'default/hello' ? cronJob({ concurrencyPolicy }) : undefined) })
      .priority;

  test.each([
    ['Allow', 'low'],
    ['Replace', 'low'],
    ['Forbid', 'normal'],
  ] as const)('under %s has %s priority: a run may wait for it, or only the status', (policy, priority) => {
    expect(ofPolicy(policy)(buildJob(at('01:00:00')))).toBe(priority);
  });

  test('has low priority when its CronJob is gone, or it has none', () => {
    const job = buildJob(at('01:00:00'));
    const { ownerReferences: _, ...metadata } = job.metadata;
    expect(ofPolicy('Forbid')({ ...job, metadata })).toBe('low');
    expect(ofPolicy('Forbid')({ ...job, metadata: { ...job.metadata, namespace: 'other' } })).toBe('low');
  });

  test('starts no reconcile of a CronJob that the cache does not have, because another manager runs it', () => {
    const job = buildJob(at('01:00:00'));
    expect(mapJobToCronJob({ get: () => cronJob() })(job)).toEqual([{ namespace: 'default', name: 'hello' }]);
    expect(mapJobToCronJob({ get: () => undefined })(job)).toEqual([]);
  });

  test('starts a reconcile of the CronJob that lists it as active, when it has lost its owner', () => {
    const listed = buildJob(at('01:00:00'), { ownerUid: 'another' });
    const status = { active: [{ uid: listed.metadata.uid }] };
    const lookup = { get: (key: string) => (key === 'default/hello' ? cronJob({}, status) : undefined) };
    const requestsOf = (job: Job) =>
      mapJobToCronJob(lookup)({ ...job, metadata: { ...job.metadata, ownerReferences: [] } });
    expect(requestsOf(listed)).toEqual([{ namespace: 'default', name: 'hello' }]);
    expect(requestsOf(buildJob(at('02:00:00')))).toEqual([]);
    expect(requestsOf({ ...listed, metadata: { ...listed.metadata, name: 'hello' } })).toEqual([]);
    expect(requestsOf({ ...listed, metadata: { ...listed.metadata, name: '-' } })).toEqual([]);
  });
});
