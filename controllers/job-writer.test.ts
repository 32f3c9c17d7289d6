import { ApiError, type ApiRequest, LiveClient } from 'controller-runtime';
import { FakeClock, RecordingLogger, RecordingTransport } from 'controller-runtime/testing';
import { describe, expect, test } from 'vitest';
import type { Job } from '../api/kubernetes.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { at, buildJob, cronJob, jobNameAt } from '../test/support/cron-jobs.ts';
import { throwing } from '../test/support/throwing.ts';
import { type Decision, decide } from './cronjob/decide.ts';
import { assess, type Observation } from './cronjob/facts.ts';
import { JobWriter } from './job-writer.ts';

const KEY = 'default/hello';
const pathOf = (time: string) => `/apis/batch/v1/namespaces/default/jobs/${jobNameAt(time)}`;
const decided = (observed: Observation) => decide(assess(observed, new Date(at('02:00:00'))));
const notFound = new ApiError(404, { reason: 'NotFound' });
const alreadyExists = new ApiError(409, { reason: 'AlreadyExists' });
const causes = [{ reason: 'NamespaceTerminating' }];
const terminating = new ApiError(403, { message: 'going', details: { causes } });

type Answers = Partial<Record<ApiRequest['method'], (request: ApiRequest) => unknown>>;

/** A writer on an API server with the given responses; by default it accepts every request. */
class Scene {
  readonly clock = new FakeClock();
  readonly transport = new RecordingTransport();
  readonly writer = new JobWriter(this.clock);
  readonly #client = new LiveClient(this.transport, { fieldManager: 'tester' });

  constructor(answer: RecordingTransport['answer'] = ({ body }) => body) {
    this.transport.answer = answer;
  }

  start(decision: Decision) {
    const client = this.#client;
    const context = { client, apiReader: client, log: new RecordingLogger(), signal: new AbortController().signal };
    return this.writer.start(KEY, decision, context);
  }
}

/** Starts the run that is due at 02:00. */
async function carriedOut(given: CronJob, jobs: readonly Job[], answers: Answers = {}) {
  const scene = new Scene((request) => answers[request.method]?.(request) ?? request.body);
  const applied = await scene.start(decided({ cronJob: given, jobs }));
  return { ...applied, requests: scene.transport.requests };
}

describe('a create', () => {
  test('goes before all other requests that wait', async () => {
    const { started, requests } = await carriedOut(cronJob(), []);
    expect(started).toMatchObject({ kind: 'Created', job: { metadata: { name: jobNameAt('02:00:00') } } });
    expect(requests).toMatchObject([{ method: 'POST', priority: 'urgent' }]);
  });

  test.each([
    ['Refused', 'a quota is used up', new ApiError(403, { message: 'exceeded quota' })],
    ['Refused', 'the Job is invalid', new ApiError(422, { message: 'invalid' })],
    ['Transient', 'the quota changed meanwhile', new ApiError(409, { reason: 'Conflict', message: 'changed' })],
    ['Transient', 'there are too many requests', new ApiError(429, { message: 'later' })],
    ['NamespaceTerminating', 'the namespace goes away', terminating],
  ])('fails for a reason that is %s when %s', async (kind, _, error) => {
    const { started } = await carriedOut(cronJob(), [], { POST: throwing(error) });
    expect(started).toEqual({
      kind: 'Failed',
      failure: { kind, jobName: jobNameAt('02:00:00'), message: error.message },
    });
  });

  test.each([
    ['the server is in trouble', new ApiError(503, { message: 'not now' })],
    ['there is no answer', new Error('socket hang up')],
  ])('may have stored the Job when %s', async (_, error) => {
    const { started } = await carriedOut(cronJob(), [], { POST: throwing(error) });
    expect(started).toEqual({
      kind: 'Failed',
      failure: { kind: 'Transient', jobName: jobNameAt('02:00:00'), message: error.message, mayExist: true },
    });
  });

  test('hands on the wait that the server asked for', async () => {
    const { started } = await carriedOut(cronJob(), [], { POST: throwing(new ApiError(429, {}, 7000)) });
    expect(started).toMatchObject({ failure: { retryAfterMs: 7000 } });
  });

  test('finds the Job of an earlier reconcile, and adopts it', async () => {
    const job = buildJob(at('02:00:00'));
    const { started, requests } = await carriedOut(cronJob(), [], {
      POST: throwing(alreadyExists),
      GET: () => job,
    });
    expect(started).toEqual({ kind: 'Adopted', job });
    expect(requests.at(-1)).toMatchObject({ method: 'GET', path: pathOf('02:00:00') });
  });

  test.each([
    ['of another owner', buildJob(at('02:00:00'), { ownerUid: 'another' })],
    [
      'without an owner',
      { ...buildJob(at('02:00:00')), metadata: { ...buildJob(at('02:00:00')).metadata, ownerReferences: [] } },
    ],
  ])('finds a Job %s, and leaves it alone', async (_, job) => {
    const { started } = await carriedOut(cronJob(), [], { POST: throwing(alreadyExists), GET: () => job });
    expect(started).toEqual({ kind: 'Foreign', jobName: jobNameAt('02:00:00') });
  });

  test('is tried again when the Job that was in its way is gone', async () => {
    const answers = { POST: throwing(alreadyExists), GET: throwing(notFound) };
    expect((await carriedOut(cronJob(), [], answers)).started).toMatchObject({ failure: { kind: 'Transient' } });
  });
});

