/** The fields that decide which missed slots start late. */
import { describe, expect, test } from 'vitest';
import { RESUME_ANNOTATION } from '../../api/v1/groupversion.ts';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at, jobNameAt } from '../../test/support/cron-jobs.ts';

describe('catchUpPolicy', () => {
  test('All starts every missed slot, the oldest first', () => {
    const world = CoreWorld.afterFirstReconcile({ catchUpPolicy: 'All' });
    expect(world.settle(at('03:00:01'))).toEqual(['01:00:00', '02:00:00', '03:00:00'].map(jobNameAt));
    expect(world.cronJob.status).toMatchObject({ lastScheduleTime: at('03:00:00') });
    expect(world.cronJob.status?.recentSkips).toBeUndefined();
  });

  test('Latest starts only the newest missed slot, as without the field', () => {
    const world = CoreWorld.afterFirstReconcile({ catchUpPolicy: 'Latest' });
    expect(world.settle(at('03:00:01'))).toEqual([jobNameAt('03:00:00')]);
    expect(world.cronJob.status?.recentSkips).toEqual([`${at('01:00:00')} Superseded last=${at('02:00:00')} count=2`]);
  });

  test('catchUpPolicy All skips the oldest slots above catchUpLimit', () => {
    const world = CoreWorld.afterFirstReconcile({ catchUpPolicy: 'All', catchUpLimit: 2 });
    expect(world.settle(at('05:00:01'))).toEqual(['04:00:00', '05:00:00'].map(jobNameAt));
    expect(world.cronJob.status?.recentSkips).toEqual([
      `${at('01:00:00')} TooManyMissedTimes last=${at('03:00:00')} count=3`,
    ]);
  });

  test('All starts up to a hundred missed slots without catchUpLimit, and up to a thousand with it', () => {
    const first = CoreWorld.afterFirstReconcile({ schedule: '* * * * *', catchUpPolicy: 'All' });
    const names = first.settle(at('20:00:01'));
    expect([names.length, names[0], names.at(-1)]).toEqual([100, jobNameAt('18:21:00'), jobNameAt('20:00:00')]);
    const second = CoreWorld.afterFirstReconcile({ schedule: '* * * * *', catchUpPolicy: 'All', catchUpLimit: 1000 });
    expect(second.settle(at('05:00:01'))).toHaveLength(300);
  });

  test('All starts no slot whose deadline has passed', () => {
    const world = CoreWorld.afterFirstReconcile({ catchUpPolicy: 'All', startingDeadlineSeconds: 4000 });
    expect(world.settle(at('03:00:01'))).toEqual(['02:00:00', '03:00:00'].map(jobNameAt));
    expect(world.cronJob.status?.recentSkips).toEqual([`${at('01:00:00')} DeadlineExceeded`]);
  });

  test('All runs no slots of a suspension', () => {
    const world = CoreWorld.afterFirstReconcile({ catchUpPolicy: 'All', suspend: true });
    world.edit({ suspend: false });
    expect(world.settle(at('03:00:01'))).toEqual([jobNameAt('03:00:00')]);
    expect(world.cronJob.status?.recentSkips).toEqual([`${at('01:00:00')} Suspended last=${at('02:00:00')} count=2`]);
  });

  test.each(['Allow', 'Queue'] as const)(
    'after a suspension with more than a hundred slots, no missed run starts: %s',
    (concurrencyPolicy) => {
      const world = CoreWorld.afterFirstReconcile({
        schedule: '* * * * *',
        catchUpPolicy: 'All',
        concurrencyPolicy,
        suspend: true,
      });
      world.edit({ suspend: false });
      expect(world.settle(at('03:00:01'))).toEqual([]);
      expect(world.settle(at('03:01:00'))).toEqual([jobNameAt('03:01:00')]);
    },
  );

  test('All runs no slots before suspendUntil', () => {
    const world = CoreWorld.afterFirstReconcile({ catchUpPolicy: 'All', suspendUntil: at('02:30:00') });
    expect(world.settle(at('04:00:01'))).toEqual(['03:00:00', '04:00:00'].map(jobNameAt));
  });

  test('All runs no slots of a pause', () => {
    const world = CoreWorld.afterFirstReconcile({ catchUpPolicy: 'All', pauseAfterFailures: 1 });
    world.reconcile(at('01:00:00'));
    world.finish(at('01:10:00'), 'Failed');
    world.reconcile(at('01:10:00'));
    world.annotate({ [RESUME_ANNOTATION]: '1' });
    expect(world.settle(at('03:10:00'))).toEqual([]);
    expect(world.cronJob.status?.recentSkips).toEqual([`${at('02:00:00')} Paused last=${at('03:00:00')} count=2`]);
    expect(world.settle(at('05:00:00'))).toEqual(['04:00:00', '05:00:00'].map(jobNameAt));
  });

  test('All starts nothing that an edit of the schedule made void', () => {
    const world = CoreWorld.afterFirstReconcile({ catchUpPolicy: 'All' });
    world.edit({ schedule: '30 * * * *' });
    world.reconcile(at('03:10:00'));
    expect(world.settle(at('04:40:00'))).toEqual(['03:30:00', '04:30:00'].map(jobNameAt));
  });

  test('a crash after a start repeats no slot and loses none', () => {
    const world = CoreWorld.afterFirstReconcile({ catchUpPolicy: 'All' });
    expect(world.reconcile(at('03:00:01'), { crashes: true }).created).toEqual([jobNameAt('01:00:00')]);
    expect(world.settle(at('03:00:02'))).toEqual(['02:00:00', '03:00:00'].map(jobNameAt));
    expect(world.cronJob.status?.recentSkips).toBeUndefined();
  });

  test('All with Forbid waits for each run, and starts the next one', () => {
    const world = CoreWorld.afterFirstReconcile({ catchUpPolicy: 'All', concurrencyPolicy: 'Forbid' });
    expect(world.settle(at('03:00:01'))).toEqual([jobNameAt('01:00:00')]);
    world.finish(at('03:05:00'));
    expect(world.settle(at('03:05:00'))).toEqual([jobNameAt('02:00:00')]);
    world.finish(at('03:06:00'));
    expect(world.settle(at('03:06:00'))).toEqual([jobNameAt('03:00:00')]);
  });

  test('with Allow and All, every missed slot waits and starts in its turn', () => {
    const world = CoreWorld.afterFirstReconcile({ catchUpPolicy: 'All', maxConcurrentRuns: 1 });
    expect(world.settle(at('03:00:01'))).toEqual([jobNameAt('01:00:00')]);
    world.finish(at('03:05:00'));
    expect(world.settle(at('03:05:00'))).toEqual([jobNameAt('02:00:00')]);
    world.finish(at('03:06:00'));
    expect(world.settle(at('03:06:00'))).toEqual([jobNameAt('03:00:00')]);
    expect(world.cronJob.status?.recentSkips).toBeUndefined();
  });

  test('an excluded slot between missed slots is recorded once, and the slots around it start', () => {
    const world = CoreWorld.afterFirstReconcile({ catchUpPolicy: 'All', exclude: [{ schedule: '* 2 * * *' }] });
    expect(world.settle(at('03:00:01'))).toEqual(['01:00:00', '03:00:00'].map(jobNameAt));
    expect(world.cronJob.status?.recentSkips).toEqual([`${at('02:00:00')} Excluded`]);
  });

  test('an excluded slot after a missed slot does not make the missed slot handled', () => {
    const world = CoreWorld.afterFirstReconcile({ catchUpPolicy: 'All', exclude: [{ schedule: '* 3 * * *' }] });
    expect(world.settle(at('03:00:01'))).toEqual(['01:00:00', '02:00:00'].map(jobNameAt));
    expect(world.cronJob.status?.recentSkips).toEqual([`${at('03:00:00')} Excluded`]);
  });
});
