import { describe, expect, test } from 'vitest';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at, jobNameAt } from '../../test/support/cron-jobs.ts';

function setTerminating(world: CoreWorld, count: number): void {
  world.jobs = world.jobs.map((job) => ({ ...job, status: { ...job.status, terminating: count } }));
}

describe('concurrencyPolicy Skip', () => {
  test('a slot that is due while a run is active never runs', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Skip' });
    expect(world.settle(at('01:00:00'))).toEqual([jobNameAt('01:00:00')]);
    expect(world.reconcile(at('02:00:00'))).toMatchObject({
      decision: 'Skip',
      skips: [{ reason: 'ConcurrencyPolicySkip', count: 1 }],
    });
    world.finish(at('02:10:00'));
    expect(world.settle(at('02:10:00'))).toEqual([]);
    expect(world.settle(at('03:00:00'))).toEqual([jobNameAt('03:00:00')]);
    expect(world.cronJob.status?.recentSkips).toEqual([`${at('02:00:00')} ConcurrencyPolicySkip`]);
  });

  test('a slot whose time came during a run never runs, even if that run ended before the reconcile', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Skip' });
    world.reconcile(at('01:00:00'));
    world.finish(at('02:30:00'));
    expect(world.settle(at('02:40:00'))).toEqual([]);
    expect(world.cronJob.status?.recentSkips).toEqual([`${at('02:00:00')} ConcurrencyPolicySkip`]);
    expect(world.settle(at('03:00:00'))).toEqual([jobNameAt('03:00:00')]);
  });

  test('the same holds after the Job of the run is deleted', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Skip' });
    world.reconcile(at('01:00:00'));
    world.finish(at('02:00:01'));
    world.reconcile(at('02:00:01'));
    world.jobs = [];
    expect(world.cronJob.status?.recentSkips).toEqual([`${at('02:00:00')} ConcurrencyPolicySkip`]);
    expect(world.settle(at('02:00:02'))).toEqual([]);
  });

  test('a slot at or after the end of a run starts', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Skip' });
    world.reconcile(at('01:00:00'));
    world.finish(at('02:00:00'));
    expect(world.settle(at('02:00:00'))).toEqual([jobNameAt('02:00:00')]);
    world.finish(at('03:30:00'));
    expect(world.settle(at('04:00:01'))).toEqual([jobNameAt('04:00:00')]);
  });

  test('with All, the first missed slot starts, and the others are skipped while its run is active', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Skip', catchUpPolicy: 'All' });
    expect(world.settle(at('03:00:01'))).toEqual([jobNameAt('01:00:00')]);
    expect(world.cronJob.status?.recentSkips).toEqual([
      `${at('02:00:00')} ConcurrencyPolicySkip last=${at('03:00:00')} count=2`,
    ]);
  });

  test('skips while the Pods of a finished run terminate', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Skip' });
    world.reconcile(at('01:00:00'));
    world.finish(at('01:10:00'));
    setTerminating(world, 1);
    expect(world.reconcile(at('02:00:00')).decision).toBe('Skip');
    setTerminating(world, 0);
    expect(world.settle(at('03:00:00'))).toEqual([jobNameAt('03:00:00')]);
  });

  test('lets a manual run wait until the active run finishes', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Skip' });
    world.reconcile(at('01:00:00'));
    world.annotate({ [RUN_NOW_ANNOTATION]: 'first' });
    expect(world.settle(at('01:10:00'))).toEqual([]);
    world.finish(at('01:20:00'));
    expect(world.settle(at('01:20:00'))).toEqual([expect.stringContaining('hello-m')]);
  });

  test('a skip whose status is lost is recorded once', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Skip' });
    world.reconcile(at('01:00:00'));
    world.reconcile(at('02:00:00'), { crashes: true });
    expect(world.reconcile(at('02:00:01')).skips).toEqual([{ reason: 'ConcurrencyPolicySkip', count: 1 }]);
    expect(world.reconcile(at('02:00:02')).skips).toEqual([]);
  });
});
