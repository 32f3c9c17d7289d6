import { stableDelayMs } from 'kubernetes-cron-schedule';
import { describe, expect, test } from 'vitest';
import { formatTime } from '../../api/time.ts';
import { SCHEDULED_AT_ANNOTATION, SCHEDULED_TIMESTAMP_ANNOTATION } from '../../api/v1/groupversion.ts';
import { formatDuration } from '../../api/v1/recent-lines.ts';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at, cronJob, jobNameAt } from '../../test/support/cron-jobs.ts';
import { SCHEDULE_SLACK_MS } from './conclude.ts';

describe('jitterSeconds', () => {
  // The delay of the UID of the test CronJob within ten minutes.
  const DELAY_MS = stableDelayMs(cronJob().metadata.uid, 600);
  const delayed = (time: string, ms: number) => formatTime(new Date(Date.parse(at(time)) + ms));

  test('delays each start by the same time, and a wake-up before starts nothing', () => {
    const world = CoreWorld.afterFirstReconcile({ jitterSeconds: 600, runContext: 'Env' });
    const early = world.reconcile(at('01:00:00'));
    expect(early.created).toEqual([]);
    expect(early.status).toMatchObject({
      nextScheduleTime: at('01:00:00'),
      nextStartTime: delayed('01:00:00', DELAY_MS),
    });
    expect(early.requeueAfterMs).toBe(DELAY_MS + SCHEDULE_SLACK_MS);
    const first = world.reconcile(delayed('01:00:00', DELAY_MS));
    expect(first.created).toEqual([jobNameAt('01:00:00')]);
    expect(first.status).toMatchObject({ lastScheduleTime: at('01:00:00'), nextScheduleTime: at('02:00:00') });
    expect(first.status.recentRuns).toEqual([
      `${at('01:00:00')} Running ${jobNameAt('01:00:00')} Schedule late=${formatDuration(DELAY_MS / 1000)}`,
    ]);
    const [job] = world.jobs;
    expect(job?.metadata.annotations).toMatchObject({
      [SCHEDULED_TIMESTAMP_ANNOTATION]: at('01:00:00'),
      [SCHEDULED_AT_ANNOTATION]: at('01:00:00'),
    });
    expect(job?.spec.template.spec?.containers[0]?.env).toContainEqual({
      name: 'CRONJOB_SCHEDULED_TIME',
      value: at('01:00:00'),
    });
    expect(world.reconcile(delayed('02:00:00', DELAY_MS)).created).toEqual([jobNameAt('02:00:00')]);
  });

  test('an edit of another field does not lose a slot that waits for its delay', () => {
    const world = CoreWorld.afterFirstReconcile({ jitterSeconds: 600 });
    world.reconcile(at('01:00:00'));
    world.edit({ successfulJobsHistoryLimit: 1 });
    world.reconcile(delayed('01:00:00', DELAY_MS / 2));
    expect(world.reconcile(delayed('01:00:00', DELAY_MS)).created).toEqual([jobNameAt('01:00:00')]);
  });

  test('the deadline counts from the delayed start', () => {
    const world = CoreWorld.afterFirstReconcile({ jitterSeconds: 600, startingDeadlineSeconds: 30 });
    expect(world.reconcile(delayed('01:00:00', DELAY_MS + 30_000)).created).toEqual([]);
    const other = CoreWorld.afterFirstReconcile({ jitterSeconds: 600, startingDeadlineSeconds: 30 });
    expect(other.reconcile(delayed('01:00:00', DELAY_MS + 29_000)).created).toEqual([jobNameAt('01:00:00')]);
  });

  test('the delay is shorter than the time to the next slot, so that slots keep their order', () => {
    const world = CoreWorld.afterFirstReconcile({ schedule: '* * * * *', jitterSeconds: 86_400 });
    expect(world.reconcile(at('00:01:58')).created).toEqual([]);
    expect(world.reconcile(at('00:01:59')).created).toEqual([jobNameAt('00:01:00')]);
    expect(world.reconcile(at('00:02:59')).created).toEqual([jobNameAt('00:02:00')]);
  });

  test('a slot that waits for its delay is not missed when more than 100 earlier slots are', () => {
    const world = CoreWorld.afterFirstReconcile({ schedule: '* * * * *', jitterSeconds: 86_400 });
    const outcome = world.reconcile(at('03:00:30'));
    expect(outcome.created).toEqual([]);
    expect(outcome.status.handledThrough).toBe(at('02:59:59'));
    expect(world.reconcile(at('03:00:59')).created).toEqual([jobNameAt('03:00:00')]);
  });

  test('exclusions apply to the scheduled time, not to the delayed start', () => {
    const delayedStart = delayed('01:00:00', DELAY_MS);
    const excludeBetween = (startTime: string, endTime: string) =>
      CoreWorld.afterFirstReconcile({ jitterSeconds: 600, exclude: [{ startTime, endTime }] });
    expect(excludeBetween(at('01:00:00'), delayedStart).settle(delayedStart)).toEqual([]);
    expect(excludeBetween(at('01:00:01'), at('01:30:00')).settle(delayedStart)).toEqual([jobNameAt('01:00:00')]);
  });

  test('an excluded time that comes during the delay does not drop the slot', () => {
    const world = CoreWorld.afterFirstReconcile({
      schedules: ['1 * * * *'],
      exclude: [{ schedule: '1 * * * *' }],
      jitterSeconds: 86_400,
    });
    world.reconcile(at('01:01:00'));
    expect(world.reconcile(at('01:59:59')).created).toEqual([jobNameAt('01:00:00')]);
  });

  test('an excluded time is handled at its time during the delay of a slot from before the creation', () => {
    const world = CoreWorld.afterFirstReconcile({
      schedules: ['1 * * * *'],
      exclude: [{ schedule: '1 * * * *' }],
      jitterSeconds: 86_400,
    });
    expect(world.reconcile(at('00:01:00')).status.handledThrough).toBe(at('00:01:00'));
  });

  test('a slot before endTime starts after its delay, although the end comes first', () => {
    const world = CoreWorld.afterFirstReconcile({ jitterSeconds: 600, endTime: at('01:00:01') });
    const atEnd = world.reconcile(at('01:00:01'));
    expect(atEnd.created).toEqual([]);
    expect(atEnd.status).toMatchObject({
      nextScheduleTime: at('01:00:00'),
      nextStartTime: delayed('01:00:00', DELAY_MS),
    });
    expect(world.condition('Available')?.reason).toBe('Ended');
    const last = world.reconcile(delayed('01:00:00', DELAY_MS));
    expect(last.created).toEqual([jobNameAt('01:00:00')]);
    expect(last.status).not.toHaveProperty('nextScheduleTime');
    world.finish(at('01:30:00'));
    expect(world.reconcile(at('02:30:00'))).toMatchObject({ created: [] });
  });
});
