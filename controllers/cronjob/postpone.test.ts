/** A reconcile that leaves its status to the next reconcile must have the same result as a single reconcile. */
import { describe, expect, test } from 'vitest';
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at } from '../../test/support/cron-jobs.ts';

const isCrowded = true;

/** Two worlds with the same events: in the first, the status is stored immediately; in the second, by a later reconcile. */
function compared(spec: Partial<CronJobSpec>, happen: (world: CoreWorld, isCrowded: boolean) => void) {
  const [atOnce, later] = [CoreWorld.afterFirstReconcile(spec), CoreWorld.afterFirstReconcile(spec)];
  happen(atOnce, false);
  happen(later, true);
  return { atOnce: atOnce.cronJob.status, later: later.cronJob.status };
}

test('a run starts and is reported at once, and its status follows with low priority', () => {
  const world = CoreWorld.afterFirstReconcile();
  const before = world.cronJob.status;
  const outcome = world.reconcile(at('01:00:00'), { isCrowded });
  expect(outcome).toMatchObject({ decision: 'Run', reasons: ['SuccessfulCreate'], requeue: 'low', retry: false });
  expect(outcome.requeueAfterMs).toBe(60 * 60_000 + 2);
  expect(world.cronJob.status).toBe(before);
  const next = world.reconcile(at('01:00:01'));
  expect(next).toMatchObject({ decision: 'NothingDue', created: [], reasons: [] });
  expect(next.status).toMatchObject({ activeCount: 1, lastScheduleTime: at('01:00:00') });
});

describe('the status is the same as if it had been stored at once', () => {
  test.each<[string, Partial<CronJobSpec>, string]>([
    ['of a run', {}, '01:00:00'],
    ['of a run after one whose deadline has passed', { startingDeadlineSeconds: 60 }, '02:00:00'],
    ['of a run that supersedes others', {}, '05:30:00'],
    ['with nothing due', {}, '00:30:00'],
    ['of a suspended CronJob', { suspend: true }, '02:00:00'],
    ['after too many missed times', {}, '23:00:00'],
  ])('%s', (_, spec, time) => {
    const statuses = compared(spec, (world, crowded) => {
      world.reconcile(at(time), { isCrowded: crowded });
      world.reconcile(at(time));
    });
    expect(statuses.later).toEqual(statuses.atOnce);
  });

  test('of a run that replaces another one, which is not missing', () => {
    const reasons: string[] = [];
    const statuses = compared({ concurrencyPolicy: 'Replace' }, (world, crowded) => {
      world.reconcile(at('01:00:00'));
      expect(world.reconcile(at('02:00:00'), { isCrowded: crowded }).deleted).toHaveLength(1);
      reasons.push(...world.reconcile(at('02:00:01')).reasons);
    });
    expect(statuses.later).toEqual(statuses.atOnce);
    expect(reasons).toEqual([]);
  });
});

test('a CronJob that replaces its runs for a day, while no status can be stored, remembers a few of them', () => {
  const world = CoreWorld.afterFirstReconcile({ schedule: '* * * * *', concurrencyPolicy: 'Replace' });
  world.reconcile(at('00:01:00'));
  let longest = 0;
  for (let minute = 2; minute < 200; minute++) {
    const time = new Date(Date.parse(at('00:00:00')) + minute * 60_000).toISOString();
    if (minute > 2) expect(world.reconcile(time, { losesStatus: true }).decision).toBe('RecordFirst');
    world.reconcile(time, minute % 2 === 0 ? { isCrowded } : { losesStatus: true });
    expect(world.pending?.status.active).toHaveLength(1);
    longest = Math.max(longest, JSON.stringify(world.pending).length);
  }
  expect(longest).toBeLessThan(20_000);
});

test('an event of missed slots is sent with the Job that proves them; they are counted once the status is stored', () => {
  const world = CoreWorld.afterFirstReconcile({ startingDeadlineSeconds: 60 });
  const outcome = world.reconcile(at('02:00:00'), { isCrowded });
  expect(outcome.reasons).toEqual(['SuccessfulCreate', 'MissSchedule']);
  expect(outcome.skips).toEqual([]);
  const counted = [{ reason: 'DeadlineExceeded', count: 1 }];
  expect(world.reconcile(at('02:00:01'))).toMatchObject({ reasons: [], skips: counted });
  expect(world.reconcile(at('02:00:02'))).toMatchObject({ reasons: [], skips: [] });
});

describe('a run that is over before its status was ever stored', () => {
  test('the end of a run is reported once, even if status writes fail', () => {
    const world = CoreWorld.afterFirstReconcile();
    world.reconcile(at('01:00:00'), { isCrowded });
    world.finish(at('01:00:02'));
    expect(world.reconcile(at('01:00:03'), { isCrowded }).reasons).toEqual([]);
    expect(world.reconcile(at('01:00:04'), { losesStatus: true }).reasons).toEqual([]);
    expect(world.reconcile(at('01:00:05')).reasons).toEqual(['SawCompletedJob']);
    expect(world.reconcile(at('01:00:06')).reasons).toEqual([]);
  });
});

describe('history, while other CronJobs wait', () => {
  const othersWait = true;
  const withRuns = (count: number, spec: Partial<CronJobSpec> = { successfulJobsHistoryLimit: 0 }) => {
    const world = CoreWorld.afterFirstReconcile({ ...spec, suspend: false });
    for (let hour = 1; hour <= count; hour++) {
      world.reconcile(at(`0${hour}:00:00`), { isCrowded });
      world.finish(at(`0${hour}:00:01`));
    }
    return world;
  };

  test('old Jobs are deleted in the reconcile after the status write', () => {
    const world = withRuns(1);
    expect(world.reconcile(at('01:00:02'), { othersWait })).toMatchObject({ deleted: [], requeue: 'low' });
    const next = world.reconcile(at('01:00:03'), { othersWait });
    expect(next.deleted).toHaveLength(1);
    expect(next).not.toHaveProperty('requeue');
  });

  test('of six Jobs is deleted at once, so that it does not grow while every reconcile has a status to store', () => {
    expect(withRuns(5).reconcile(at('05:00:02'), { othersWait }).deleted).toEqual([]);
    expect(withRuns(6).reconcile(at('06:00:02'), { othersWait }).deleted).toHaveLength(6);
  });
});

test('a manual run comes before the slot that is due, which starts in a reconcile of normal priority', () => {
  const world = CoreWorld.afterFirstReconcile();
  world.annotate({ [RUN_NOW_ANNOTATION]: 'now' });
  expect(world.reconcile(at('01:00:00'), { isCrowded })).toMatchObject({ decision: 'RunNow', requeue: 'normal' });
  expect(world.reconcile(at('01:00:00'), { isCrowded })).toMatchObject({ decision: 'Run', requeue: 'low' });
  const { status, created } = world.reconcile(at('01:00:01'));
  expect(created).toEqual([]);
  expect(status).toMatchObject({ activeCount: 2, lastManualRun: 'now', lastScheduleTime: at('01:00:00') });
});

test('a start that failed is not left to the next reconcile', () => {
  const world = CoreWorld.afterFirstReconcile();
  const failure = { kind: 'Refused', jobName: 'hello', message: 'quota exceeded' } as const;
  const outcome = world.reconcile(at('01:00:00'), { isCrowded, started: { kind: 'Failed', failure } });
  expect(outcome).toMatchObject({ reasons: ['FailedCreate'], retry: true });
  expect(outcome.requeue).toBeUndefined();
});
