import { describe, expect, test } from 'vitest';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { CoreWorld, manualJobName, withRunNow } from '../../test/support/core-world.ts';
import { at, cronJob } from '../../test/support/cron-jobs.ts';
import { SCHEDULE_SLACK_MS } from './conclude.ts';

describe('run now under Forbid', () => {
  /** The run of 01:00 is active, and then a user requests a manual run. */
  function busy(): CoreWorld {
    const world = new CoreWorld(cronJob({ concurrencyPolicy: 'Forbid' }));
    world.reconcile(at('00:00:00'));
    world.reconcile(at('01:00:00'));
    world.annotate({ [RUN_NOW_ANNOTATION]: 'first' });
    return world;
  }

  test('the newest value of the annotation wins', () => {
    const world = busy();
    world.reconcile(at('01:10:00'));
    world.annotate({ [RUN_NOW_ANNOTATION]: 'second' });
    expect(world.reconcile(at('01:11:00')).reasons).toEqual(['JobAlreadyActive']);
    world.finish(at('01:20:00'));
    world.reconcile(at('01:20:01'));
    expect(world.jobs.map((job) => job.metadata.name)).toContain(manualJobName('second'));
    expect(world.jobs.map((job) => job.metadata.name)).not.toContain(manualJobName('first'));
  });

  test('starts before a slot that waits too, and the slot after it', () => {
    const world = busy();
    expect(world.reconcile(at('02:00:00')).reasons).toEqual(['JobAlreadyActive', 'JobAlreadyActive']);
    expect(world.reconcile(at('02:00:01')).reasons).toEqual([]);
    world.finish(at('02:20:00'));
    expect(world.reconcile(at('02:20:01')).created).toEqual([manualJobName('first')]);
    expect(world.reconcile(at('02:20:02')).decision).toBe('Blocked');
    world.finish(at('02:30:00'));
    expect(world.reconcile(at('02:30:01')).created).toEqual([`hello-${Date.parse(at('02:00:00')) / 1000}`]);
  });
});

describe('a run by hand that the API server refuses', () => {
  const refused = (jobName: string) =>
    ({ kind: 'Failed', failure: { kind: 'Refused', jobName, message: 'exceeded quota' } }) as const;

  test('is tried again with back-off, with one event', () => {
    const world = withRunNow('first');
    const started = refused(manualJobName('first'));
    expect(world.reconcile(at('00:10:00'), { started })).toMatchObject({
      retry: true,
      requeueAfterMs: 3_000_000 + SCHEDULE_SLACK_MS, // the next slot; the back-off ends before it
      reasons: ['FailedCreate'],
    });
    expect(world.reconcile(at('00:10:01'), { started })).toMatchObject({ retry: true, reasons: [] });
    expect(world.reconcile(at('00:10:02'))).toMatchObject({ created: [manualJobName('first')], retry: false });
  });

  test('a refused manual run lets a due slot run first, and is retried afterwards', () => {
    const world = withRunNow('first');
    world.reconcile(at('00:59:00'), { started: refused(manualJobName('first')) });
    expect(world.reconcile(at('01:00:00'))).toMatchObject({ decision: 'Run', retry: true });
    expect(world.reconcile(at('01:00:01')).created).toEqual([manualJobName('first')]);
  });
});

test('a run by hand comes second when suspend is lifted: that reconcile knows why slots were skipped', () => {
  const world = new CoreWorld(cronJob({ schedule: '* * * * *', suspend: true }));
  world.reconcile(at('00:00:00'));
  world.annotate({ [RUN_NOW_ANNOTATION]: 'first' });
  world.edit({ suspend: false });
  expect(world.reconcile(at('05:00:30'))).toMatchObject({
    decision: 'Skip',
    retry: true,
    skips: [{ reason: 'Suspended', count: 101 }],
  });
  const next = world.reconcile(at('05:00:31'));
  expect(next.created).toEqual([manualJobName('first')]);
  expect(next.status.conditions).toContainEqual(expect.objectContaining({ type: 'Degraded', reason: 'AsExpected' }));
});
