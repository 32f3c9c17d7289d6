/**
 * Cases in which Kubernetes or the kubebuilder tutorial has a pitfall, and this controller does not. docs/differences.md has the
 * list.
 */
import { describe, expect, test } from 'vitest';
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at, buildJob, cronJob, jobNameAt } from '../../test/support/cron-jobs.ts';
import { getControllingCronJobUid } from './job.ts';

const minutely = (spec: Partial<CronJobSpec> = {}) => new CoreWorld(cronJob({ schedule: '* * * * *', ...spec }));

test("better: without timeZone a schedule is read in UTC, whatever the process's own zone", () => {
  const zone = process.env['TZ'];
  process.env['TZ'] = 'Asia/Tokyo';
  try {
    const world = new CoreWorld(cronJob({ schedule: '0 9 * * *' }));
    expect(world.reconcile(at('00:30:00'))).toMatchObject({
      created: [],
      status: { nextScheduleTime: at('09:00:00') },
    });
    expect(world.reconcile(at('09:00:00')).created).toEqual([jobNameAt('09:00:00')]);
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});

test('better: late starts, restarts and missed times do not move the scheduled times of @every', () => {
  const world = new CoreWorld(cronJob({ schedule: '@every 7m' }));
  expect(world.reconcile(at('00:07:00')).created).toEqual([jobNameAt('00:07:00')]);
  expect(world.reconcile(at('00:17:23')).created).toEqual([jobNameAt('00:14:00')]);
  expect(world.reconcile(at('00:42:01')).created).toEqual([jobNameAt('00:42:00')]);
  expect(world.reconcile(at('00:42:02')).status.nextScheduleTime).toBe(at('00:49:00'));
});

test('better: the owner of a Job is found by UID and kind, not by name', () => {
  const job = buildJob(at('01:00:00'));
  expect(getControllingCronJobUid(job)).toBe(cronJob().metadata.uid);
  const [owner] = job.metadata.ownerReferences ?? [];
  if (!owner) throw new Error('no owner');
  const ownedBy = (other: Partial<typeof owner>) =>
    getControllingCronJobUid({ metadata: { ...job.metadata, ownerReferences: [{ ...owner, ...other }] } });
  expect(ownedBy({ apiVersion: 'batch/v1' })).toBeUndefined();
  expect(ownedBy({ apiVersion: 'batch.tutorial.kubebuilder.io.example.org/v1' })).toBeUndefined();
  expect(ownedBy({ kind: 'Job' })).toBeUndefined();
  expect(ownedBy({ controller: false })).toBeUndefined();
  expect(ownedBy({ uid: 'of-its-predecessor' })).toBe('of-its-predecessor');
});

describe('better: a slot whose Job is gone never runs again', () => {
  test('finished and pruned across a crash: it stays until the status accounts for it', () => {
    const world = minutely({ successfulJobsHistoryLimit: 0 });
    world.reconcile(at('00:01:00'), { crashes: true });
    world.finish(at('00:01:10'));
    expect(world.reconcile(at('00:01:11'), { crashes: true }).deleted).toEqual([]);
    expect(world.reconcile(at('00:01:13'))).toMatchObject({ created: [], deleted: [jobNameAt('00:01:00')] });
    expect(world.reconcile(at('00:01:14')).created).toEqual([]);
  });
});

test('better: an owned Job proves that its slot ran, even after a crash', () => {
  for (const concurrencyPolicy of ['Allow', 'Forbid', 'Replace'] as const) {
    const world = minutely({ concurrencyPolicy });
    world.reconcile(at('00:01:00'), { crashes: true });
    expect(world.reconcile(at('00:01:30'))).toMatchObject({
      created: [],
      deleted: [],
      reasons: [],
      status: { lastScheduleTime: at('00:01:00'), activeCount: 1 },
    });
  }
});

test('better: an edit of the schedule or its zone never starts a run by itself (kubernetes issue 63371)', () => {
  const world = new CoreWorld(cronJob({ schedule: '0 23 * * *' }));
  world.reconcile(at('12:00:00'));
  world.edit({ schedule: '0 * * * *' });
  expect(world.reconcile(at('12:30:00'))).toMatchObject({ created: [], status: { nextScheduleTime: at('13:00:00') } });
  world.edit({ timeZone: 'Asia/Kolkata' });
  expect(world.reconcile(at('12:31:00'))).toMatchObject({ created: [], status: { nextScheduleTime: at('13:30:00') } });
});

test('better: an edit counts while suspended and while unparseable, so that fixing it starts nothing old', () => {
  const world = new CoreWorld(cronJob({ schedule: '0 23 * * *', suspend: true }));
  world.reconcile(at('10:00:00'));
  world.edit({ schedule: '0 * * * *' });
  world.reconcile(at('12:30:00'));
  world.edit({ suspend: false });
  expect(world.reconcile(at('12:45:00')).created).toEqual([]);
  world.edit({ schedule: 'every day' });
  world.reconcile(at('12:50:00'));
  world.edit({ schedule: '0 * * * *' });
  expect(world.reconcile(at('13:30:00')).created).toEqual([]);
});

test('better: more than 100 missed times do not stop a CronJob for ever', () => {
  const world = minutely();
  expect(world.reconcile(at('05:00:00'))).toMatchObject({ created: [], status: { handledThrough: at('05:00:00') } });
  expect(world.reconcile(at('05:01:00')).created).toEqual([jobNameAt('05:01:00')]);
});

describe('better: an event reports a slot whose deadline has passed', () => {
  test('once', () => {
    const world = new CoreWorld(cronJob({ startingDeadlineSeconds: 60 }));
    expect(world.reconcile(at('02:30:00'))).toMatchObject({
      events: [
        { type: 'Warning', reason: 'MissSchedule', message: `Missed scheduled time to start a job: ${at('02:00:00')}` },
      ],
      status: { handledThrough: at('02:00:00') },
    });
    expect(world.reconcile(at('02:31:00')).reasons).toEqual([]);
  });

  test('when it waited for another run to end', () => {
    const world = new CoreWorld(cronJob({ startingDeadlineSeconds: 60, concurrencyPolicy: 'Forbid' }));
    world.reconcile(at('01:00:00'));
    const { requeueAfterMs } = world.reconcile(at('02:00:00'));
    expect(requeueAfterMs).toBe(60_002);
    expect(world.reconcile('2026-01-01T02:01:00.002Z').reasons).toEqual(['MissSchedule']);
    world.finish(at('02:02:00'));
    expect(world.reconcile(at('02:02:01'))).toMatchObject({ created: [], reasons: ['SawCompletedJob'] });
  });
});

describe('better: slots that cannot start never pile up to more than 100', () => {
  test('under Forbid', () => {
    const world = minutely({ concurrencyPolicy: 'Forbid' });
    world.reconcile(at('00:01:00'));
    for (let minute = 2; minute < 200; minute++) {
      const time = new Date(Date.parse(at('00:00:00')) + minute * 60_000).toISOString();
      expect(world.reconcile(time).decision).toBe('Blocked');
    }
    world.finish(at('03:19:30'));
    expect(world.reconcile(at('03:19:31')).created).toEqual([jobNameAt('03:19:00')]);
  });
});

test('better: taking the time zone away starts no run, though the API server notes no time for that', () => {
  const schedule = (fields: object) => [{ time: '2025-12-30T00:00:00Z', fieldsV1: { 'f:spec': fields } }];
  const world = new CoreWorld(
    cronJob({ schedule: '0 9 * * *', timeZone: 'America/New_York' }, undefined, {
      creationTimestamp: '2025-12-30T00:00:00Z',
      managedFields: schedule({ 'f:schedule': {}, 'f:timeZone': {} }),
    }),
  );
  world.reconcile('2025-12-31T14:00:00Z');
  const { timeZone: _, ...spec } = world.cronJob.spec;
  world.cronJob = {
    ...world.cronJob,
    spec,
    metadata: { ...world.cronJob.metadata, managedFields: schedule({ 'f:schedule': {} }) },
  };
  expect(world.reconcile(at('12:00:00'))).toMatchObject({
    created: [],
    status: { effectiveSchedule: { since: at('12:00:00') } },
  });
});
