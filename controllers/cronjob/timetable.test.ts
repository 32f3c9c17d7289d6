/** The fields that decide which slots exist: schedules, startTime, endTime, exclude, daylightSaving and jitterSeconds. */
import { describe, expect, test } from 'vitest';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at, cronJob, jobNameAt } from '../../test/support/cron-jobs.ts';
import { SCHEDULE_SLACK_MS } from './conclude.ts';

const MINUTES_MS = 60_000;

describe('schedules', () => {
  test('start runs at the times of all of them', () => {
    const world = CoreWorld.afterFirstReconcile({ schedules: ['30 * * * *'] });
    expect(world.reconcile(at('00:30:00')).created).toEqual([jobNameAt('00:30:00')]);
    expect(world.reconcile(at('01:00:00')).created).toEqual([jobNameAt('01:00:00')]);
  });

  test('start one run for the same time of two schedules', () => {
    const world = CoreWorld.afterFirstReconcile({ schedules: ['*/30 * * * *'] });
    expect(world.reconcile(at('01:00:00')).created).toEqual([jobNameAt('01:00:00')]);
    expect(world.reconcile(at('01:00:01')).created).toEqual([]);
  });

  test('count @every from when the schedule was set', () => {
    const world = CoreWorld.afterFirstReconcile({ schedules: ['@every 25m'] });
    expect(world.reconcile(at('00:10:00')).status.nextScheduleTime).toBe(at('00:25:00'));
  });

  test('with an invalid entry start nothing, and the condition names the entry', () => {
    const world = CoreWorld.afterFirstReconcile({ schedules: ['30 * * * *', '61 * * * *'] });
    expect(world.reconcile(at('01:00:00')).decision).toBe('NothingDue');
    expect(world.condition('Available')).toMatchObject({
      reason: 'UnparseableSchedule',
      message: 'spec.schedules[1]: "61 * * * *": minute must be 0-59, not "61"',
    });
  });
});

describe('an edit starts nothing', () => {
  test.each([
    ['that adds a schedule', {}, { schedules: ['30 * * * *'] }],
    ['that changes a schedule', { schedules: ['15 0 1 2 *'] }, { schedules: ['30 * * * *'] }],
    ['that removes the end', { schedules: ['30 * * * *'], endTime: at('00:20:00') }, { endTime: undefined }],
    ['that moves the end', { schedules: ['30 * * * *'], endTime: at('00:20:00') }, { endTime: at('23:00:00') }],
    [
      'that moves the start back',
      { schedules: ['30 * * * *'], startTime: at('23:00:00') },
      { startTime: at('00:00:00') },
    ],
    ['that removes the start', { schedules: ['30 * * * *'], startTime: at('23:00:00') }, { startTime: undefined }],
  ])('%s', (_, before, after) => {
    const world = CoreWorld.afterFirstReconcile(before);
    world.edit(after);
    expect(world.reconcile(at('00:40:00')).created).toEqual([]);
    expect(world.reconcile(at('01:00:00')).created).toEqual([jobNameAt('01:00:00')]);
  });

  test('that sets daylightSaving, ten minutes after a clock change that skipped a time', () => {
    const inBerlin = cronJob({ schedule: '30 2 * * *', timeZone: 'Europe/Berlin' });
    const metadata = { ...inBerlin.metadata, creationTimestamp: '2026-03-29T00:00:00Z' };
    const world = new CoreWorld({ ...inBerlin, metadata });
    world.reconcile('2026-03-29T00:00:00Z');
    world.edit({ daylightSaving: { skippedTimes: 'RunAfter' } });
    expect(world.reconcile('2026-03-29T01:10:00Z').created).toEqual([]);
    expect(world.reconcile('2026-03-30T00:30:00Z').created).toHaveLength(1);
  });
});

