import { ApiError, type ApiRequest, LiveClient, ResponseTooLargeError } from 'controller-runtime';
import { FakeClock, RecordingLogger, RecordingTransport } from 'controller-runtime/testing';
import { describe, expect, test } from 'vitest';
import type { Job } from '../api/kubernetes.ts';
import { START_TIMEOUT_ANNOTATION } from '../api/v1/groupversion.ts';
import { buildJob, cronJob } from '../test/support/cron-jobs.ts';
import { throwing } from '../test/support/throwing.ts';
import { toRun } from './cronjob/job.ts';
import { listJobsToCheck } from './cronjob/start-timeout.ts';
import { JobStartChecker } from './job-start-checker.ts';

const KEY = 'default/hello';
const REFUSED = new ApiError(403, { message: 'forbidden' });
const CONFLICT = new ApiError(409, { reason: 'Conflict' });
const startedAt = (minute: number) => buildJob(new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString());
const nameOf = (job: Job) => job.metadata.name;
const uidOf = (job: Job) => job.metadata.uid;
const UNSTARTED = { metadata: { name: 'p' }, status: { phase: 'Pending' } };
const STARTED = {
  metadata: { name: 'p' },
  status: { containerStatuses: [{ restartCount: 0, state: { running: {} } }] },
};

class Scene {
  readonly clock = new FakeClock();
  readonly log = new RecordingLogger();
  readonly checker = new JobStartChecker(this.clock);
  readonly #transport = new RecordingTransport();
  /** The Pods of the Job with this UID. */
  podsOf = (_uid: string): readonly object[] => [UNSTARTED];
  /** Throws the error for a patch of the Job with this name. */
  patch = (_name: string) => {};
  /** Duration of each request. */
  takesMs = 0;

  constructor() {
    this.#transport.answer = async ({ method, path, query, body }: ApiRequest) => {
      await this.clock.advance(this.takesMs);
      if (method === 'GET')
        return { metadata: {}, items: this.podsOf(`${query?.['labelSelector']}`.split('=')[1] ?? '') };
      this.patch(path.split('/').at(-1) ?? '');
      return body;
    };
  }

  get requests(): readonly ApiRequest[] {
    return this.#transport.requests;
  }

  /** Number of lists of Pods, and of patches of Jobs. */
  get counts(): readonly [lists: number, patches: number] {
    const ofMethod = (method: string) => this.requests.filter((request) => request.method === method).length;
    return [ofMethod('GET'), ofMethod('PATCH')];
  }

  /** Checks Jobs that are all due, with a timeout of a minute. */
  check(
    jobs: readonly Job[],
    { signal = new AbortController().signal, startTimeoutSeconds = 60, now = '2026-01-02T00:00:00Z' } = {},
  ) {
    const client = new LiveClient(this.#transport, { fieldManager: 'tester' });
    const given = cronJob(startTimeoutSeconds === 0 ? {} : { startTimeoutSeconds });
    const due = listJobsToCheck({ cronJob: given, runs: jobs.map(toRun), now: new Date(now) });
    return this.checker.check(given, due, { client, apiReader: client, log: this.log, signal });
  }
}

const messageOf = (obstacle: string) => `no container started within 60 seconds; ${obstacle}`;
const ended = (job: Job, obstacle = 'its Pods do not say why') => ({
  jobName: nameOf(job),
  message: messageOf(obstacle),
});

describe('a Job without a started container', () => {
  test('is ended, as what it was, behind all that matters more', async () => {
    const scene = new Scene();
    const job = startedAt(1);
    expect(await scene.check([job])).toEqual({ ended: [ended(job)] });
    expect(scene.requests).toMatchObject([
      {
        method: 'GET',
        path: '/api/v1/namespaces/default/pods',
        query: { labelSelector: `batch.kubernetes.io/controller-uid=${uidOf(job)}`, limit: 500 },
        priority: 'background',
        timeoutMs: 5000,
        maxResponseBytes: 16 * 1024 * 1024,
      },
      {
        method: 'PATCH',
        path: `/apis/batch/v1/namespaces/default/jobs/${nameOf(job)}`,
        contentType: 'application/merge-patch+json',
        priority: 'background',
        timeoutMs: 5000,
        body: {
          metadata: {
            uid: uidOf(job),
            resourceVersion: '1',
            annotations: { [START_TIMEOUT_ANNOTATION]: messageOf('its Pods do not say why') },
          },
          spec: { activeDeadlineSeconds: 60 },
        },
      },
    ]);
    expect(scene.log.records).toMatchObject([{ message: 'ended Job that had not started in time' }]);
  });

  test('is ended once, though the cache is late', async () => {
    const scene = new Scene();
    await scene.check([startedAt(1)]);
    expect(await scene.check([startedAt(1)])).toEqual({ ended: [] });
    expect(scene.counts).toEqual([1, 1]);
  });

  test('and that is gone by then causes no error', async () => {
    const scene = new Scene();
    scene.patch = throwing(new ApiError(404, { reason: 'NotFound' }));
    expect(await scene.check([startedAt(1)])).toEqual({ ended: [] });
    expect(await scene.check([startedAt(1)])).toEqual({ ended: [] });
    expect(scene.counts).toEqual([1, 1]);
    expect(scene.log.errors).toEqual([]);
  });
});

