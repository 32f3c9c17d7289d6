import { describe, expect, test } from 'vitest';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at, jobNameAt } from '../../test/support/cron-jobs.ts';
import { SCHEDULE_SLACK_MS } from './conclude.ts';

const HOURS_MS = 3_600_000;
const UNTIL = { suspendUntil: at('03:30:00') };

describe('suspendUntil', () => {
  test('suspends, says until when, and shows the first slot after it', () => {
    const world = CoreWorld.afterFirstReconcile(UNTIL);
    const outcome = world.reconcile(at('01:00:00'));
    expect(outcome).toMatchObject({ decision: 'NothingDue', created: [] });
    expect(outcome.requeueAfterMs).toBe(2.5 * HOURS_MS + SCHEDULE_SLACK_MS);
    expect(outcome.status).toMatchObject({ nextScheduleTime: at('04:00:00'), suspendedUntil: at('03:30:00') });
    expect(world.condition('Available')).toMatchObject({
      reason: 'Suspended',
      message: `spec.suspendUntil is ${at('03:30:00')}`,
    });
  });

  test('voids earlier slots after it has passed, and reports them once', () => {
    const world = CoreWorld.afterFirstReconcile(UNTIL);
    world.reconcile(at('01:00:00'));
    const outcome = world.reconcile(at('03:30:00'));
    expect(outcome).toMatchObject({ decision: 'NothingDue', reasons: [] });
    expect(outcome.status).toMatchObject({
      handledThrough: at('03:00:00'),
      recentSkips: [`${at('01:00:00')} Suspended last=${at('03:00:00')} count=3`],
    });
    expect(outcome.status).not.toHaveProperty('suspendedUntil');
    expect(outcome.skips).toEqual([{ reason: 'Suspended', count: 3 }]);
    expect(world.condition('Available')?.status).toBe('True');
    const next = world.reconcile(at('04:00:00'));
    expect([next.created, next.skips]).toEqual([[jobNameAt('04:00:00')], []]);
  });

  test('suspendUntil voids earlier slots after downtime too, and later slots run', () => {
    const world = CoreWorld.afterFirstReconcile(UNTIL);
    const outcome = world.reconcile(at('05:10:00'));
    expect(outcome.created).toEqual([jobNameAt('05:00:00')]);
    expect(outcome.status.recentSkips).toEqual([
      `${at('04:00:00')} Superseded`,
      `${at('01:00:00')} Suspended last=${at('03:00:00')} count=3`,
    ]);
  });

  test('lets a slot run that is due at that very time', () => {
    const world = CoreWorld.afterFirstReconcile({ suspendUntil: at('03:00:00') });
    expect(world.reconcile(at('03:00:00')).created).toEqual([jobNameAt('03:00:00')]);
  });

  test('gives way to suspend: true', () => {
    const world = CoreWorld.afterFirstReconcile({ ...UNTIL, suspend: true });
    const outcome = world.reconcile(at('01:00:00'));
    expect(outcome.requeueAfterMs).toBeUndefined();
    expect(outcome.status).not.toHaveProperty('nextScheduleTime');
    expect(outcome.status).not.toHaveProperty('suspendedUntil');
    expect(world.condition('Available')?.message).toBe('spec.suspend is true');
    expect(world.reconcile(at('04:00:00')).decision).toBe('NothingDue');
  });

  test.each([
    ['removed', undefined],
    ['moved to an earlier time', at('01:30:00')],
  ])('lifts the suspension when it is %s: the newest slot may start, as when suspend is lifted', (_, suspendUntil) => {
    const world = CoreWorld.afterFirstReconcile(UNTIL);
    world.reconcile(at('01:00:00'));
    world.edit({ suspendUntil });
    const outcome = world.reconcile(at('03:10:00'));
    expect(outcome.created).toEqual([jobNameAt('03:00:00')]);
    expect(outcome.status.recentSkips).toEqual([`${at('01:00:00')} Suspended last=${at('02:00:00')} count=2`]);
  });
});