describe('startTime and endTime', () => {
  test('exclude slots before startTime, and from endTime on', () => {
    const world = CoreWorld.afterFirstReconcile({ startTime: at('02:00:00'), endTime: at('04:00:00') });
    expect(world.reconcile(at('01:00:00')).status.nextScheduleTime).toBe(at('02:00:00'));
    expect(world.reconcile(at('02:00:00')).created).toEqual([jobNameAt('02:00:00')]);
    expect(world.reconcile(at('03:00:00')).created).toEqual([jobNameAt('03:00:00')]);
    expect(world.reconcile(at('04:00:00')).created).toEqual([]);
    expect(world.reconcile(at('09:00:00')).created).toEqual([]);
  });

  test('after the end the CronJob has ended: no next time, no problem and no event', () => {
    const world = CoreWorld.afterFirstReconcile({ endTime: at('01:30:00') });
    const last = world.reconcile(at('01:00:00'));
    expect(last.status).not.toHaveProperty('nextScheduleTime');
    expect(last.requeueAfterMs).toBe(30 * MINUTES_MS + SCHEDULE_SLACK_MS);
    world.finish(at('01:10:00'));
    world.reconcile(at('01:10:00'));
    expect(world.reconcile(at('01:30:00'))).toMatchObject({ created: [], events: [] });
    expect(world.condition('Available')).toMatchObject({
      status: 'False',
      reason: 'Ended',
      message: `spec.endTime was ${at('01:30:00')}`,
    });
    expect(world.condition('Degraded')?.status).toBe('False');
    const later = world.reconcile(at('05:00:00'));
    expect(later.events).toEqual([]);
    expect(later.requeueAfterMs).toBeUndefined();
  });

  test('between the last slot and the end nothing is wrong', () => {
    const world = CoreWorld.afterFirstReconcile({ endTime: at('01:30:00') });
    expect(world.reconcile(at('01:00:00')).reasons).not.toContain('NeverFires');
    expect(world.condition('Degraded')?.status).toBe('False');
  });

  test('a window without a slot is a problem', () => {
    const world = CoreWorld.afterFirstReconcile({ startTime: at('01:10:00'), endTime: at('01:30:00') });
    world.reconcile(at('01:00:00'));
    expect(world.condition('Degraded')).toMatchObject({
      reason: 'NeverFires',
      message: `spec.endTime: ${at('01:30:00')}: no time of the schedule is before the end`,
    });
  });

  test('a success is not overdue when the end comes first', () => {
    const world = CoreWorld.afterFirstReconcile({ endTime: at('01:30:00'), expectSuccessWithinSeconds: 7200 });
    world.reconcile(at('01:00:00'));
    expect(world.reconcile(at('09:00:00')).reasons).not.toContain('Overdue');
    expect(world.condition('Overdue')?.status).toBe('False');
  });

  test('a success that is overdue before the end stays overdue after it', () => {
    const world = CoreWorld.afterFirstReconcile({ endTime: at('01:30:00'), expectSuccessWithinSeconds: 3600 });
    expect(world.reconcile(at('01:00:00')).reasons).toContain('Overdue');
    const { reasons } = world.reconcile(at('01:30:00'));
    expect([reasons, world.condition('Overdue')?.status]).toEqual([[], 'True']);
  });
});