describe('runs that are replaced', () => {
  const active = ['00:00:00', '01:00:00'].map((time) => buildJob(at(time)));
  const given = { ...cronJob({ concurrencyPolicy: 'Replace' }), status: { lastScheduleTime: at('01:00:00') } };

  test('are deleted before the new one is created, with their pods, and only as what they were', async () => {
    const { started, replaced, requests } = await carriedOut(given, active);
    expect(requests.map(({ method }) => method)).toEqual(['DELETE', 'DELETE', 'POST']);
    expect(requests.map(({ priority }) => priority)).toEqual(['urgent', 'urgent', 'urgent']);
    expect(requests.slice(0, 2).map(({ body }) => body)).toMatchObject(
      active.map(({ metadata: { uid } }) => ({ propagationPolicy: 'Background', preconditions: { uid } })),
    );
    expect({ started: started.kind, replaced }).toEqual({ started: 'Created', replaced: active });
  });

  test.each([
    ['another Job has its name', { ...active[0], metadata: { ...active[0]?.metadata, uid: 'other' } }, 'Created'],
    ['it is still there', active[0], 'Failed'],
  ])('may conflict: %s', async (_, found, kind) => {
    const conflict = new ApiError(409, { reason: 'Conflict' });
    const { started, gone } = await carriedOut(given, active, { DELETE: throwing(conflict), GET: () => found });
    expect({ kind: started.kind, gone }).toEqual({ kind, gone: kind === 'Created' ? active : [] });
  });

  test('may be gone already', async () => {
    const { started, replaced, gone } = await carriedOut(given, active, { DELETE: throwing(notFound) });
    expect({ started: started.kind, replaced, gone }).toEqual({ started: 'Created', replaced: [], gone: active });
  });

  test.each([
    ['refused', new ApiError(403, { message: 'forbidden' }), 240_000],
    ['not carried out', new ApiError(503, { message: 'not now' }), undefined],
  ])('hold up the new one when a delete is %s, and the rest wait', async (_, error, retryAfterMs) => {
    const DELETE = ({ path }: ApiRequest) => {
      if (path === pathOf('00:00:00')) throw error;
    };
    const { started, replaced, requests } = await carriedOut(given, active, { DELETE });
    expect(started).toEqual({
      kind: 'Failed',
      failure: {
        kind: 'DeleteFailed',
        jobName: jobNameAt('00:00:00'),
        message: error.message,
        ...(retryAfterMs && { retryAfterMs }),
      },
    });
    expect(replaced).toEqual([]);
    expect(requests.map(({ method }) => method)).toEqual(['DELETE']);
  });

  test('that may not be deleted are left alone for a while, whatever slot is due', async () => {
    const scene = new Scene(throwing(new ApiError(403, { message: 'forbidden' })));
    const { clock, transport } = scene;
    const decision = decided({ cronJob: given, jobs: active });
    const start = async () => (await scene.start(decision)).started;
    const refused = await start();
    await clock.advance(60_000);
    expect(await start()).toMatchObject({ failure: { message: 'forbidden', retryAfterMs: 180_000 } });
    expect(transport.requests).toHaveLength(1);
    await clock.advance(180_000);
    expect(await start()).toMatchObject({ ...refused, failure: { retryAfterMs: 480_000 } });
    transport.answer = ({ body }) => body;
    await clock.advance(480_000);
    expect((await start()).kind).toBe('Created');
  });

  test('and end by themselves leave the next ones no more deletes: ten an hour are the most of a CronJob', async () => {
    const scene = new Scene(({ method, body }) => {
      if (method === 'DELETE') throw new ApiError(403, { message: 'forbidden' });
      return body;
    });
    for (let minute = 0; minute < 60; minute++) {
      await scene.start(decided({ cronJob: given, jobs: minute % 2 === 0 ? active : [] }));
      await scene.clock.advance(60_000);
    }
    expect(scene.transport.requests.filter(({ method }) => method === 'DELETE').length).toBeLessThanOrEqual(5);
  });
});

