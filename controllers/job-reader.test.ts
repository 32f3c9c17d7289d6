import { ApiError, type Client, type ReconcileContext } from 'controller-runtime';
import { FakeClock, RecordingLogger } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import type { Job } from '../api/kubernetes.ts';
import { at, cronJob, jobOf } from '../test/support/cron-jobs.ts';
import { CronJobReconciler } from './cronjob-controller.ts';
import { jobs as jobKind } from './resources.ts';

test('a slot whose Job was seen does not run again, when that pass could not look up another Job and both are gone then', async () => {
  const status = { observedGeneration: 1, active: [{ name: 'other', uid: 'other' }] };
  const given = cronJob({}, { ...status, lastScheduleTime: at('01:00:00') });
  let found: readonly Job[] = [jobOf(at('02:00:00'), { state: 'Failed' })];
  const created: unknown[] = [];
  const throttled = new ApiError(429, { reason: 'TooManyRequests' });
  const client = {
    get: async ({ kind }: { readonly kind: string }) => {
      if (kind !== jobKind.kind) return given;
      if (found.length > 0) throw throttled;
      return undefined;
    },
    list: async () => found,
    create: async (_: unknown, job: unknown) => created.push(job),
    updateStatus: async (_: unknown, object: unknown) => object,
  } as unknown as Client; // a pass makes no other calls here
  const clock = new FakeClock(at('02:00:05'));
  const metrics = { jobCreated() {}, slotsPassedOver() {}, runFinished() {}, startTimedOut() {} };
  const reads = { client, apiReader: client, cache: client };
  const reconciler = new CronJobReconciler({ ...reads, clock, metrics, recorder: { event() {} } });
  const context: ReconcileContext = {
    log: new RecordingLogger(),
    signal: new AbortController().signal,
    lowerPriority: () => true,
    othersWait: () => false,
  };
  const pass = () => reconciler.reconcile({ namespace: 'default', name: 'hello' }, context);

  expect(await pass()).toMatchObject({ error: throttled });
  found = [];
  expect(await pass()).not.toHaveProperty('error');
  expect(created).toEqual([]);
});
