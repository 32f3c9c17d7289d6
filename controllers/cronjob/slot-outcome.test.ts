import { describe, expect, test } from 'vitest';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at, cronJob, jobOf } from '../../test/support/cron-jobs.ts';
import type { StartResult } from './decide.ts';

const refused: StartResult = {
  kind: 'Failed',
  failure: { kind: 'Refused', jobName: 'hello', message: 'exceeded quota' },
};

describe('slots that were passed over are counted', () => {
  test('not when each had its run', () => {
    const world = new CoreWorld();
    expect(world.pass(at('01:00:00')).skips).toEqual([]);
    expect(world.pass(at('02:00:00')).skips).toEqual([]);
  });

  test('as missed when a newer one ran', () => {
    expect(new CoreWorld().pass(at('04:30:00')).skips).toEqual([{ reason: 'Superseded', count: 3 }]);
  });

  test('as missed when a newer one ran that an earlier pass had made', () => {
    const started: StartResult = { kind: 'Adopted', job: jobOf(at('02:00:00')) };
    expect(new CoreWorld().pass(at('02:00:00'), { started }).skips).toEqual([{ reason: 'Superseded', count: 1 }]);
  });

  test('as missed when their deadline passed', () => {
    const world = new CoreWorld(cronJob({ startingDeadlineSeconds: 60 }));
    expect(world.pass(at('04:30:00')).skips).toEqual([{ reason: 'DeadlineExceeded', count: 4 }]);
    expect(world.pass(at('04:31:00')).skips).toEqual([]);
  });

  test('as missed when there were too many, up to 101', () => {
    const world = new CoreWorld(cronJob({ schedule: '* * * * *' }));
    expect(world.pass(at('20:00:00')).skips).toEqual([{ reason: 'TooManyMissedTimes', count: 101 }]);
  });

  test('as skipped under Forbid when the newest of them waits', () => {
    const world = new CoreWorld(cronJob({ concurrencyPolicy: 'Forbid' }));
    world.pass(at('01:00:00'));
    expect(world.pass(at('02:00:00')).skips).toEqual([]);
    expect(world.pass(at('03:00:00')).skips).toEqual([{ reason: 'ConcurrencyPolicyForbid', count: 1 }]);
    expect(world.pass(at('03:30:00')).skips).toEqual([]);
  });

  test('as skipped when no Job could be created', () => {
    const world = new CoreWorld();
    expect(world.pass(at('01:00:00'), { started: refused }).skips).toEqual([]);
    expect(world.pass(at('02:00:00'), { started: refused }).skips).toEqual([{ reason: 'FailedCreate', count: 1 }]);
  });

  test('as skipped when the name of the Job was taken', () => {
    const started: StartResult = { kind: 'Foreign', jobName: 'hello' };
    expect(new CoreWorld().pass(at('02:00:00'), { started }).skips).toEqual([
      { reason: 'Superseded', count: 1 },
      { reason: 'JobNameTaken', count: 1 },
    ]);
  });

  test.each([
    ['the newest of a few starts', {}, at('04:30:00'), 3],
    ['there were too many', { schedule: '* * * * *' }, at('04:30:00'), 101],
    ['all are too late', { startingDeadlineSeconds: 60 }, at('04:30:00'), 4],
  ])('as skipped, and nothing is reported or degraded, when suspend is lifted and %s', (_, spec, now, count) => {
    const world = new CoreWorld(cronJob({ suspend: true, ...spec }));
    world.pass(at('00:00:00'));
    world.edit({ suspend: false });
    const { skips, reasons, status } = world.pass(now);
    expect(skips).toEqual([{ reason: 'Suspended', count }]);
    expect(reasons).not.toContain('MissSchedule');
    expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'Degraded', reason: 'AsExpected' }));
  });
});

test.each([
  ['waits under Forbid', {}],
  ['is refused', { started: refused }],
])('after suspend, slots that were passed over are skipped for that, though the newest %s', (_, options) => {
  const world = new CoreWorld(cronJob({ concurrencyPolicy: 'started' in options ? 'Allow' : 'Forbid' }));
  world.pass(at('01:00:00'));
  world.edit({ suspend: true });
  world.pass(at('01:10:00'));
  world.edit({ suspend: false });
  expect(world.pass(at('05:30:00'), options).skips).toEqual([{ reason: 'Suspended', count: 3 }]);
});

test('too late and too many are counted each', () => {
  const world = new CoreWorld(cronJob({ schedule: '* * * * *', startingDeadlineSeconds: 7200 }));
  expect(world.pass(at('05:00:00')).skips).toEqual([
    { reason: 'DeadlineExceeded', count: 101 },
    { reason: 'TooManyMissedTimes', count: 101 },
  ]);
});
