import { describe, expect, test } from 'vitest';
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { RESUME_ANNOTATION, RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { CoreWorld, manualJobName, withRunNow } from '../../test/support/core-world.ts';
import { at, buildJob, cronJob, jobNameAt } from '../../test/support/cron-jobs.ts';

test('a run whose Job is gone before any status was stored is the last one', () => {
  const world = new CoreWorld();
  world.reconcile(at('01:00:00'));
  world.finish(at('01:00:05'));
  world.reconcile(at('01:00:06'));
  world.reconcile(at('02:00:00'), { isCrowded: true });
  world.jobs = [];
  const scheduledTime = at('02:00:00');
  const lastRun = { jobName: jobNameAt('02:00:00'), scheduledTime, result: 'Unknown', reason: 'JobDeleted' };
  expect(world.reconcile(at('02:00:01')).status).toMatchObject({ lastScheduleTime: scheduledTime, lastRun });
});

describe('under Replace, a run that no stored status knows of', () => {
  const spec = { concurrencyPolicy: 'Replace' } as const;
  const cases = [
    {
      what: 'one of a slot, for one by hand',
      start: () => {
        const world = withRunNow('by hand', spec);
        world.jobs = [buildJob(at('01:00:00'))];
        return world;
      },
      decision: 'RunNow',
      old: buildJob(at('01:00:00')).metadata.name,
    },
    {
      what: 'one by hand, for one of a slot',
      start: () => {
        const world = withRunNow('by hand', spec);
        world.reconcile(at('00:40:00'), { crashes: true });
        return world;
      },
      decision: 'Run',
      old: manualJobName('by hand'),
    },
  ];

  test.each(cases)('a run is recorded before its Job is replaced: $what', (each) => {
    const world = each.start();
    const first = world.reconcile(at('01:00:01'), { isCrowded: true });
    expect([first.decision, first.deleted, first.created]).toEqual(['RecordFirst', [], []]);
    expect(first.requeue).toBe('normal');
    const second = world.reconcile(at('01:00:02'), { crashes: true });
    expect([second.decision, second.deleted]).toEqual([each.decision, [each.old]]);
    expect(world.reconcile(at('01:00:03')).created).toEqual([]);
    const { status } = world.reconcile(at('01:00:04'));
    expect(status).toMatchObject({ lastScheduleTime: at('01:00:00'), lastManualRun: 'by hand' });
  });

  test.each(cases)('is not started again after a crash between the delete and the create: $what', (each) => {
    const world = each.start();
    world.reconcile(at('01:00:01'), { isCrowded: true });
    const restarted = new CoreWorld(world.cronJob);
    const { decision, created } = restarted.reconcile(at('01:00:02'));
    expect([decision, created.includes(each.old), created.length]).toEqual([each.decision, false, 1]);
  });

  test.each(cases)('is replaced all the same when the status cannot be stored: $what', (each) => {
    const world = each.start();
    const first = world.reconcile(at('01:00:01'), { losesStatus: true });
    expect([first.decision, first.requeue]).toEqual(['RecordFirst', 'normal']);
    const second = world.reconcile(at('01:00:02'), { losesStatus: true });
    expect([second.decision, second.deleted]).toEqual([each.decision, [each.old]]);
    const next = world.reconcile(at('01:00:03'));
    expect(next.created).toEqual([]);
    expect(next.status).toMatchObject({ lastScheduleTime: at('01:00:00'), lastManualRun: 'by hand' });
  });

  test('is not replaced while it is ahead of the clock, and runs once: a leader whose clock was ahead has started it, and crashed', () => {
    const world = new CoreWorld(cronJob(spec));
    world.reconcile(at('00:00:00'));
    world.jobs = [buildJob(at('02:00:00'))];
    const { decision, deleted, created } = world.reconcile(at('01:00:00'));
    expect({ decision, deleted, created }).toEqual({ decision: 'Run', deleted: [], created: [jobNameAt('01:00:00')] });
    expect(world.reconcile(at('02:00:00'))).toMatchObject({ decision: 'NothingDue', deleted: [], created: [] });
    expect(world.reconcile(at('03:00:00')).deleted).toEqual([jobNameAt('02:00:00'), jobNameAt('01:00:00')]);
  });

  test('is replaced though it is ahead of the clock, when the status knows of it', () => {
    const world = new CoreWorld(cronJob(spec));
    world.reconcile(at('02:00:00'));
    world.annotate({ [RUN_NOW_ANNOTATION]: 'by hand' });
    expect(world.reconcile(at('01:30:00'))).toMatchObject({ decision: 'RunNow', deleted: [jobNameAt('02:00:00')] });
    expect(world.reconcile(at('02:00:00')).created).toEqual([]);
  });
});

function store(world: CoreWorld, status: CronJobStatus): void {
  world.cronJob = { ...world.cronJob, status };
}

describe('a status whose write got no answer, and that is stored after the next reconcile has read,', () => {
  interface ReconcileTimes {
    readonly first: string;
    readonly second: string;
    readonly between?: () => void;
  }

  /** Stores the status late. The write of the second reconcile then fails with a conflict. */
  function storeLate(world: CoreWorld, { first, second, between }: ReconcileTimes): void {
    const { status } = world.reconcile(at(first), { losesStatus: true });
    between?.();
    world.reconcile(at(second), { losesStatus: true });
    store(world, status);
  }

  test('does not undo a resume', () => {
    const world = CoreWorld.afterFirstReconcile({ pauseAfterFailures: 1 });
    world.reconcile(at('01:00:00'));
    world.finish(at('01:00:30'), 'Failed');
    const between = () => world.annotate({ [RESUME_ANNOTATION]: 'now' });
    storeLate(world, { first: '01:00:31', second: '01:00:40', between });
    expect(world.reconcile(at('01:00:45')).status.paused).toBeUndefined();
    expect(world.reconcile(at('02:00:00')).created).toEqual([jobNameAt('02:00:00')]);
  });

  test('leaves no failure uncounted', () => {
    const world = CoreWorld.afterFirstReconcile({ pauseAfterFailures: 5 });
    world.reconcile(at('01:00:00'));
    world.reconcile(at('02:00:00'));
    const [first, second] = world.jobs;
    world.finish(at('02:00:30'), 'Failed', first);
    const between = () => world.finish(at('02:00:33'), 'Failed', second);
    storeLate(world, { first: '02:00:31', second: '02:00:34', between });
    expect(world.reconcile(at('02:00:40')).status.consecutiveFailures).toBe(2);
  });
});

describe('a condition that another controller sets while a status is pending', () => {
  const condition = {
    type: 'Approved',
    status: 'True',
    reason: 'ByHand',
    message: '',
    lastTransitionTime: at('00:10:00'),
  } as const;

  function approve(world: CoreWorld): void {
    const { status = {} } = world.cronJob;
    store(world, { ...status, conditions: [...(status.conditions ?? []), condition] });
  }

  test('stays, and has no event sent twice', () => {
    const world = CoreWorld.afterFirstReconcile({ schedule: '0 23 * * *', expectSuccessWithinSeconds: 3600 });
    world.reconcile(at('01:30:00'), { losesStatus: true });
    approve(world);
    const { reasons, status } = world.reconcile(at('01:30:01'));
    expect(reasons).toEqual(['Overdue']);
    expect(status.conditions).toContainEqual(condition);
  });
});

describe('a cache that is older than the status', () => {
  test('does not make a run active again that was replaced', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Replace' });
    world.reconcile(at('01:00:00'));
    const before = world.jobs;
    world.reconcile(at('02:00:00'), { isCrowded: true });
    const after = world.jobs;
    world.jobs = [...before, ...after];
    expect(world.reconcile(at('02:00:01')).status.activeCount).toBe(1);
    world.jobs = after;
    expect(world.reconcile(at('02:00:02')).reasons).toEqual([]);
  });

  test('shows that a run that was replaced is still being deleted', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Replace' });
    world.jobs = [buildJob(at('01:00:00'))];
    world.reconcile(at('01:00:00'));
    world.reconcile(at('02:00:00'));
    world.jobs = [buildJob(at('01:00:00'), { isBeingDeleted: true }), ...world.jobs];
    expect(world.reconcile(at('02:00:01')).status.activeCount).toBe(2);
  });

  test('has no failure counted twice when no runs are listed', () => {
    const world = CoreWorld.afterFirstReconcile({ recentRunsLimit: 0, pauseAfterFailures: 3 });
    world.reconcile(at('01:00:00'));
    const before = world.jobs;
    world.finish(at('01:00:10'), 'Failed');
    const after = world.jobs;
    world.reconcile(at('01:00:11'), { isCrowded: true });
    world.jobs = before;
    world.reconcile(at('01:00:12'), { isCrowded: true });
    world.jobs = after;
    const { status, finished, reasons } = world.reconcile(at('01:00:13'));
    expect(status.consecutiveFailures).toBe(1);
    expect(finished).toHaveLength(1);
    expect(reasons).toEqual(['SawCompletedJob']);
  });

  test('does not hide a run of the name of the last one that was created after its end', () => {
    const world = CoreWorld.afterFirstReconcile({ recentRunsLimit: 0 });
    world.reconcile(at('01:00:00'));
    world.finish(at('01:00:10'));
    world.reconcile(at('01:00:11'));
    const again = buildJob(at('01:00:00'));
    world.jobs = [{ ...again, metadata: { ...again.metadata, uid: 'again', creationTimestamp: at('01:00:20') } }];
    expect(world.reconcile(at('01:00:21')).status.activeCount).toBe(1);
  });
});
