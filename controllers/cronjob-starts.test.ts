/** What a pass does about Jobs that do not start. The checks themselves: job-start-checker.test.ts. */
import { ApiError, type Client, type KubernetesObject, LiveClient } from 'controller-runtime';
import { FakeClock, RecordingLogger, RecordingTransport } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import type { Job } from '../api/kubernetes.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { CoreWorld } from '../test/support/core-world.ts';
import { at, cronJob } from '../test/support/cron-jobs.ts';
import { SCHEDULE_SLACK_MS } from './cronjob/conclude.ts';
import { CronJobReconciler } from './cronjob-controller.ts';

const MINUTE_MS = 60_000;

/** A reconciler of one CronJob, on an API server that takes everything and has no Pods. */
class Scene {
  readonly clock = new FakeClock(at('01:10:00'));
  readonly transport = new RecordingTransport();
  readonly events: string[] = [];
  timedOut = 0;
  othersComeFirst = false;
  readonly #reconciler: CronJobReconciler;
  #world: CoreWorld;

  /** The Job of 01:00 has been active for ten minutes, of which the timeout is one. */
  constructor(startTimeoutSeconds?: number) {
    this.#world = new CoreWorld(cronJob(startTimeoutSeconds === undefined ? {} : { startTimeoutSeconds }));
    this.#world.pass(at('01:00:00'));
    this.#world.pass(at('01:00:01'));
    this.transport.answer = ({ method, body }) => (method === 'GET' ? { metadata: {}, items: [] } : body);
    const live = new LiveClient(this.transport, { fieldManager: 'tester' });
    const cached = {
      get: async (): Promise<CronJob> => this.#world.cronJob,
      list: async (): Promise<readonly Job[]> => this.#world.jobs,
      updateStatus: live.updateStatus.bind(live),
      patch: live.patch.bind(live),
      delete: live.delete.bind(live),
    } as unknown as Client; // nothing is created here
    this.#reconciler = new CronJobReconciler({
      client: cached,
      apiReader: live,
      cache: cached,
      recorder: {
        event: (_: KubernetesObject, __: string, reason: string, message: string) =>
          void this.events.push(`${reason}: ${message}`),
      },
      clock: this.clock,
      metrics: { jobCreated() {}, slotsSkipped() {}, runFinished() {}, startTimedOut: () => void this.timedOut++ },
    });
  }

  /** So that a pass has a status to write. */
  edit(): void {
    this.#world.edit({});
  }

  pass() {
    const { signal } = new AbortController();
    const context = {
      ...{ log: new RecordingLogger(), signal },
      ...{ lowerPriority: () => !this.othersComeFirst, othersWait: () => this.othersComeFirst },
    };
    return this.#reconciler.reconcile({ namespace: 'default', name: 'hello' }, context);
  }

  get methods(): readonly string[] {
    return this.transport.requests.map(({ method }) => method);
  }
}

test('a pass ends a Job that has not started in time, tells it and counts it, and sleeps until the next slot', async () => {
  const scene = new Scene(60);
  expect(await scene.pass()).toEqual({ requeueAfterMs: 50 * MINUTE_MS + SCHEDULE_SLACK_MS, retry: false });
  expect(scene.methods).toEqual(['GET', 'PATCH']);
  expect(scene.events).toEqual([
    'StartTimeout: Ended job hello-1767229200: no container started within 60 seconds; it has no Pod',
  ]);
  expect(scene.timedOut).toBe(1);
});

test('a pass asks for nothing more without a timeout', async () => {
  const scene = new Scene();
  await scene.pass();
  expect(scene.methods).toEqual([]);
});

test('a pass that leaves its status to the next one leaves the checks to it as well', async () => {
  const scene = new Scene(60);
  scene.edit();
  scene.othersComeFirst = true;
  expect(await scene.pass()).toMatchObject({ requeue: 'low' });
  expect(scene.methods).toEqual([]);
});

test('a check that failed is made again after its back-off', async () => {
  const scene = new Scene(60);
  const { answer } = scene.transport;
  scene.transport.answer = () => {
    throw new Error('no answer');
  };
  expect(await scene.pass()).toEqual({ requeueAfterMs: 5000, retry: false });
  scene.transport.answer = answer;
  await scene.clock.advance(5000);
  await scene.pass();
  expect([scene.methods, scene.timedOut]).toEqual([['GET', 'GET', 'PATCH'], 1]);
});

test('the Jobs of a CronJob that is gone are left to the garbage collector', async () => {
  const scene = new Scene(60);
  scene.edit();
  scene.transport.answer = () => {
    throw new ApiError(404, { reason: 'NotFound' });
  };
  await scene.pass();
  expect(scene.methods).toEqual(['PUT']);
});
