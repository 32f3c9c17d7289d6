/** The fields that decide how many runs are active at once, and which of the due slots wait. */
import { describe, expect, test } from 'vitest';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { CoreWorld, REFUSED } from '../../test/support/core-world.ts';
import { at, jobNameAt } from '../../test/support/cron-jobs.ts';

function setTerminating(world: CoreWorld, count: number): void {
  world.jobs = world.jobs.map((job) => ({ ...job, status: { ...job.status, terminating: count } }));
}

describe('concurrencyPolicy Queue', () => {
  test('every slot runs, one after another, each with its own scheduled time', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Queue' });
    expect(world.settle(at('01:00:00'))).toEqual([jobNameAt('01:00:00')]);
    expect(world.settle(at('02:00:00'))).toEqual([]);
    expect(world.settle(at('03:00:00'))).toEqual([]);
    world.finish(at('03:10:00'));
    expect(world.settle(at('03:10:00'))).toEqual([jobNameAt('02:00:00')]);
    world.finish(at('03:20:00'));
    expect(world.settle(at('03:20:00'))).toEqual([jobNameAt('03:00:00')]);
    expect(world.cronJob.status?.recentSkips).toBeUndefined();
    expect(world.cronJob.status).toMatchObject({ lastScheduleTime: at('03:00:00') });
  });

  test('starts the next run only after the Pods of the last run are gone', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Queue' });
    world.reconcile(at('01:00:00'));
    world.finish(at('02:10:00'));
    setTerminating(world, 1);
    expect(world.reconcile(at('02:10:00')).decision).toBe('Blocked');
    setTerminating(world, 0);
    expect(world.settle(at('02:10:30'))).toEqual([jobNameAt('02:00:00')]);
  });

  test('deletes no finished Job while its Pods terminate, so that the next run does not start beside them', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Queue', successfulJobsHistoryLimit: 0 });
    world.reconcile(at('01:00:00'));
    world.finish(at('02:10:00'));
    setTerminating(world, 1);
    const { deleted, decision } = world.reconcile(at('02:10:00'));
    expect([deleted, decision]).toEqual([[], 'Blocked']);
    setTerminating(world, 0);
    expect(world.reconcile(at('02:10:30'))).toMatchObject({
      created: [jobNameAt('02:00:00')],
      deleted: [jobNameAt('01:00:00')],
    });
  });

  test('skips the oldest waiting slot above queueLimit', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Queue', queueLimit: 2 });
    world.reconcile(at('01:00:00'));
    for (const time of ['02:00:00', '03:00:00', '04:00:00', '05:00:00']) world.reconcile(at(time));
    expect(world.cronJob.status?.recentSkips).toEqual([`${at('02:00:00')} QueueFull last=${at('03:00:00')} count=2`]);
    world.finish(at('05:10:00'));
    expect(world.settle(at('05:10:00'))).toEqual([jobNameAt('04:00:00')]);
  });

  test('lowering queueLimit skips the oldest waiting slots, and deletes nothing', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Queue' });
    for (const time of ['01:00:00', '02:00:00', '03:00:00', '04:00:00']) world.reconcile(at(time));
    world.edit({ queueLimit: 1 });
    const outcome = world.reconcile(at('04:10:00'));
    expect([outcome.decision, outcome.deleted, world.jobs.length]).toEqual(['Blocked', [], 1]);
    expect(world.cronJob.status?.recentSkips).toEqual([`${at('02:00:00')} QueueFull last=${at('03:00:00')} count=2`]);
    world.finish(at('04:20:00'));
    expect(world.settle(at('04:20:00'))).toEqual([jobNameAt('04:00:00')]);
  });

  test('more than a hundred waiting slots are not too many', () => {
    const world = CoreWorld.afterFirstReconcile({
      schedule: '* * * * *',
      concurrencyPolicy: 'Queue',
      queueLimit: 1000,
    });
    expect(world.settle(at('05:00:01'))).toEqual([jobNameAt('00:01:00')]);
    expect(world.condition('Degraded')).toMatchObject({ status: 'False' });
    world.finish(at('05:00:02'));
    expect(world.settle(at('05:00:02'))).toEqual([jobNameAt('00:02:00')]);
  });

  test('a waiting slot is skipped when its deadline passes', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Queue', startingDeadlineSeconds: 4000 });
    world.reconcile(at('01:00:00'));
    const waiting = world.reconcile(at('02:00:00'));
    expect(waiting.requeueAfterMs).toBeLessThanOrEqual(3_600_002);
    world.reconcile(at('03:00:00'));
    world.finish(at('03:10:00'));
    expect(world.settle(at('03:10:00'))).toEqual([jobNameAt('03:00:00')]);
    expect(world.cronJob.status?.recentSkips).toEqual([`${at('02:00:00')} MaxConcurrentRuns`]);
  });

  test('a refused slot with a deadline gives way at its deadline: not before, though that is hours later', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Queue', startingDeadlineSeconds: 6 * 3600 });
    const failure = { kind: 'Refused', jobName: jobNameAt('01:00:00'), message: 'exceeded quota' } as const;
    const started = { kind: 'Failed', failure } as const;
    world.reconcile(at('01:00:00'), { started });
    expect(world.reconcile(at('06:59:59'), { started }).decision).toBe('Run');
    expect(world.settle(at('07:00:01'))).toEqual([jobNameAt('02:00:00')]);
    expect(world.cronJob.status?.recentSkips).toEqual([`${at('01:00:00')} FailedCreate`]);
  });

  test('the hour of a refused slot goes on while another fault hides it and the API server is in trouble', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Queue' });
    const fail = (kind: 'Refused' | 'Transient') =>
      ({ kind: 'Failed', failure: { kind, jobName: jobNameAt('01:00:00'), message: '' } }) as const;
    world.reconcile(at('01:00:00'), { started: fail('Refused') });
    world.cronJob = { ...world.cronJob, status: { ...world.cronJob.status, lastSuccessfulTime: at('01:40:00') } };
    world.reconcile(at('01:10:00'), { started: fail('Transient') });
    expect(world.condition('Degraded')?.reason).toBe('ClockSkew');
    world.reconcile(at('01:40:00'), { started: fail('Refused') });
    expect(world.cronJob.status?.failedStart).toMatchObject({ since: at('01:00:00') });
    expect(world.reconcile(at('02:00:00')).decision).toBe('Skip');
  });

  test('a slot whose Job name is taken gives way at once', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Queue' });
    const started = { kind: 'Foreign', jobName: jobNameAt('01:00:00') } as const;
    expect(world.reconcile(at('02:00:01'), { started }).requeue).toBe('normal');
    expect(world.settle(at('02:00:02'))).toEqual([jobNameAt('02:00:00')]);
    expect(world.cronJob.status?.recentSkips).toEqual([`${at('01:00:00')} JobNameTaken`]);
  });

  test('a manual run waits for the active run, and then starts before the waiting slots', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Queue' });
    world.reconcile(at('01:00:00'));
    world.reconcile(at('02:00:00'));
    world.annotate({ [RUN_NOW_ANNOTATION]: 'first' });
    expect(world.settle(at('02:10:00'))).toEqual([]);
    world.finish(at('02:20:00'));
    expect(world.settle(at('02:20:00'))).toEqual([expect.stringContaining('hello-m')]);
    world.finish(at('02:30:00'));
    expect(world.settle(at('02:30:00'))).toEqual([jobNameAt('02:00:00')]);
  });

  test('an event says why the first waiting run waits', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Queue' });
    world.reconcile(at('01:00:00'));
    expect(world.reconcile(at('02:00:00')).events).toEqual([
      expect.objectContaining({
        reason: 'JobAlreadyActive',
        message: `Not starting job ${jobNameAt('02:00:00')} because prior execution is running and concurrency policy is Queue`,
      }),
    ]);
  });
});

