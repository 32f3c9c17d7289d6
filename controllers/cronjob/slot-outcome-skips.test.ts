import { describe, expect, test } from 'vitest';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at, buildJob, jobNameAt } from '../../test/support/cron-jobs.ts';
import type { StartResult } from './decide.ts';

const refused = (time: string): StartResult => ({
  kind: 'Failed',
  failure: { kind: 'Refused', jobName: jobNameAt(time), message: 'quota exceeded' },
});

const skipsOf = (world: CoreWorld) => world.cronJob.status?.recentSkips;

describe('the recent skips', () => {
  test('list slots that waited under Forbid, even if their deadline passes', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Forbid', startingDeadlineSeconds: 3600 });
    world.reconcile(at('01:00:00'));
    world.reconcile(at('02:00:00'));
    expect(skipsOf(world)).toBeUndefined();
    const outcome = world.reconcile(at('03:00:01'));
    expect(skipsOf(world)).toEqual([`${at('02:00:00')} ConcurrencyPolicyForbid`]);
    expect(outcome.skips).toEqual([{ reason: 'ConcurrencyPolicyForbid', count: 1 }]);
    world.edit({ startingDeadlineSeconds: 7200 });
    world.reconcile(at('04:00:00'));
    expect(skipsOf(world)).toEqual([`${at('02:00:00')} ConcurrencyPolicyForbid last=${at('03:00:00')} count=2`]);
  });

  test('list a slot that waited under Forbid until a later slot could start', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Forbid' });
    world.reconcile(at('01:00:00'));
    world.reconcile(at('02:00:00'));
    world.finish(at('02:59:59'));
    // No reconcile comes before the next slot.
    expect(world.reconcile(at('03:00:00')).created).toEqual([jobNameAt('03:00:00')]);
    expect(skipsOf(world)).toEqual([`${at('02:00:00')} ConcurrencyPolicyForbid`]);
  });

  test('list slots whose deadline has passed, although the clock of the API server differs', () => {
    const world = CoreWorld.afterFirstReconcile({ startingDeadlineSeconds: 3600 });
    const job = buildJob(at('03:00:00'));
    const created = { ...job, metadata: { ...job.metadata, creationTimestamp: at('00:30:00') } };
    world.reconcile(at('03:30:00'), { started: { kind: 'Created', job: created } });
    expect(skipsOf(world)).toEqual([`${at('01:00:00')} DeadlineExceeded last=${at('02:00:00')} count=2`]);
  });

  test('list slots whose Job could not be created, even if their deadline passes', () => {
    const world = CoreWorld.afterFirstReconcile({ startingDeadlineSeconds: 5400 });
    world.reconcile(at('01:00:00'), { started: refused('01:00:00') });
    world.reconcile(at('02:00:00'), { started: refused('02:00:00') });
    expect(skipsOf(world)).toEqual([`${at('01:00:00')} FailedCreate`]);
    world.reconcile(at('03:45:00'), { started: refused('03:00:00') });
    expect(skipsOf(world)).toEqual([`${at('01:00:00')} FailedCreate last=${at('02:00:00')} count=2`]);
  });

  test('distinguish the waiting slot from slots that no reconcile tried to start', () => {
    const world = CoreWorld.afterFirstReconcile({ startingDeadlineSeconds: 600 });
    world.reconcile(at('01:00:00'), { started: refused('01:00:00') });
    world.edit({ startingDeadlineSeconds: 60 });
    world.reconcile(at('03:30:00'));
    expect(skipsOf(world)).toEqual([
      `${at('02:00:00')} DeadlineExceeded last=${at('03:00:00')} count=2`,
      `${at('01:00:00')} FailedCreate`,
    ]);
    const [blocked] = [CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Forbid', startingDeadlineSeconds: 60 })];
    blocked.reconcile(at('03:00:00'), { started: refused('03:00:00') });
    blocked.reconcile(at('03:30:00'));
    expect(skipsOf(blocked)).toEqual([
      `${at('03:00:00')} FailedCreate`,
      `${at('01:00:00')} DeadlineExceeded last=${at('02:00:00')} count=2`,
    ]);
  });

  test('recentSkips counts up to a hundred missed slots', () => {
    const world = CoreWorld.afterFirstReconcile({ schedule: '* * * * *' });
    world.reconcile(at('01:41:00'));
    expect(skipsOf(world)).toEqual([`${at('00:01:00')} TooManyMissedTimes last=${at('01:41:00')} count=100+`]);
    const [hundred] = [CoreWorld.afterFirstReconcile({ schedule: '* * * * *', startingDeadlineSeconds: 10 })];
    hundred.reconcile(at('01:40:30'));
    expect(skipsOf(hundred)).toEqual([`${at('00:01:00')} DeadlineExceeded last=${at('01:40:00')} count=100`]);
    hundred.reconcile(at('01:41:30'));
    expect(skipsOf(hundred)).toEqual([`${at('00:01:00')} DeadlineExceeded last=${at('01:41:00')} count=100+`]);
  });

  test('tell a taken name from the time while suspended', () => {
    const world = CoreWorld.afterFirstReconcile();
    world.edit({ suspend: true });
    world.reconcile(at('00:30:00'));
    world.edit({ suspend: false });
    world.reconcile(at('02:00:00'), { started: { kind: 'Foreign', jobName: jobNameAt('02:00:00') } });
    expect(skipsOf(world)).toEqual([`${at('02:00:00')} JobNameTaken`, `${at('01:00:00')} Suspended`]);
  });

  test('leave out slots that an edit of the schedule voids, or a deadline of 0', () => {
    const world = CoreWorld.afterFirstReconcile();
    world.edit({ schedule: '30 * * * *' });
    world.reconcile(at('04:00:00'));
    expect(skipsOf(world)).toBeUndefined();
    world.edit({ startingDeadlineSeconds: 0 });
    world.reconcile(at('04:10:00'));
    world.edit({ startingDeadlineSeconds: 600 });
    world.reconcile(at('08:30:00'));
    expect(world.cronJob.status?.lastScheduleTime).toBe(at('08:30:00'));
    expect(skipsOf(world)).toBeUndefined();
  });

  test('begin with the newest, and are as many as the limit of the runs says', () => {
    const world = CoreWorld.afterFirstReconcile({ recentRunsLimit: 2 });
    for (const time of ['02:00:00', '04:00:00', '06:00:00']) world.reconcile(at(time));
    expect(skipsOf(world)).toEqual([`${at('05:00:00')} Superseded`, `${at('03:00:00')} Superseded`]);
    world.edit({ recentRunsLimit: 0 });
    expect(world.reconcile(at('08:00:00')).status).not.toHaveProperty('recentSkips');
  });

  test('keep a line that cannot be read until the list changes', () => {
    const world = CoreWorld.afterFirstReconcile();
    world.reconcile(at('02:00:00'));
    const status = { ...world.cronJob.status!, recentSkips: ['by a later version'] };
    world.cronJob = { ...world.cronJob, status };
    world.reconcile(at('03:00:00'));
    expect(skipsOf(world)).toEqual(['by a later version']);
    world.reconcile(at('05:00:00'));
    expect(skipsOf(world)).toEqual([`${at('04:00:00')} Superseded`]);
  });
});

