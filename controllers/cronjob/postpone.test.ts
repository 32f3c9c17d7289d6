/** A pass that leaves its status to the next pass must have the same result as a single pass. */
import { describe, expect, test } from 'vitest';
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at } from '../../test/support/cron-jobs.ts';

const isCrowded = true;

/** Two worlds with the same events: in the first, the status is stored immediately; in the second, by a later pass. */
function compared(spec: Partial<CronJobSpec>, happen: (world: CoreWorld, isCrowded: boolean) => void) {
  const [atOnce, later] = [CoreWorld.afterFirstPass(spec), CoreWorld.afterFirstPass(spec)];
  happen(atOnce, false);
  happen(later, true);
  return { atOnce: atOnce.cronJob.status, later: later.cronJob.status };
}

test('a run starts and is reported at once, and its status follows with low priority', () => {
  const world = CoreWorld.afterFirstPass();
  const before = world.cronJob.status;
  const pass = world.pass(at('01:00:00'), { isCrowded });
  expect(pass).toMatchObject({ decision: 'Run', reasons: ['SuccessfulCreate'], requeue: 'low', retry: false });
  expect(pass.requeueAfterMs).toBe(60 * 60_000 + 2);
  expect(world.cronJob.status).toBe(before);
  const next = world.pass(at('01:00:01'));
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
      world.pass(at(time), { isCrowded: crowded });
      world.pass(at(time));
    });
    expect(statuses.later).toEqual(statuses.atOnce);
  });

  test('of a run that replaces another one, which is not missing', () => {
    const reasons: string[] = [];
    const statuses = compared({ concurrencyPolicy: 'Replace' }, (world, crowded) => {
      world.pass(at('01:00:00'));
      expect(world.pass(at('02:00:00'), { isCrowded: crowded }).deleted).toHaveLength(1);
      reasons.push(...world.pass(at('02:00:01')).reasons);
    });
    expect(statuses.later).toEqual(statuses.atOnce);
    expect(reasons).toEqual([]);
  });
});

test('a CronJob that replaces its runs for a day, while no status can be stored, remembers a few of them', () => {
  const world = CoreWorld.afterFirstPass({ schedule: '* * * * *', concurrencyPolicy: 'Replace' });
  world.pass(at('00:01:00'));
  let longest = 0;
  for (let minute = 2; minute < 200; minute++) {
    const time = new Date(Date.parse(at('00:00:00')) + minute * 60_000).toISOString();
    if (minute > 2) expect(world.pass(time, { losesStatus: true }).decision).toBe('RecordFirst');
    world.pass(time, minute % 2 === 0 ? { isCrowded } : { losesStatus: true });
    expect(world.pending?.status.active).toHaveLength(1);
    longest = Math.max(longest, JSON.stringify(world.pending).length);
  }
  expect(longest).toBeLessThan(20_000);
});

test('an event of missed slots is sent with the Job that proves them; they are counted once the status is stored', () => {
  const world = CoreWorld.afterFirstPass({ startingDeadlineSeconds: 60 });
  const pass = world.pass(at('02:00:00'), { isCrowded });
  expect(pass.reasons).toEqual(['SuccessfulCreate', 'MissSchedule']);
  expect(pass.skips).toEqual([]);
  const counted = [{ reason: 'DeadlineExceeded', count: 1 }];
  expect(world.pass(at('02:00:01'))).toMatchObject({ reasons: [], skips: counted });
  expect(world.pass(at('02:00:02'))).toMatchObject({ reasons: [], skips: [] });
});

describe('a run that is over before its status was ever stored', () => {
  test('the end of a run is reported once, even if status writes fail', () => {
    const world = CoreWorld.afterFirstPass();
    world.pass(at('01:00:00'), { isCrowded });
    world.finish(at('01:00:02'));
    expect(world.pass(at('01:00:03'), { isCrowded }).reasons).toEqual([]);
    expect(world.pass(at('01:00:04'), { losesStatus: true }).reasons).toEqual([]);
    expect(world.pass(at('01:00:05')).reasons).toEqual(['SawCompletedJob']);
    expect(world.pass(at('01:00:06')).reasons).toEqual([]);
  });
});

describe('history, while other CronJobs wait', () => {
  const othersWait = true;
  const withRuns = (count: number, spec: Partial<CronJobSpec> = { successfulJobsHistoryLimit: 0 }) => {
    const world = CoreWorld.afterFirstPass({ ...spec, suspend: false });
    for (let hour = 1; hour <= count; hour++) {
      world.pass(at(`0${hour}:00:00`), { isCrowded });
      world.finish(at(`0${hour}:00:01`));
    }
    return world;
  };

  test('old Jobs are deleted in the pass after the status write', () => {
    const world = withRuns(1);
    expect(world.pass(at('01:00:02'), { othersWait })).toMatchObject({ deleted: [], requeue: 'low' });
    const next = world.pass(at('01:00:03'), { othersWait });
    expect(next.deleted).toHaveLength(1);
    expect(next).not.toHaveProperty('requeue');
  });

  test('of six Jobs is deleted at once, so that it does not grow while every pass has a status to store', () => {
    expect(withRuns(5).pass(at('05:00:02'), { othersWait }).deleted).toEqual([]);
    expect(withRuns(6).pass(at('06:00:02'), { othersWait }).deleted).toHaveLength(6);
  });
});

test('a manual run comes before the slot that is due, which starts in a pass of normal priority', () => {
  const world = CoreWorld.afterFirstPass();
  world.annotate({ [RUN_NOW_ANNOTATION]: 'now' });
  expect(world.pass(at('01:00:00'), { isCrowded })).toMatchObject({ decision: 'RunNow', requeue: 'normal' });
  expect(world.pass(at('01:00:00'), { isCrowded })).toMatchObject({ decision: 'Run', requeue: 'low' });
  const { status, created } = world.pass(at('01:00:01'));
  expect(created).toEqual([]);
  expect(status).toMatchObject({ activeCount: 2, lastManualRun: 'now', lastScheduleTime: at('01:00:00') });
});

test('a start that failed is not left to the next pass', () => {
  const world = CoreWorld.afterFirstPass();
  const failure = { kind: 'Refused', jobName: 'hello', message: 'quota exceeded' } as const;
  const pass = world.pass(at('01:00:00'), { isCrowded, started: { kind: 'Failed', failure } });
  expect(pass).toMatchObject({ reasons: ['FailedCreate'], retry: true });
  expect(pass.requeue).toBeUndefined();
});