describe('a Job with a started container', () => {
  const withStarted = () => {
    const scene = new Scene();
    scene.podsOf = () => [UNSTARTED, STARTED];
    return scene;
  };

  test('is not changed, and not checked again while it is active', async () => {
    const scene = withStarted();
    expect(await scene.check([startedAt(1)])).toEqual({ ended: [] });
    const ready = { ...startedAt(1), status: { ...startedAt(1).status, ready: 1 } };
    await scene.check([ready]);
    await scene.check([startedAt(1)]);
    expect(scene.counts).toEqual([1, 0]);
  });

  test('is not checked again when the timeout was removed and set again', async () => {
    const scene = withStarted();
    await scene.check([startedAt(1)]);
    await scene.check([startedAt(1)], { startTimeoutSeconds: 0 });
    await scene.check([startedAt(1)]);
    expect(scene.counts).toEqual([1, 0]);
  });

  test('a started Job is checked again when a queue has suspended and resumed it', async () => {
    const scene = withStarted();
    await scene.check([startedAt(1)]);
    const resumed = { ...startedAt(1), status: { startTime: '2026-01-01T05:00:00Z' } };
    await scene.check([resumed]);
    expect(scene.counts).toEqual([2, 0]);
  });
});

test('many Jobs are checked in small groups', async () => {
  const scene = new Scene();
  const jobs = Array.from({ length: 50 }, (_, minute) => startedAt(minute));
  const first = await scene.check(jobs);
  expect([first.ended.length, first.continueAfterMs]).toEqual([20, 1000]);
  await scene.check(jobs);
  expect(await scene.check(jobs)).toMatchObject({ ended: { length: 10 } });
  expect(scene.counts).toEqual([50, 50]);
});

test('a Job that has changed is soon checked again, without an event', async () => {
  const scene = new Scene();
  scene.patch = throwing(CONFLICT);
  expect(await scene.check([startedAt(1)])).toEqual({ ended: [], continueAfterMs: 5000 });
  expect(await scene.check([startedAt(1)])).toEqual({ ended: [], continueAfterMs: 5000 });
  expect([scene.counts, scene.log.errors]).toEqual([[1, 1], []]);
  scene.patch = () => {};
  await scene.clock.advance(5000);
  expect(await scene.check([startedAt(1)])).toEqual({ ended: [ended(startedAt(1))] });
});

describe('a permission that is missing', () => {
  const withoutPermission = () => {
    const scene = new Scene();
    scene.podsOf = throwing(REFUSED);
    return scene;
  };

  test('is reported once, and tried again after a long while', async () => {
    const scene = withoutPermission();
    const failure = { jobName: nameOf(startedAt(1)), message: 'forbidden' };
    expect(await scene.check([startedAt(1), startedAt(2)])).toEqual({ ended: [], failure, continueAfterMs: 300_000 });
    expect(scene.counts).toEqual([1, 0]);
    for (let minute = 1; minute < 60; minute++) {
      await scene.clock.advance(60_000);
      // Every other minute no Job needs a check, as runs end and others start.
      expect(await scene.check(minute % 2 === 0 ? [startedAt(minute)] : [])).not.toHaveProperty('failure');
    }
    expect(scene.counts[0]).toBeLessThanOrEqual(12);
  });

  test('is reported again when checks have worked in between', async () => {
    const scene = withoutPermission();
    await scene.check([startedAt(1)]);
    const { podsOf } = scene;
    scene.podsOf = () => [UNSTARTED];
    await scene.clock.advance(300_000);
    await scene.check([startedAt(1)]);
    scene.podsOf = podsOf;
    expect(await scene.check([startedAt(2)])).toHaveProperty('failure');
  });

  test('to end Jobs is reported too, and so is an answer that is too long', async () => {
    const scene = new Scene();
    scene.patch = throwing(REFUSED);
    expect(await scene.check([startedAt(1)])).toHaveProperty('failure', expect.anything());
    const other = new Scene();
    other.podsOf = throwing(new ResponseTooLargeError(200, 1));
    expect(await other.check([startedAt(1)])).toMatchObject({ failure: expect.anything(), continueAfterMs: 300_000 });
  });
});

test('an error of the API server is logged without an event, and its Retry-After is obeyed', async () => {
  const scene = new Scene();
  scene.podsOf = throwing(new ApiError(503, {}, 7000));
  expect(await scene.check([startedAt(1)])).toEqual({ ended: [], continueAfterMs: 7000 });
  expect(scene.log.errors).toHaveLength(1);
});

test('a CronJob that is gone leaves nothing behind', async () => {
  const scene = new Scene();
  scene.patch = throwing(REFUSED);
  await scene.check([startedAt(1)]);
  scene.checker.forget(KEY);
  expect(await scene.check([startedAt(1)])).toHaveProperty('failure');
});
