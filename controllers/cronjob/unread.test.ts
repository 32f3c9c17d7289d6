import { describe, expect, test } from 'vitest';
import { CoreWorld, manualJobName, withRunNow } from '../../test/support/core-world.ts';
import { at, type cronJob } from '../../test/support/cron-jobs.ts';

/**
 * The run of 01:00 is active, and its Job cannot be found. The run of `time` was started, and its status was lost with the process.
 */
function unreadable(spec: Parameters<typeof cronJob>[0] = {}, time = at('02:00:00')): CoreWorld {
  const world = CoreWorld.afterFirstReconcile(spec);
  world.reconcile(at('01:00:00'));
  world.reconcile(time, { crashes: true });
  world.jobs = world.jobs.slice(1);
  return world;
}

describe('a Job that a reconcile saw which could not look up another one, and that then is gone,', () => {
  test('had the run of its slot', () => {
    const world = unreadable();
    world.finish(at('02:00:03'), 'Failed');
    world.reconcileWithFailedRead(at('02:00:04'));
    world.jobs = [];
    const after = world.reconcile(at('02:00:05'));
    expect(after.created).toEqual([]);
    expect(after.status).toMatchObject({
      lastScheduleTime: at('02:00:00'),
      lastFailureTime: at('02:00:03'),
      lastRun: { scheduledTime: at('02:00:00'), result: 'Failed' },
    });
  });

  test('had the run that was asked for', () => {
    const world = withRunNow('by hand');
    world.reconcile(at('00:40:00'), { crashes: true });
    world.reconcileWithFailedRead(at('00:40:01'));
    world.jobs = [];
    const after = world.reconcile(at('00:40:02'));
    expect(after.created).toEqual([]);
    expect(after.status).toMatchObject({
      lastManualRun: 'by hand',
      lastRun: { jobName: manualJobName('by hand'), result: 'Unknown', reason: 'JobDeleted' },
    });
  });
});

describe('a Job that the status calls active and that cannot be looked up', () => {
  test('leaves the status as it is', () => {
    const world = CoreWorld.afterFirstReconcile();
    const { status } = world.reconcile(at('01:00:00'));
    world.jobs = [];
    expect(world.reconcileWithFailedRead(at('01:00:10'))).toMatchObject({ events: [], status });
  });

  test('leaves the entry of a manual run as it is', () => {
    const world = withRunNow('by hand');
    const { status } = world.reconcile(at('00:40:00'));
    world.jobs = [];
    expect(world.reconcileWithFailedRead(at('00:40:10'))).toMatchObject({ events: [], status });
  });

  test('leaves the list as it is when that has no entry of it', () => {
    const world = CoreWorld.afterFirstReconcile({ recentRunsLimit: 0 });
    const { status } = world.reconcile(at('01:00:00'));
    world.jobs = [];
    expect(world.reconcileWithFailedRead(at('01:00:10'))).toMatchObject({ events: [], status });
  });

  test('stays the last run beside an older one when the list has no entry of it', () => {
    const world = CoreWorld.afterFirstReconcile({ recentRunsLimit: 0 });
    world.reconcile(at('01:00:00'));
    const { status } = world.reconcile(at('02:00:00'));
    world.jobs = world.jobs.filter(({ metadata }) => metadata.name !== status.lastRun?.jobName);
    expect(world.jobs).toHaveLength(1);
    expect(world.reconcileWithFailedRead(at('02:00:10'))).toMatchObject({ events: [], status });
  });

  test('is still waited for under Forbid, which is reported once', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Forbid' });
    world.reconcile(at('01:00:00'));
    world.jobs = [];
    expect(world.reconcileWithFailedRead(at('02:00:00'))).toMatchObject({ created: [], reasons: ['JobAlreadyActive'] });
    expect(world.reconcileWithFailedRead(at('02:00:10'))).toMatchObject({ created: [], reasons: [] });
  });

  test('is deleted under Replace', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Replace' });
    const [first] = world.reconcile(at('01:00:00')).created;
    world.jobs = [];
    expect(world.reconcileWithFailedRead(at('02:00:00'))).toMatchObject({ deleted: [first] });
  });

  test('delays no other run under Allow', () => {
    const world = CoreWorld.afterFirstReconcile();
    world.reconcile(at('01:00:00'));
    world.jobs = [];
    expect(world.reconcileWithFailedRead(at('02:00:00')).created).toHaveLength(1);
  });

  test('has not failed to start in time', () => {
    const world = CoreWorld.afterFirstReconcile({ startTimeoutSeconds: 60 });
    world.reconcile(at('01:00:00'));
    world.jobs = [];
    const { requeueAfterMs = 0 } = world.reconcileWithFailedRead(at('01:00:10'));
    expect(requeueAfterMs).toBeGreaterThan(3_000_000);
  });
});

test('after a reconcile that could not look up a Job, the end of suspendUntil is not a manual resume', () => {
  const world = CoreWorld.afterFirstReconcile({ suspendUntil: at('03:00:00'), expectSuccessWithinSeconds: 36_000 });
  world.reconcileWithFailedRead(at('05:30:00'));
  expect(world.reconcile(at('05:31:00')).status).toMatchObject({
    recentSkips: [
      `${at('03:00:00')} Superseded last=${at('04:00:00')} count=2`,
      `${at('01:00:00')} Suspended last=${at('02:00:00')} count=2`,
    ],
    successExpectedSince: at('03:00:00'),
  });
});
