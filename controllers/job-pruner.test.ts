import { ApiError, type ApiRequest, LiveClient } from 'controller-runtime';
import { FakeClock, RecordingLogger, RecordingTransport } from 'controller-runtime/testing';
import { describe, expect, test } from 'vitest';
import { buildJob } from '../test/support/cron-jobs.ts';
import { Housekeeping } from './housekeeping.ts';
import { PRUNING_OPTIONS, pruneJobs } from './job-pruner.ts';

const KEY = 'default/hello';
const finished = (minute: number) =>
  buildJob(new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(), { state: 'Complete' });

class Scene {
  readonly clock = new FakeClock();
  readonly log = new RecordingLogger();
  readonly pruning = new Housekeeping(this.clock, PRUNING_OPTIONS);
  readonly #transport = new RecordingTransport();
  /** Whether the API server refuses to delete the Job with this name. */
  refuses = (_name: string) => false;
  refusal = new ApiError(403, { message: 'forbidden' });
  /** Duration of each delete. */
  takesMs = 0;

  constructor() {
    this.#transport.answer = async ({ path }: ApiRequest) => {
      await this.clock.advance(this.takesMs);
      if (this.refuses(path.split('/').at(-1) ?? '')) throw this.refusal;
    };
  }

  get requests(): readonly ApiRequest[] {
    return this.#transport.requests;
  }

  prune(jobs: readonly ReturnType<typeof finished>[], signal = new AbortController().signal) {
    const client = new LiveClient(this.#transport, { fieldManager: 'tester' });
    const cache = { get: async () => undefined };
    const context = { client, apiReader: client, cache, log: this.log, signal };
    return pruneJobs(KEY, jobs, this.pruning, context);
  }
}

describe('finished Jobs', () => {
  test('are deleted behind all that matters more, with their pods, and only as what they were', async () => {
    const scene = new Scene();
    const jobs = [finished(1), finished(2)];
    expect(await scene.prune(jobs)).toEqual({ deleted: jobs });
    expect(scene.requests).toMatchObject(
      jobs.map(({ metadata: { uid, name } }) => ({
        path: `/apis/batch/v1/namespaces/default/jobs/${name}`,
        priority: 'background',
        timeoutMs: 5000,
        body: { propagationPolicy: 'Background', preconditions: { uid } },
      })),
    );
    expect(scene.pruning.remainingMs(KEY)).toBeUndefined();
  });
});

test('deletes that take long end soon, and what is left comes with a later reconcile', async () => {
  const scene = new Scene();
  scene.takesMs = 4000;
  const { deleted } = await scene.prune([finished(1), finished(2), finished(3), finished(4)]);
  expect(deleted).toEqual([finished(1), finished(2)]);
});

test('a delete that the stop of the manager interrupts is not a failure', async () => {
  const scene = new Scene();
  const stop = new AbortController();
  scene.refuses = () => {
    stop.abort(new Error('leadership lost'));
    throw stop.signal.reason;
  };
  expect(await scene.prune([finished(1), finished(2)], stop.signal)).toEqual({ deleted: [] });
  expect(scene.log.errors).toEqual([]);
});

describe('a delete that is refused', () => {
  test('ends the reconcile of deletes, and is reported once', async () => {
    const scene = new Scene();
    scene.refuses = () => true;
    const jobs = [finished(1), finished(2), finished(3)];
    const failure = { jobName: finished(1).metadata.name, message: 'forbidden' };
    expect(await scene.prune(jobs)).toEqual({ deleted: [], failure });
    expect(scene.requests).toHaveLength(1);
    expect(scene.pruning.remainingMs(KEY)).toBe(300_000);
    expect(await scene.prune(jobs)).toEqual({ deleted: [] });
    expect(scene.requests).toHaveLength(1);
    await scene.clock.advance(300_000);
    expect(await scene.prune(jobs)).toEqual({ deleted: [] });
    expect(scene.requests).toHaveLength(2);
    expect(scene.log.errors).toHaveLength(2);
  });

  test('is repeated five times an hour at most, though Jobs go by themselves in between', async () => {
    const scene = new Scene();
    scene.refuses = () => true;
    for (let minute = 0; minute < 60; minute++) {
      await scene.prune(minute % 2 === 0 ? [finished(minute)] : []);
      await scene.clock.advance(60_000);
    }
    expect(scene.requests.length).toBeLessThanOrEqual(5);
  });

  test('does not keep the other Jobs', async () => {
    const scene = new Scene();
    const [kept, ...others] = [finished(1), finished(2), finished(3)] as const;
    scene.refuses = (name) => name === kept.metadata.name;
    await scene.prune([kept, ...others]);
    await scene.clock.advance(300_000);
    expect((await scene.prune([kept, ...others])).deleted).toEqual(others);
    expect(scene.pruning.remainingMs(KEY)).toBe(600_000);
  });

  test('comes last again though more Jobs wait than one reconcile deletes, and is not reported again', async () => {
    const scene = new Scene();
    const jobs = Array.from({ length: 1000 }, (_, minute) => finished(minute));
    const [kept] = jobs;
    scene.refuses = (name) => name === kept?.metadata.name;
    await scene.prune(jobs);
    await scene.clock.advance(300_000);
    const first = await scene.prune(jobs);
    const second = await scene.prune(jobs.filter((job) => !first.deleted.includes(job)));
    expect([first, second]).toEqual([{ deleted: jobs.slice(1, 51) }, { deleted: jobs.slice(51, 101) }]);
    expect(scene.pruning.remainingMs(KEY)).toBeUndefined();
  });

  test('is reported again when deletes have worked in between', async () => {
    const scene = new Scene();
    scene.refuses = () => true;
    await scene.prune([finished(1)]);
    await scene.clock.advance(300_000);
    scene.refuses = () => false;
    await scene.prune([finished(1)]);
    scene.refuses = () => true;
    expect(await scene.prune([finished(2)])).toHaveProperty('failure');
  });
});

test('a Job that is gone already is deleted', async () => {
  const scene = new Scene();
  scene.refusal = new ApiError(404, { reason: 'NotFound' });
  scene.refuses = () => true;
  const pruned = await scene.prune([finished(1)]);
  expect(pruned).toEqual({ deleted: [finished(1)] });
  expect(scene.log.errors).toEqual([]);
});