describe('each slot is a run or a skip, once', () => {
  const missed = `${at('01:00:00')} Superseded last=${at('02:00:00')} count=2`;

  test('after a status was lost', () => {
    const world = CoreWorld.afterFirstReconcile();
    world.reconcile(at('03:00:00'), { losesStatus: true });
    world.reconcile(at('03:00:01'));
    expect(skipsOf(world)).toEqual([missed]);
  });

  test('better: after a crash, the Job proves that the slot ran', () => {
    const world = CoreWorld.afterFirstReconcile({ startingDeadlineSeconds: 3600 });
    world.reconcile(at('03:00:00'), { crashes: true });
    world.reconcile(at('03:00:01'));
    // At 03:00 the deadline of 02:00 had just passed.
    expect(skipsOf(world)).toEqual([`${at('01:00:00')} DeadlineExceeded last=${at('02:00:00')} count=2`]);
  });

  test('when the status was left to a later reconcile', () => {
    const world = CoreWorld.afterFirstReconcile();
    world.reconcile(at('03:00:00'), { isCrowded: true });
    world.reconcile(at('05:00:00'), { isCrowded: true });
    world.reconcile(at('05:00:01'));
    expect(skipsOf(world)).toEqual([`${at('04:00:00')} Superseded`, missed]);
  });
});
