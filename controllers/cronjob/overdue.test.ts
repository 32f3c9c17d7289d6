import { describe, expect, test } from 'vitest';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at, cronJob } from '../../test/support/cron-jobs.ts';
import { SCHEDULE_SLACK_MS } from './conclude.ts';
import { computeOverdueTime } from './conditions.ts';
import { assess } from './facts.ts';

const HOURS_MS = 3_600_000;

/** A success is expected within two hours. */
function worldOf(spec: Parameters<typeof cronJob>[0] = {}, metadata: Parameters<typeof cronJob>[2] = {}): CoreWorld {
  return new CoreWorld(
    cronJob({ expectSuccessWithinSeconds: 7200, schedule: '0 0 * * *', ...spec }, undefined, metadata),
  );
}

describe('the Overdue condition', () => {
  test('goes when no success is expected any more', () => {
    const world = worldOf();
    world.reconcile(at('00:00:00'));
    world.edit({ expectSuccessWithinSeconds: undefined });
    world.reconcile(at('03:00:00'));
    expect(world.condition('Overdue')).toBeUndefined();
    expect(world.cronJob.status).not.toHaveProperty('successExpectedSince');
  });

  test('better: Overdue counts from the creation, and is reported once', () => {
    const world = worldOf();
    const first = world.reconcile(at('00:00:30'));
    expect(world.condition('Overdue')).toMatchObject({ status: 'False', reason: 'AsExpected' });
    expect(first.requeueAfterMs).toBe(2 * HOURS_MS - 30_000 + SCHEDULE_SLACK_MS);
    expect(first.status.successExpectedSince).toBe(at('00:00:00'));
    const late = world.reconcile(at('02:00:00'));
    expect(world.condition('Overdue')).toMatchObject({
      status: 'True',
      reason: 'NoRecentSuccess',
      message: 'no run has succeeded; spec.expectSuccessWithinSeconds is 7200',
    });
    expect(late.reasons).toEqual(['Overdue']);
    expect(late.requeueAfterMs).toBe(22 * HOURS_MS + SCHEDULE_SLACK_MS);
    expect(world.reconcile(at('03:00:00')).reasons).toEqual([]);
  });

  test('counts from suspendUntil, also when no status says that it was suspended', () => {
    const world = worldOf();
    world.reconcile(at('00:00:30'));
    world.edit({ suspendUntil: at('04:00:00') });
    expect(world.reconcile(at('05:00:00')).status.successExpectedSince).toBe(at('04:00:00'));
    expect(world.condition('Overdue')).toMatchObject({ status: 'False', reason: 'AsExpected' });
    world.edit({ suspend: true, suspendUntil: at('04:30:00') });
    expect(world.reconcile(at('05:00:30')).status.successExpectedSince).toBe(at('04:00:00'));
    world.edit({ expectSuccessWithinSeconds: undefined });
    expect(world.reconcile(at('05:01:00')).status).not.toHaveProperty('successExpectedSince');
  });

  test('ends with a success, also of a manual run, and an event reports it', () => {
    const world = worldOf();
    world.reconcile(at('00:00:00'));
    world.reconcile(at('02:00:00'));
    world.annotate({ [RUN_NOW_ANNOTATION]: 'by hand' });
    world.reconcile(at('02:30:00'));
    world.finish(at('02:31:00'));
    const outcome = world.reconcile(at('02:31:01'));
    expect(world.condition('Overdue')).toMatchObject({ status: 'False', reason: 'AsExpected' });
    expect(outcome.reasons).toEqual(['SawCompletedJob', 'NotOverdue']);
    expect(outcome.requeueAfterMs).toBe(2 * HOURS_MS - 1000 + SCHEDULE_SLACK_MS);
    expect(world.reconcile(at('04:31:00')).reasons).toEqual(['Overdue']);
    expect(world.condition('Overdue')?.message).toBe(
      `the last success was at ${at('02:31:00')}; spec.expectSuccessWithinSeconds is 7200`,
    );
  });

  test('counts from the first reconcile that knows of no success when the field is added later, else from the success', () => {
    const world = new CoreWorld();
    world.reconcile(at('00:00:00'));
    world.edit({ expectSuccessWithinSeconds: 7200 });
    expect(world.reconcile(at('05:00:00')).status.successExpectedSince).toBe(at('05:00:00'));
    expect(world.reconcile(at('05:10:00')).status.successExpectedSince).toBe(at('05:00:00'));
    const other = new CoreWorld(cronJob({}, { observedGeneration: 1, lastSuccessfulTime: at('00:30:00') }));
    other.edit({ expectSuccessWithinSeconds: 7200 });
    expect(other.reconcile(at('02:29:59')).status).not.toHaveProperty('successExpectedSince');
    expect(other.condition('Overdue')?.status).toBe('False');
    other.reconcile(at('02:30:00'));
    expect(other.condition('Overdue')?.status).toBe('True');
  });

  test('is False while suspended, and counts from the end of that', () => {
    const world = worldOf();
    world.reconcile(at('00:00:00'));
    world.reconcile(at('02:00:00'));
    world.edit({ suspend: true });
    const suspended = world.reconcile(at('03:00:00'));
    expect(world.condition('Overdue')).toMatchObject({
      status: 'False',
      reason: 'Suspended',
      message: 'spec.suspend is true',
    });
    expect(suspended.requeueAfterMs).toBeUndefined();
    expect(world.reconcile(at('09:00:00')).reasons).toEqual([]);
    world.edit({ suspend: false });
    expect(world.reconcile(at('10:00:00')).status.successExpectedSince).toBe(at('10:00:00'));
    expect(world.condition('Overdue')).toMatchObject({ status: 'False', reason: 'AsExpected' });
    world.reconcile(at('12:00:00'));
    expect(world.condition('Overdue')?.status).toBe('True');
  });

  test('counts from the lifting of suspend, whatever suspendUntil was there before', () => {
    const world = worldOf({ suspend: true, suspendUntil: at('00:30:00') });
    world.reconcile(at('00:00:00'));
    world.reconcile(at('09:00:00'));
    world.edit({ suspend: false });
    expect(world.reconcile(at('10:00:00')).status.successExpectedSince).toBe(at('10:00:00'));
    expect(world.condition('Overdue')).toMatchObject({ status: 'False', reason: 'AsExpected' });
  });

  test('does not wait for a stored time that is more than a minute ahead of the clock', () => {
    const world = worldOf();
    world.reconcile(at('00:00:00'));
    const ahead = (successExpectedSince: string) => {
      world.cronJob = { ...world.cronJob, status: { ...world.cronJob.status, successExpectedSince } };
    };
    ahead('9999-12-31T23:59:59Z');
    expect(world.reconcile(at('01:00:00')).status.successExpectedSince).toBe(at('01:00:00'));
    ahead(at('02:01:00'));
    expect(world.reconcile(at('02:00:00')).status.successExpectedSince).toBe(at('02:01:00'));
    world.reconcile(at('04:01:00'));
    expect(world.condition('Overdue')?.status).toBe('True');
  });

  test('is armed while paused: the pause must not silence the alarm', () => {
    const world = worldOf({ schedule: '0 * * * *', pauseAfterFailures: 1 });
    world.reconcile(at('01:00:00'));
    world.finish(at('01:00:09'), 'Failed');
    const outcome = world.reconcile(at('01:00:10'));
    expect(outcome.status.paused).toBeDefined();
    expect(outcome.requeueAfterMs).toBe(HOURS_MS - 10_000 + SCHEDULE_SLACK_MS);
    expect(world.reconcile(at('02:00:00')).reasons).toEqual(['Overdue']);
  });

  test('never comes with a time that no Date can hold, nor for a CronJob that is being deleted', () => {
    const world = worldOf({ expectSuccessWithinSeconds: 2 ** 53, schedule: '0 0 30 2 *' });
    expect(world.reconcile(at('00:00:00')).requeueAfterMs).toBeUndefined();
    expect(world.condition('Overdue')?.status).toBe('False');
    const deleted = worldOf({}, { deletionTimestamp: at('00:00:00') });
    expect(deleted.reconcile(at('00:00:00')).requeueAfterMs).toBeUndefined();
  });

  test('counts from now with a status that has neither time', () => {
    const facts = assess({ cronJob: cronJob({ expectSuccessWithinSeconds: 60 }), jobs: [] }, new Date(at('00:10:00')));
    expect(computeOverdueTime(facts, {})).toEqual(new Date(at('00:11:00')));
  });
});
