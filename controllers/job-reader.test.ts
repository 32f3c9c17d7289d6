import { ApiError, type Client, type ReconcileContext } from 'controller-runtime';
import { FakeClock, RecordingLogger } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import type { Job } from '../api/kubernetes.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { at, cronJob, jobOf } from '../test/support/cron-jobs.ts';
import { CronJobReconciler } from './cronjob-controller.ts';
import { jobs as jobKind } from './resources.ts';

test('a slot whose Job was seen does not run again, when that pass could not look up another Job and both are gone then', async () => {
  const status = { observedGeneration: 1, active: [{ name: 'other', uid: 'other' }] };
  let stored = cronJob({}, { ...status, lastScheduleTime: at('01:00:00') });
  let found: readonly Job[] = [jobOf(at('02:00:00'), { state: 'Failed' })];
  const created: unknown[] = [];
  const throttled = new ApiError(429, { reason: 'TooManyRequests' });
  const client = {
    get: async ({ kind }: { readonly kind: string }) => {
      if (kind !== jobKind.kind) return stored;
      if (found.length > 0) throw throttled;
      return undefined;
    },
    list: async () => found,
    create: async (_: unknown, job: unknown) => created.push(job),
    updateStatus: async (_: unknown, { status: sent = {} }: CronJob) => {
      stored = { ...stored, status: sent };
      return stored;
    },
  } as unknown as Client; // a pass makes no other calls here
  const clock = new FakeClock(at('02:00:05'));
  const metrics = { jobCreated() {}, slotsSkipped() {}, runFinished() {}, startTimedOut() {} };
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

test.each([
  ['at once', false],
  ['and its status comes with a later pass', true],
])(
  'a run whose create got no answer is found before the next one, though the cache does not have it: %s',
  async (_, isCrowded) => {
    let stored = cronJob({ schedule: '* * * * *' }, { observedGeneration: 1, lastScheduleTime: at('01:00:00') });
    const exists = new Map<string, Job>();
    const created: string[] = [];
    const looked: string[] = [];
    const client = {
      get: async ({ kind }: { readonly kind: string }, { name }: { readonly name: string }) => {
        if (kind !== jobKind.kind) return stored;
        looked.push(name);
        return exists.get(name);
      },
      list: async () => [],
      create: async (_kind: unknown, job: Job) => {
        const { name } = job.metadata;
        const metadata = { ...job.metadata, uid: `uid-of-${name}`, creationTimestamp: at('01:01:00') };
        created.push(name);
        exists.set(name, { ...job, metadata });
        if (created.length === 1) throw new Error('socket hang up');
        return exists.get(name);
      },
      updateStatus: async (_kind: unknown, { status = {} }: CronJob) => {
        stored = { ...stored, status };
        return stored;
      },
    } as unknown as Client; // a pass makes no other calls here
    const clock = new FakeClock(at('01:01:00'));
    const metrics = { jobCreated() {}, slotsSkipped() {}, runFinished() {}, startTimedOut() {} };
    const reads = { client, apiReader: client, cache: client };
    const reconciler = new CronJobReconciler({ ...reads, clock, metrics, recorder: { event() {} } });
    const pass = (othersWait: boolean) =>
      reconciler.reconcile(
        { namespace: 'default', name: 'hello' },
        { log: new RecordingLogger(), signal, lowerPriority: () => !othersWait, othersWait: () => othersWait },
      );
    const { signal } = new AbortController();
    await pass(false);
    expect(stored.status).toMatchObject({ activeCount: 0, lastScheduleTime: at('01:00:00') });
    await clock.advance(60_000);
    await pass(isCrowded);
    await pass(false);
    const [first = '', second = ''] = created;
    expect(looked).toContain(first);
    expect(created).toEqual([nameAt('01:01:00'), nameAt('01:02:00')]);
    expect(stored.status?.active?.map(({ name }) => name)).toEqual([first, second]);
    expect(stored.status).not.toHaveProperty('recentSkips');
  },
);

const nameAt = (time: string) => `hello-${Date.parse(at(time)) / 1000}`;