describe('exclude', () => {
  const NIGHT = { reason: 'maintenance window', startTime: at('02:00:00'), endTime: at('04:00:00') };

  test('skips slots for good, and the status lists the skips with the reason', () => {
    const world = CoreWorld.afterFirstReconcile({ exclude: [NIGHT] });
    expect(world.reconcile(at('01:00:00')).requeueAfterMs).toBe(60 * MINUTES_MS + SCHEDULE_SLACK_MS);
    expect(world.reconcile(at('02:00:00'))).toMatchObject({ created: [], skips: [{ reason: 'Excluded', count: 1 }] });
    const second = world.reconcile(at('03:00:00'));
    expect(second.created).toEqual([]);
    expect(second.status).toMatchObject({
      handledThrough: at('03:00:00'),
      nextScheduleTime: at('04:00:00'),
      recentSkips: [`${at('02:00:00')} Excluded last=${at('03:00:00')} count=2 note=maintenance window`],
    });
    expect(world.reconcile(at('04:00:00'))).toMatchObject({ created: [jobNameAt('04:00:00')], skips: [] });
  });

  test('does so after downtime too, beside slots that were missed', () => {
    const world = CoreWorld.afterFirstReconcile({ exclude: [NIGHT] });
    const outcome = world.reconcile(at('05:10:00'));
    expect(outcome.created).toEqual([jobNameAt('05:00:00')]);
    expect(outcome.status.recentSkips).toEqual([
      `${at('02:00:00')} Excluded last=${at('03:00:00')} count=2 note=maintenance window`,
      `${at('01:00:00')} Superseded last=${at('04:00:00')} count=2`,
    ]);
  });

  test('has separate entries for the times before and after a run', () => {
    const world = CoreWorld.afterFirstReconcile({ exclude: [{ schedule: '0 1,3 * * *' }] });
    world.reconcile(at('01:00:00'), { crashes: true });
    world.reconcile(at('02:00:00'), { crashes: true });
    expect(world.reconcile(at('03:00:00')).status.recentSkips).toEqual([
      `${at('03:00:00')} Excluded`,
      `${at('01:00:00')} Excluded`,
    ]);
  });

  test('that is added after a run does not list the time of the run', () => {
    const world = CoreWorld.afterFirstReconcile();
    world.reconcile(at('01:00:00'));
    world.reconcile(at('02:00:00'), { crashes: true });
    world.edit({ exclude: [NIGHT] });
    expect(world.reconcile(at('02:10:00')).status).not.toHaveProperty('recentSkips');
  });

  test('has one entry for consecutive times, whatever characters the reason has', () => {
    const world = CoreWorld.afterFirstReconcile({ exclude: [{ ...NIGHT, reason: ' maintenance\nwindow ' }] });
    for (const time of ['01:00:00', '02:00:00']) world.reconcile(at(time));
    expect(world.reconcile(at('03:00:00')).status.recentSkips).toHaveLength(1);
  });

  test('that is removed later starts nothing', () => {
    const world = CoreWorld.afterFirstReconcile({ exclude: [NIGHT] });
    for (const time of ['01:00:00', '02:00:00', '03:00:00']) world.reconcile(at(time));
    world.edit({ exclude: undefined });
    expect(world.reconcile(at('03:10:00')).created).toEqual([]);
  });

  test('that covers every time and is removed later starts nothing', () => {
    const world = CoreWorld.afterFirstReconcile({ exclude: [{ schedule: '* * * * *' }] });
    expect(world.reconcile(at('00:30:00')).requeueAfterMs).toBe(30 * MINUTES_MS + SCHEDULE_SLACK_MS);
    world.reconcile(at('01:00:00'));
    world.edit({ exclude: undefined });
    expect(world.reconcile(at('01:10:00')).created).toEqual([]);
  });

  test('that is added later covers only slots that are not handled', () => {
    const world = CoreWorld.afterFirstReconcile();
    world.reconcile(at('02:00:00'));
    world.edit({ exclude: [NIGHT] });
    const outcome = world.reconcile(at('02:10:00'));
    expect(outcome.skips).toEqual([]);
    expect(outcome.status.lastScheduleTime).toBe(at('02:00:00'));
  });

  test('does not drop a slot that waits under Forbid', () => {
    const world = CoreWorld.afterFirstReconcile({
      concurrencyPolicy: 'Forbid',
      exclude: [NIGHT],
      schedules: ['30 1 * * *'],
    });
    world.reconcile(at('01:00:00'));
    expect(world.reconcile(at('01:30:00')).decision).toBe('Blocked');
    expect(world.reconcile(at('02:00:00')).decision).toBe('Blocked');
    world.finish(at('02:05:00'));
    expect(world.reconcile(at('02:05:00')).created).toEqual([jobNameAt('01:30:00')]);
  });

  test('takes dates and minutes in the time zone of the CronJob', () => {
    const world = CoreWorld.afterFirstReconcile({
      timeZone: 'Asia/Tokyo',
      exclude: [{ dates: ['2026-01-02'] }, { schedule: '* 13 * * *' }],
    });
    // 13:00 in Tokyo is 04:00 in UTC, and 2 January begins at 15:00 in UTC.
    expect(world.reconcile(at('03:00:00')).status.nextScheduleTime).toBe(at('05:00:00'));
    expect(world.reconcile(at('14:00:00')).status.nextScheduleTime).toBe('2026-01-02T15:00:00Z');
  });

  test('that covers every time is a problem', () => {
    const world = CoreWorld.afterFirstReconcile({ exclude: [{ schedule: '* * * * *' }] });
    world.reconcile(at('01:00:00'));
    expect(world.condition('Degraded')).toMatchObject({
      reason: 'NeverFires',
      message: 'spec.exclude: covers every time of the schedule',
    });
  });

  test.each([
    [{ startTime: at('04:00:00'), endTime: at('02:00:00') }, 'endTime must be after startTime'],
    [{ dates: ['2026-02-30'] }, 'each date must be like 2026-12-25'],
    [{ schedule: '@every 1h' }, 'schedule must not use @every'],
    [{}, 'give startTime and endTime, dates, or a schedule'],
  ])('with a value that only another CRD accepts, %j, starts nothing', (exclusion, fault) => {
    const world = CoreWorld.afterFirstReconcile({ exclude: [exclusion] });
    expect(world.reconcile(at('01:00:00')).created).toEqual([]);
    expect(world.condition('Available')?.message).toBe(`spec.exclude[0]: ${fault}`);
  });
});

test('values that only another CRD accepts do not make the status invalid', () => {
  const spec = { startTime: '', endTime: 'never', daylightSaving: { skippedTimes: 'Never' } } as object;
  const world = CoreWorld.afterFirstReconcile(spec);
  const outcome = world.reconcile(at('01:00:00'));
  expect(outcome.created).toEqual([jobNameAt('01:00:00')]);
  expect(outcome.status.effectiveSchedule).toEqual({ schedule: '0 * * * *', timeZone: 'UTC', since: at('00:00:00') });
});

test('daylightSaving decides what a change of the clock does', () => {
  const world = CoreWorld.afterFirstReconcile({
    schedule: '30 2 * * *',
    timeZone: 'Europe/Berlin',
    daylightSaving: { skippedTimes: 'RunAfter' },
  });
  expect(world.reconcile('2026-03-28T12:00:00Z').status.nextScheduleTime).toBe('2026-03-29T01:00:00Z');
});

// Seed 7116.
test('the cause that nothing fires stays the exclusion after the last excluded slot before the end', () => {
  const world = CoreWorld.afterFirstReconcile({
    endTime: at('04:30:00'),
    exclude: [{ schedule: '0 * * * *' }],
    suspendUntil: at('06:00:00'),
  });
  const { message } = world.condition('Degraded') ?? {};
  expect(message).toBe('spec.exclude: covers every time of the schedule');
  world.reconcile(at('04:10:00'));
  expect(world.condition('Degraded')?.message).toBe(message);
});
