/** Objects that the API server may return although our types exclude them: absent fields, and absent or invalid times. */
import { stripNulls } from 'controller-runtime/internal';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import { parseTime } from '../../api/time.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { parseCronJob } from '../../api/v1/stored-cronjob.ts';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at, buildJob, cronJob } from '../../test/support/cron-jobs.ts';
import { conclude } from './conclude.ts';
import { decide } from './decide.ts';
import { assess } from './facts.ts';

const GARBAGE = ['', 'yesterday', 'slot 12', '0', '2026-13-45T00:00:00Z', '+275760-09-13T00:00:00Z', '2026-01-01'];

/** The times that a reconcile writes. */
function timesOf(status: CronJobStatus): readonly string[] {
  const { lastScheduleTime, lastSuccessfulTime, lastFailureTime, handledThrough, nextScheduleTime } = status;
  const since = status.effectiveSchedule?.since;
  return [lastScheduleTime, lastSuccessfulTime, lastFailureTime, handledThrough, nextScheduleTime, since].filter(
    (time) => time !== undefined,
  );
}

/** A Job of the slot that ended without a recorded time. */
function undated(slot: string, type: 'Complete' | 'Failed', time?: string | null): Job {
  const job = buildJob(slot);
  const condition = { type, status: 'True', ...(time === undefined ? {} : { lastTransitionTime: time }) };
  return stripNulls({ ...job, status: { startTime: slot, conditions: [condition] } }) as Job;
}

describe.each([
  ['Complete', 'Succeeded'],
  ['Failed', 'Failed'],
] as const)('a finished Job (%s) without a time', (type, result) => {
  test.each([undefined, null, ...GARBAGE])('(%j) shows its result and is pruned once that is stored', (time) => {
    const world = new CoreWorld(cronJob({ successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 }));
    expect(world.reconcile(at('01:00:00')).created).toHaveLength(1);
    world.jobs = [undated(at('01:00:00'), type, time)];
    const first = world.reconcile(at('01:10:00'), { losesStatus: true });
    expect(first).toMatchObject({ deleted: [], status: { activeCount: 0, lastRun: { result } } });
    expect(first.status.conditions?.find((each) => each.type === 'Degraded')?.reason).toBe(
      type === 'Failed' ? 'LastRunFailed' : 'AsExpected',
    );
    expect(first.status).not.toHaveProperty('active');
    expect(first.status.lastRun).not.toHaveProperty('completionTime');
    const second = world.reconcile(at('01:10:00'));
    expect(second.deleted).toEqual(['hello-1767229200']);
    expect(second.status.lastRun).toMatchObject({ jobName: 'hello-1767229200', result });
    expect(world.reconcile(at('01:10:01')).created).toEqual([]);
  });
});

test('of finished Jobs without a time the older go and the newer stay', () => {
  const world = new CoreWorld(cronJob({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 1 }));
  world.reconcile(at('00:30:00'));
  world.jobs = [
    undated(at('01:00:00'), 'Failed'),
    undated(at('02:00:00'), 'Failed'),
    undated(at('03:00:00'), 'Complete'),
    undated(at('04:00:00'), 'Complete'),
  ];
  expect(world.reconcile(at('04:30:00')).deleted).toEqual(['hello-1767236400', 'hello-1767229200']);
});

test.each(GARBAGE)('a time that is none (%j) is as one that is not there', (time) => {
  const given = parseCronJob({
    ...cronJob(
      {},
      {
        lastScheduleTime: time,
        handledThrough: time,
        lastSuccessfulTime: time,
        lastFailureTime: time,
        effectiveSchedule: { schedule: '0 * * * *', timeZone: 'UTC', since: time },
        conditions: [{ type: 'Available', status: 'True', reason: 'A', message: '', lastTransitionTime: time }],
      },
    ),
  });
  const world = new CoreWorld(given);
  world.jobs = [at('00:00:00'), at('01:00:00')].map((slot) => {
    const job = buildJob(slot, { state: 'Complete', startTime: time, endTime: time });
    return { ...job, metadata: { ...job.metadata, creationTimestamp: time } };
  });
  const { status } = world.reconcile(at('01:30:00'));
  expect(status).toMatchObject({
    lastScheduleTime: at('01:00:00'),
    effectiveSchedule: { since: at('00:00:00') },
    conditions: [{ type: 'Available', lastTransitionTime: at('01:30:00') }, {}, {}],
  });
  for (const text of [status.lastSuccessfulTime, status.lastRun?.startTime, status.lastRun?.completionTime]) {
    expect(text).toBeUndefined();
  }
});

