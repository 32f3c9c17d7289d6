import { describe, expect, test } from 'vitest';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at, buildJob, cronJob } from '../../test/support/cron-jobs.ts';
import type { StartFailure, StartResult } from './decide.ts';
import { createPruningEvents } from './events.ts';

const failed = (failure: Partial<StartFailure> = {}): StartResult => ({
  kind: 'Failed',
  failure: { kind: 'Refused', jobName: 'hello-1767229200', message: 'exceeded quota', ...failure },
});

describe('events report', () => {
  test('of a run that ended, with its condition, once', () => {
    const world = new CoreWorld();
    world.reconcile(at('01:00:00'));
    world.finish(at('01:01:00'), 'Failed');
    expect(world.reconcile(at('01:01:01')).events).toEqual([
      { type: 'Normal', reason: 'SawCompletedJob', message: 'Saw completed job: hello-1767229200, condition: Failed' },
    ]);
    expect(world.reconcile(at('01:01:02')).events).toEqual([]);
  });

  test('of finished Jobs that were deleted, and of one that could not be', () => {
    const failure = { jobName: 'hello-1767225600', message: 'forbidden' };
    expect(createPruningEvents({ deleted: [buildJob(at('01:00:00'))], failure })).toEqual([
      { type: 'Normal', reason: 'SuccessfulDelete', message: 'Deleted job hello-1767229200' },
      { type: 'Warning', reason: 'FailedDelete', message: 'Error deleting job hello-1767225600: forbidden' },
    ]);
  });

  test('of an active Job that is gone, once', () => {
    const world = new CoreWorld();
    world.reconcile(at('01:00:00'));
    world.jobs = [];
    expect(world.reconcile(at('01:01:00'))).toMatchObject({
      reasons: ['MissingJob'],
      status: { activeCount: 0, lastRun: { result: 'Unknown', reason: 'JobDeleted' } },
    });
    expect(world.reconcile(at('01:01:01')).events).toEqual([]);
  });

  test('of an active Job that names us and that we did not make, once', () => {
    const world = new CoreWorld();
    world.reconcile(at('00:10:00'));
    const job = buildJob(at('00:05:00'));
    world.jobs = [{ ...job, metadata: { ...job.metadata, name: 'by-hand', annotations: {} } }];
    expect(world.reconcile(at('00:11:00'))).toMatchObject({
      events: [{ type: 'Warning', reason: 'UnexpectedJob', message: expect.stringContaining('by-hand') }],
      status: { activeCount: 1 },
    });
    expect(world.reconcile(at('00:12:00')).events).toEqual([]);
  });

  test('of the slot that was missed, not of the one that runs in the same reconcile', () => {
    const { events } = new CoreWorld(cronJob({ startingDeadlineSeconds: 60 })).reconcile(at('02:00:00'));
    expect(events.map(({ message }) => message)).toEqual([
      'Created job hello-1767232800',
      `Missed scheduled time to start a job: ${at('01:00:00')}`,
    ]);
  });

  test('of a run that could not be replaced', () => {
    const world = new CoreWorld(cronJob({ concurrencyPolicy: 'Replace' }));
    const started = failed({ kind: 'DeleteFailed', message: 'forbidden' });
    expect(world.reconcile(at('01:00:00'), { started }).events).toEqual([
      { type: 'Warning', reason: 'FailedDelete', message: 'Error deleting job hello-1767229200: forbidden' },
    ]);
    expect(world.reconcile(at('01:00:01'), { started }).events).toEqual([]);
  });

  test('of a slot that Forbid holds back, once for each slot', () => {
    const world = new CoreWorld(cronJob({ concurrencyPolicy: 'Forbid' }));
    world.reconcile(at('01:00:00'));
    expect(world.reconcile(at('02:00:00')).reasons).toEqual(['JobAlreadyActive']);
    expect(world.reconcile(at('02:30:00')).reasons).toEqual([]);
    expect(world.reconcile(at('03:00:00')).reasons).toEqual(['JobAlreadyActive']);
  });

  test.each([
    ['UnparseableSchedule', { schedule: 'every day' }],
    ['UnknownTimeZone', { timeZone: 'Mars/Olympus' }],
    ['NeverFires', { schedule: '0 0 31 2 *' }],
  ])('of %s once, and again after it was fixed and broken anew', (reason, wrong) => {
    const world = new CoreWorld(cronJob(wrong));
    expect(world.reconcile(at('00:10:00')).reasons).toEqual([reason]);
    expect(world.reconcile(at('00:11:00')).reasons).toEqual([]);
    world.edit({ failedJobsHistoryLimit: 2 });
    expect(world.reconcile(at('00:12:00')).reasons).toEqual([]);
    world.edit({ schedule: '0 * * * *', timeZone: 'UTC' });
    expect(world.reconcile(at('00:13:00')).reasons).toEqual([]);
    world.edit(wrong);
    expect(world.reconcile(at('00:14:00')).reasons).toEqual([reason]);
  });

  test('of too many missed times, each time that happens', () => {
    const world = new CoreWorld(cronJob({ schedule: '* * * * *' }));
    expect(world.reconcile(at('05:00:00')).events).toEqual([
      {
        type: 'Warning',
        reason: 'TooManyMissedTimes',
        message:
          'Cannot determine if job needs to be started. Too many missed start time (> 100). ' +
          'Set or decrease .spec.startingDeadlineSeconds or check clock skew.',
      },
    ]);
    expect(world.reconcile(at('05:00:30')).reasons).toEqual([]);
    expect(world.reconcile(at('10:00:00')).reasons).toEqual(['TooManyMissedTimes']);
  });

  test('a change only when its status is stored', () => {
    const world = new CoreWorld(cronJob({ schedule: 'every day' }));
    expect(world.reconcile(at('00:10:00'), { losesStatus: true }).reasons).toEqual([]);
    expect(world.reconcile(at('00:11:00')).reasons).toEqual(['UnparseableSchedule']);
  });
});
