/** How a reconcile handles Jobs that do not start. job-start-checker.test.ts tests the checks themselves. */
import { ApiError, LiveClient } from 'controller-runtime';
import { FakeClock, RecordingTransport } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { CoreWorld } from '../test/support/core-world.ts';
import { at, cronJob } from '../test/support/cron-jobs.ts';
import { ReconcilerHarness } from '../test/support/reconciler-harness.ts';
import { throwing } from '../test/support/throwing.ts';
import { SCHEDULE_SLACK_MS } from './cronjob/conclude.ts';

const MINUTE_MS = 60_000;

/** One CronJob, on an API server that accepts every request and has no Pods. Its Job has been active for ten minutes. */
function sceneOf(startTimeoutSeconds?: number) {
  const clock = new FakeClock(at('01:10:00'));
  const transport = new RecordingTransport();
  const world = new CoreWorld(cronJob(startTimeoutSeconds === undefined ? {} : { startTimeoutSeconds }));
  world.reconcile(at('01:00:00'));
  world.reconcile(at('01:00:01'));
  transport.answer = ({ method, body }) => (method === 'GET' ? { metadata: {}, items: [] } : body);
  const live = new LiveClient(transport, { fieldManager: 'tester' });
  const client = {
    get: async () => world.cronJob,
    list: async () => world.jobs,
    updateStatus: live.updateStatus.bind(live),
    patch: live.patch.bind(live),
  };
  const harness = new ReconcilerHarness(client, clock, { apiReader: live });
  return { clock, transport, world, harness, methods: () => transport.requests.map(({ method }) => method) };
}

test('a reconcile ends a Job that has not started in time, tells it and counts it, and sleeps until the next slot', async () => {
  const scene = sceneOf(60);
  expect(await scene.harness.reconcile()).toEqual({ requeueAfterMs: 50 * MINUTE_MS + SCHEDULE_SLACK_MS, retry: false });
  expect(scene.methods()).toEqual(['GET', 'PATCH']);
  expect(scene.harness.reasons).toEqual(['StartTimeout']);
  expect(scene.harness.messages).toEqual([
    'Ended job hello-1767229200: no container started within 60 seconds; it has no Pod',
  ]);
  expect(scene.harness.startTimeouts).toBe(1);
});

test('a reconcile asks for nothing more without a timeout', async () => {
  const scene = sceneOf();
  await scene.harness.reconcile();
  expect(scene.methods()).toEqual([]);
});

test('a reconcile that leaves its status to the next one leaves the checks to it as well', async () => {
  const scene = sceneOf(60);
  scene.world.edit({}); // a reconcile has a status to write
  expect(await scene.harness.reconcile({ othersComeFirst: true })).toMatchObject({ requeue: 'low' });
  expect(scene.methods()).toEqual([]);
});

test('a check that failed is made again after its back-off', async () => {
  const scene = sceneOf(60);
  const { answer } = scene.transport;
  scene.transport.answer = throwing(new Error('no answer'));
  expect(await scene.harness.reconcile()).toEqual({ requeueAfterMs: 5000, retry: false });
  scene.transport.answer = answer;
  await scene.clock.advance(5000);
  await scene.harness.reconcile();
  expect([scene.methods(), scene.harness.startTimeouts]).toEqual([['GET', 'GET', 'PATCH'], 1]);
});

test('the Jobs of a CronJob that is gone are left to the garbage collector', async () => {
  const scene = sceneOf(60);
  scene.world.edit({}); // a reconcile has a status to write
  scene.transport.answer = throwing(new ApiError(404, { reason: 'NotFound' }));
  await scene.harness.reconcile();
  expect(scene.methods()).toEqual(['PUT']);
});
