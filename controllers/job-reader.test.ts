import { ApiError } from 'controller-runtime';
import { FakeClock } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import type { Job } from '../api/kubernetes.ts';
import type { CronJob } from '../api/v1/cronjob-types.ts';
import { SCHEDULED_AT_ANNOTATION } from '../api/v1/groupversion.ts';
import { at, buildJob, cronJob, jobNameAt } from '../test/support/cron-jobs.ts';
import { ReconcilerHarness } from '../test/support/reconciler-harness.ts';
import { jobs as jobKind } from './resources.ts';

test('a slot whose Job was seen does not run again, when that reconcile could not look up another Job and both are gone then', async () => {
  const status = { observedGeneration: 1, active: [{ name: 'other', uid: 'other' }] };
  let stored = cronJob({}, { ...status, lastScheduleTime: at('01:00:00') });
  let found: readonly Job[] = [buildJob(at('02:00:00'), { state: 'Failed' })];
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
  };
  const harness = new ReconcilerHarness(client, new FakeClock(at('02:00:05')));

  expect(await harness.reconcile()).toMatchObject({ error: throttled });
  found = [];
  expect(await harness.reconcile()).not.toHaveProperty('error');
  expect(created).toEqual([]);
});

test.each([
  ['at once', false],
  ['and its status comes with a later reconcile', true],
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
    };
    const clock = new FakeClock(at('01:01:00'));
    const harness = new ReconcilerHarness(client, clock);
    await harness.reconcile();
    expect(stored.status).toMatchObject({ activeCount: 0, lastScheduleTime: at('01:00:00') });
    await clock.advance(60_000);
    await harness.reconcile({ othersComeFirst: isCrowded });
    await harness.reconcile();
    const [first = '', second = ''] = created;
    expect(looked).toContain(first);
    expect(created).toEqual([jobNameAt('01:01:00'), jobNameAt('01:02:00')]);
    expect(stored.status?.active?.map(({ name }) => name)).toEqual([first, second]);
    expect(stored.status).not.toHaveProperty('recentSkips');
  },
);

test('a finished run whose Job is not in the cache stays active until its Pods are gone', async () => {
  const clock = new FakeClock(at('01:00:00'));
  let stored = cronJob({ concurrencyPolicy: 'Queue' }, { observedGeneration: 1, lastScheduleTime: at('00:00:00') });
  let serverJob: Job | undefined;
  const created: string[] = [];
  const client = {
    get: async ({ kind }: { readonly kind: string }) => (kind === jobKind.kind ? serverJob : stored),
    list: async () => [],
    create: async (_kind: unknown, job: Job) => {
      created.push(job.metadata.name);
      serverJob = buildJob(job.metadata.annotations?.[SCHEDULED_AT_ANNOTATION] ?? '');
      return serverJob;
    },
    updateStatus: async (_kind: unknown, { status = {} }: CronJob) => {
      stored = { ...stored, status };
      return stored;
    },
  };
  const setFinished = (terminating: number) => {
    const finishedJob = buildJob(at('01:00:00'), { state: 'Complete' });
    serverJob = { ...finishedJob, status: { ...finishedJob.status, terminating } };
  };
  const harness = new ReconcilerHarness(client, clock);
  await harness.reconcile();
  setFinished(1);
  await harness.reconcile();
  await clock.advance(3_600_000);
  await harness.reconcile();
  expect(created).toEqual([jobNameAt('01:00:00')]);
  expect(stored.status).toMatchObject({ activeCount: 1, active: [{ name: jobNameAt('01:00:00') }] });
  setFinished(0);
  await harness.reconcile();
  expect(created).toEqual(['01:00:00', '02:00:00'].map(jobNameAt));
});
