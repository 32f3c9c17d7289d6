import { describe, expect, test } from 'vitest';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at, jobNameAt } from '../../test/support/cron-jobs.ts';
import type { StartResult } from './decide.ts';

const refused = (time: string): StartResult => ({
  kind: 'Failed',
  failure: { kind: 'Refused', jobName: jobNameAt(time), message: 'quota exceeded' },
});

const skipsOf = (world: CoreWorld) => world.cronJob.status?.recentSkips;

describe('the recent skips', () => {
  test('list slots that waited under Forbid, even if their deadline passes', () => {
    const world = CoreWorld.afterFirstPass({ concurrencyPolicy: 'Forbid', startingDeadlineSeconds: 3600 });
    world.pass(at('01:00:00'));
    world.pass(at('02:00:00'));
    expect(skipsOf(world)).toBeUndefined();
    const pass = world.pass(at('03:00:01'));
    expect(skipsOf(world)).toEqual([`${at('02:00:00')} ConcurrencyPolicyForbid`]);
    expect(pass.skips).toEqual([{ reason: 'ConcurrencyPolicyForbid', count: 1 }]);
    world.edit({ startingDeadlineSeconds: 7200 });
    world.pass(at('04:00:00'));
    expect(skipsOf(world)).toEqual([`${at('02:00:00')} ConcurrencyPolicyForbid last=${at('03:00:00')} count=2`]);
  });

  test('list a slot that waited under Forbid until a later slot could start', () => {
    const world = CoreWorld.afterFirstPass({ concurrencyPolicy: 'Forbid' });
    world.pass(at('01:00:00'));
    world.pass(at('02:00:00'));
    world.finish(at('02:59:59'));
    // No pass comes before the next slot.
    expect(world.pass(at('03:00:00')).created).toEqual([jobNameAt('03:00:00')]);
    expect(skipsOf(world)).toEqual([`${at('02:00:00')} ConcurrencyPolicyForbid`]);
  });

  test('list slots whose Job could not be created, even if their deadline passes', () => {
    const world = CoreWorld.afterFirstPass({ startingDeadlineSeconds: 5400 });
    world.pass(at('01:00:00'), { started: refused('01:00:00') });
    world.pass(at('02:00:00'), { started: refused('02:00:00') });
    expect(skipsOf(world)).toEqual([`${at('01:00:00')} FailedCreate`]);
    world.pass(at('03:45:00'), { started: refused('03:00:00') });
    expect(skipsOf(world)).toEqual([`${at('01:00:00')} FailedCreate last=${at('02:00:00')} count=2`]);
  });

  test('distinguish the waiting slot from slots that no pass tried to start', () => {
    const world = CoreWorld.afterFirstPass({ startingDeadlineSeconds: 600 });
    world.pass(at('01:00:00'), { started: refused('01:00:00') });
    world.edit({ startingDeadlineSeconds: 60 });
    world.pass(at('03:30:00'));
    expect(skipsOf(world)).toEqual([
      `${at('02:00:00')} DeadlineExceeded last=${at('03:00:00')} count=2`,
      `${at('01:00:00')} FailedCreate`,
    ]);
    const [blocked] = [CoreWorld.afterFirstPass({ concurrencyPolicy: 'Forbid', startingDeadlineSeconds: 60 })];
    blocked.pass(at('03:00:00'), { started: refused('03:00:00') });
    blocked.pass(at('03:30:00'));
    expect(skipsOf(blocked)).toEqual([
      `${at('03:00:00')} FailedCreate`,
      `${at('01:00:00')} DeadlineExceeded last=${at('02:00:00')} count=2`,
    ]);
  });

  test('recentSkips counts up to a hundred missed slots', () => {
    const world = CoreWorld.afterFirstPass({ schedule: '* * * * *' });
    world.pass(at('01:41:00'));
    expect(skipsOf(world)).toEqual([`${at('00:01:00')} TooManyMissedTimes last=${at('01:41:00')} count=100+`]);
    const [hundred] = [CoreWorld.afterFirstPass({ schedule: '* * * * *', startingDeadlineSeconds: 10 })];
    hundred.pass(at('01:40:30'));
    expect(skipsOf(hundred)).toEqual([`${at('00:01:00')} DeadlineExceeded last=${at('01:40:00')} count=100`]);
    hundred.pass(at('01:41:30'));
    expect(skipsOf(hundred)).toEqual([`${at('00:01:00')} DeadlineExceeded last=${at('01:41:00')} count=100+`]);
  });

  test('tell a taken name from the time while suspended', () => {
    const world = CoreWorld.afterFirstPass();
    world.edit({ suspend: true });
    world.pass(at('00:30:00'));
    world.edit({ suspend: false });
    world.pass(at('02:00:00'), { started: { kind: 'Foreign', jobName: jobNameAt('02:00:00') } });
    expect(skipsOf(world)).toEqual([`${at('02:00:00')} JobNameTaken`, `${at('01:00:00')} Suspended`]);
  });

  test('leave out slots that an edit of the schedule voids, or a deadline of 0', () => {
    const world = CoreWorld.afterFirstPass();
    world.edit({ schedule: '30 * * * *' });
    world.pass(at('04:00:00'));
    expect(skipsOf(world)).toBeUndefined();
    world.edit({ startingDeadlineSeconds: 0 });
    world.pass(at('04:10:00'));
    world.edit({ startingDeadlineSeconds: 600 });
    world.pass(at('08:30:00'));
    expect(world.cronJob.status?.lastScheduleTime).toBe(at('08:30:00'));
    expect(skipsOf(world)).toBeUndefined();
  });

  test('begin with the newest, and are as many as the limit of the runs says', () => {
    const world = CoreWorld.afterFirstPass({ recentRunsLimit: 2 });
    for (const time of ['02:00:00', '04:00:00', '06:00:00']) world.pass(at(time));
    expect(skipsOf(world)).toEqual([`${at('05:00:00')} Superseded`, `${at('03:00:00')} Superseded`]);
    world.edit({ recentRunsLimit: 0 });
    expect(world.pass(at('08:00:00')).status).not.toHaveProperty('recentSkips');
  });

  test('keep a line that cannot be read until the list changes', () => {
    const world = CoreWorld.afterFirstPass();
    world.pass(at('02:00:00'));
    const status = { ...world.cronJob.status!, recentSkips: ['by a later version'] };
    world.cronJob = { ...world.cronJob, status };
    world.pass(at('03:00:00'));
    expect(skipsOf(world)).toEqual(['by a later version']);
    world.pass(at('05:00:00'));
    expect(skipsOf(world)).toEqual([`${at('04:00:00')} Superseded`]);
  });
});

describe('each slot is a run or a skip, once', () => {
  const missed = `${at('01:00:00')} Superseded last=${at('02:00:00')} count=2`;

  test('after a status was lost', () => {
    const world = CoreWorld.afterFirstPass();
    world.pass(at('03:00:00'), { losesStatus: true });
    world.pass(at('03:00:01'));
    expect(skipsOf(world)).toEqual([missed]);
  });

  test('better: after a crash, the Job proves that the slot ran', () => {
    const world = CoreWorld.afterFirstPass({ startingDeadlineSeconds: 3600 });
    world.pass(at('03:00:00'), { crashes: true });
    world.pass(at('03:00:01'));
    // At 03:00 the deadline of 02:00 had just passed.
    expect(skipsOf(world)).toEqual([`${at('01:00:00')} DeadlineExceeded last=${at('02:00:00')} count=2`]);
  });

  test('when the status was left to a later pass', () => {
    const world = CoreWorld.afterFirstPass();
    world.pass(at('03:00:00'), { isCrowded: true });
    world.pass(at('05:00:00'), { isCrowded: true });
    world.pass(at('05:00:01'));
    expect(skipsOf(world)).toEqual([`${at('04:00:00')} Superseded`, missed]);
  });
});