describe('maxConcurrentRuns', () => {
  test('with Allow, maxConcurrentRuns limits the active runs, and only the newest slot waits', () => {
    const world = CoreWorld.afterFirstReconcile({ maxConcurrentRuns: 2 });
    for (const time of ['01:00:00', '02:00:00', '03:00:00', '04:00:00']) world.reconcile(at(time));
    expect(world.jobs.map(({ metadata }) => metadata.name)).toEqual(['01:00:00', '02:00:00'].map(jobNameAt));
    expect(world.cronJob.status?.recentSkips).toEqual([`${at('03:00:00')} MaxConcurrentRuns`]);
    world.finish(at('04:10:00'));
    expect(world.settle(at('04:10:00'))).toEqual([jobNameAt('04:00:00')]);
  });

  test('with Queue so many runs are active at once', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Queue', maxConcurrentRuns: 2 });
    expect(world.settle(at('03:00:01'))).toEqual(['01:00:00', '02:00:00'].map(jobNameAt));
    world.finish(at('03:10:00'));
    expect(world.settle(at('03:10:00'))).toEqual([jobNameAt('03:00:00')]);
  });

  test('counts manual runs', () => {
    const world = CoreWorld.afterFirstReconcile({ maxConcurrentRuns: 1 });
    world.annotate({ [RUN_NOW_ANNOTATION]: 'first' });
    expect(world.settle(at('00:30:00'))).toHaveLength(1);
    expect(world.settle(at('01:00:00'))).toEqual([]);
    world.finish(at('01:10:00'));
    expect(world.settle(at('01:10:00'))).toEqual([jobNameAt('01:00:00')]);
  });

  test('lowering it below the active runs deletes nothing', () => {
    const world = CoreWorld.afterFirstReconcile({ maxConcurrentRuns: 3 });
    for (const time of ['01:00:00', '02:00:00', '03:00:00']) world.reconcile(at(time));
    world.edit({ maxConcurrentRuns: 1 });
    const outcome = world.reconcile(at('04:00:00'));
    expect([outcome.decision, outcome.deleted, world.jobs.length]).toEqual(['Blocked', [], 3]);
  });

  test('has no effect with Forbid and Replace', () => {
    const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Replace', maxConcurrentRuns: 1 });
    world.settle(at('01:00:00'));
    expect(world.settle(at('02:00:00'))).toEqual([jobNameAt('02:00:00')]);
  });
});