test('a deadline below 0 starts nothing, as 0 does', () => {
  const world = new CoreWorld(cronJob({ startingDeadlineSeconds: -3600 }));
  const { decision, status } = world.reconcile(at('02:30:00'));
  expect(decision).toBe('NothingDue');
  expect(status).not.toHaveProperty('handledThrough');
});

test('a CronJob without a time of creation is in force from the first reconcile on', () => {
  const { creationTimestamp: _, ...metadata } = cronJob().metadata;
  const world = new CoreWorld({ ...cronJob(), metadata: metadata as CronJob['metadata'] });
  expect(world.reconcile(at('02:30:00'))).toMatchObject({
    created: [],
    status: { effectiveSchedule: { since: at('02:30:00') } },
  });
});

describe('a reconcile never throws, and stores no time that is none', () => {
  const anything = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom<unknown>(undefined, null, ...GARBAGE, at('01:00:00'), -1, 5, true, [], {}),
    },
    fc.jsonValue({ maxDepth: 2 }),
  );
  /** `whole`, with other values in some of its fields. */
  const odd = (whole: object) =>
    fc.dictionary(fc.constantFrom(...Object.keys(whole)), anything).map((changes) => ({ ...whole, ...changes }));
  const { metadata, spec, ...rest } = cronJob(
    { startingDeadlineSeconds: 600, timeZone: 'UTC' },
    {},
    {
      annotations: { 'batch.tutorial.kubebuilder.io/run-now': 'x' },
      managedFields: [{ time: at('00:30:00'), fieldsV1: {} }],
      ...{ labels: {}, ownerReferences: [], generation: 1 },
    },
  );
  const status = {
    active: [{ name: 'a', uid: 'b' }],
    conditions: [{ type: 'Available', status: 'True', reason: 'A', message: '', lastTransitionTime: at('00:00:00') }],
    effectiveSchedule: { schedule: '0 * * * *', timeZone: 'UTC', since: at('00:00:00') },
    lastRun: { jobName: 'a', result: 'Running' },
    ...{ lastScheduleTime: at('00:00:00'), handledThrough: at('00:00:00'), lastManualRun: 'a' },
    ...{ lastSuccessfulTime: at('00:00:00'), lastFailureTime: at('00:00:00') },
    failedStart: { jobName: 'a', reason: 'Refused', message: 'b' },
    reported: ['FailedStart/a/b'],
    observedGeneration: 1,
  };
  const cronJobs = fc
    .tuple(fc.oneof(odd(spec), anything), fc.oneof(odd(status), anything))
    .map(([oddSpec, oddStatus]) => ({ ...rest, metadata, spec: oddSpec, status: oddStatus }));
  const ended = buildJob(at('01:00:00'), { state: 'Failed' });
  const times = fc.constantFrom<unknown>(undefined, null, ...GARBAGE, at('01:00:00'));
  const jobs = fc
    .tuple(times, times, times, times, fc.boolean())
    .map(([startTime, completionTime, lastTransitionTime, slot, hasConditions]) => {
      const annotations = slot === null ? null : { 'batch.tutorial.kubebuilder.io/scheduled-at': slot };
      const conditions = hasConditions ? [{ type: 'Complete', status: 'True', lastTransitionTime }, null] : null;
      return {
        ...ended,
        metadata: { ...ended.metadata, annotations },
        status: { startTime, completionTime, conditions },
      };
    });

  test('whatever a CRD of the same kind has let in', () => {
    fc.assert(
      fc.property(cronJobs, fc.array(jobs, { maxLength: 2 }), (given, children) => {
        // As in the cache.
        const seen = parseCronJob(stripNulls(JSON.parse(JSON.stringify(given))) as CronJob);
        const observed = { cronJob: seen, jobs: stripNulls(JSON.parse(JSON.stringify(children))) as Job[] };
        const now = new Date(at('02:30:00'));
        const facts = assess(observed, now);
        const { status } = conclude(facts, decide(facts), { started: { kind: 'None' }, replaced: [] });
        for (const text of timesOf(status)) expect(parseTime(text)).toBeInstanceOf(Date);
        expect(parseCronJob(seen)).toBe(seen);
      }),
      { numRuns: 2000 },
    );
  });
});