describe('creates that failed', () => {
  const started = async (scene: Scene, time: string, answer: RecordingTransport['answer']) => {
    scene.transport.answer = answer;
    await scene.start(decide(assess({ cronJob: cronJob(), jobs: [] }, new Date(at(time)))));
  };
  const refused = throwing(new ApiError(403, { message: 'exceeded quota' }));
  const unanswered = throwing(new Error('socket hang up'));

  test('are remembered by name, and those without an answer are looked up once', async () => {
    const scene = new Scene();
    const { writer } = scene;
    await started(scene, '01:00:00', refused);
    await started(scene, '02:00:00', unanswered);
    expect(writer.failedJobs(KEY)).toEqual([jobNameAt('01:00:00'), jobNameAt('02:00:00')]);
    expect(writer.uncertainJobs(KEY)).toEqual([jobNameAt('02:00:00')]);
    writer.markLookedUp(KEY);
    expect(writer.uncertainJobs(KEY)).toEqual([]);
    expect(writer.failedJobs(KEY)).toHaveLength(2);
  });

  test('go on until a run starts, of whatever slot', async () => {
    const scene = new Scene();
    const { writer } = scene;
    expect(writer.isFailing(KEY)).toBe(false);
    await started(scene, '01:00:00', refused);
    expect(writer.isFailing(KEY)).toBe(true);
    await started(scene, '02:00:00', () => buildJob(at('02:00:00')));
    expect(writer.isFailing(KEY)).toBe(false);
  });

  test('are the newest two, until one succeeds or the CronJob is gone', async () => {
    const scene = new Scene();
    const { writer } = scene;
    for (const time of ['01:00:00', '02:00:00', '03:00:00']) await started(scene, time, unanswered);
    expect(writer.failedJobs(KEY)).toEqual([jobNameAt('02:00:00'), jobNameAt('03:00:00')]);
    await started(scene, '03:00:00', () => buildJob(at('03:00:00')));
    expect(writer.failedJobs(KEY)).toEqual([jobNameAt('02:00:00')]);
    await started(scene, '04:00:00', unanswered);
    writer.forget(KEY);
    expect([writer.failedJobs(KEY), writer.isFailing(KEY)]).toEqual([[], false]);
    writer.markLookedUp(KEY);
  });
});