test.each<Partial<CoreWorld['cronJob']['spec']>>([{ concurrencyPolicy: 'Queue' }, { catchUpPolicy: 'All' }])(
  'with %j, a refused slot gives way after an hour, and not before',
  (spec) => {
    const world = CoreWorld.afterFirstReconcile(spec);
    const failure = { kind: 'Refused', jobName: jobNameAt('01:00:00'), message: 'exceeded quota' } as const;
    const started = { kind: 'Failed', failure } as const;
    world.reconcile(at('01:00:00'), { started });
    expect(world.cronJob.status?.failedStart).toMatchObject({ since: at('01:00:00') });
    world.reconcile(at('01:59:59'), { started });
    expect(world.cronJob.status?.failedStart).toMatchObject({ since: at('01:00:00') });
    expect(world.reconcile(at('02:00:00'), { started })).toMatchObject({ decision: 'Skip', requeue: 'normal' });
    expect(world.cronJob.status?.recentSkips).toEqual([`${at('01:00:00')} FailedCreate`]);
    expect(world.settle(at('02:00:01'))).toEqual([jobNameAt('02:00:00')]);
  },
);

test('without the fields a failed start has no since', () => {
  const world = CoreWorld.afterFirstReconcile();
  world.reconcile(at('01:00:00'), { started: REFUSED });
  expect(world.cronJob.status?.failedStart).not.toHaveProperty('since');
});
