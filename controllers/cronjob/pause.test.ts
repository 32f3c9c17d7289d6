import { describe, expect, test } from 'vitest';
import { RESUME_ANNOTATION, RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import type { CoreWorld } from '../../test/support/core-world.ts';
import { at } from '../../test/support/cron-jobs.ts';
import { createWorld, run } from '../../test/support/hourly-runs.ts';

function paused(): CoreWorld {
  const world = createWorld(2);
  run(world, '01');
  run(world, '02');
  return world;
}
const failures = (world: CoreWorld) => world.cronJob.status?.consecutiveFailures;

describe('a CronJob whose runs failed too often in a row', () => {
  test('better: a paused CronJob runs no slot, and one event reports the pause', () => {
    const world = createWorld(2);
    expect(run(world, '01').status).not.toHaveProperty('paused');
    const outcome = run(world, '02');
    expect(outcome.status.paused).toEqual({ reason: 'TooManyFailures', since: at('02:00:10') });
    expect(outcome.status).not.toHaveProperty('nextScheduleTime');
    expect(outcome.requeueAfterMs).toBeUndefined();
    expect(outcome.reasons).toEqual(['SawCompletedJob', 'Paused', 'SuccessfulDelete']);
    expect(outcome.events[1]?.message).toBe(
      '2 runs in a row have failed (spec.pauseAfterFailures: 2), and no more start. Fix the cause, then resume: ' +
        'kubectl annotate cronjobs.batch.tutorial.kubebuilder.io hello --namespace default --overwrite ' +
        'batch.tutorial.kubebuilder.io/resume="$(date)"',
    );
    expect(world.condition('Available')).toMatchObject({ status: 'False', reason: 'Paused' });
    const later = world.reconcile(at('03:00:00'));
    expect([later.decision, later.created, later.reasons]).toEqual(['NothingDue', [], []]);
    expect(later.status.paused).toEqual(outcome.status.paused);
  });

  test('is paused by the reconcile that sees the last failure, before it starts a slot that is due', () => {
    const world = createWorld(1);
    world.reconcile(at('01:00:00'));
    world.finish(at('01:59:59'), 'Failed');
    expect(world.reconcile(at('02:00:00'))).toMatchObject({ decision: 'NothingDue', created: [] });
    expect(world.condition('Available')?.message).toMatch(
      /^1 run has failed \(spec.pauseAfterFailures: 1\), and no more start\. /,
    );
  });

  test.each([
    ['a change of the spec', (world: CoreWorld) => world.edit({ failedJobsHistoryLimit: 7 })],
    ['the removal of pauseAfterFailures', (world: CoreWorld) => world.edit({ pauseAfterFailures: undefined })],
    ['a new value of the resume annotation', (world: CoreWorld) => world.annotate({ [RESUME_ANNOTATION]: '1' })],
  ])('a paused CronJob is resumed by %s, and runs no missed slot', (_, resume) => {
    const world = paused();
    world.reconcile(at('05:00:00'));
    resume(world);
    const outcome = world.reconcile(at('05:10:00'));
    expect(outcome).toMatchObject({ decision: 'NothingDue', created: [], reasons: ['Resumed'] });
    expect(outcome.status).toMatchObject({ handledThrough: at('05:10:00'), nextScheduleTime: at('06:00:00') });
    expect(outcome.status).not.toHaveProperty('paused');
    expect(outcome.status.recentSkips).toEqual([`${at('03:00:00')} Paused last=${at('05:00:00')} count=3`]);
    expect(outcome.skips).toEqual([{ reason: 'Paused', count: 3 }]);
    expect(world.condition('Available')).toMatchObject({ status: 'True' });
    expect(world.reconcile(at('06:00:00')).created).toHaveLength(1);
  });

  test('is resumed by a run by hand that succeeds, not by one that fails', () => {
    const world = paused();
    for (const [value, result] of [
      ['first', 'Failed'],
      ['second', 'Complete'],
    ] as const) {
      world.annotate({ [RUN_NOW_ANNOTATION]: value });
      expect(world.reconcile(at('02:20:00')).created).toHaveLength(1);
      world.finish(at('02:20:09'), result);
      const outcome = world.reconcile(at('02:20:10'));
      expect(outcome.status.paused === undefined).toBe(result === 'Complete');
    }
    expect(failures(world)).toBe(0);
  });

  test('stays paused when it is created again from a backup with its status: its generation begins at 1, without an edit', () => {
    const world = createWorld(2);
    world.edit({ failedJobsHistoryLimit: 7 });
    run(world, '01');
    run(world, '02');
    expect(world.cronJob.status?.observedGeneration).toBe(2);
    world.jobs = [];
    world.cronJob = { ...world.cronJob, metadata: { ...world.cronJob.metadata, uid: 'another', generation: 1 } };
    const outcome = world.reconcile(at('05:10:00'));
    expect(outcome).toMatchObject({
      decision: 'NothingDue',
      created: [],
      reasons: [],
      status: { consecutiveFailures: 2 },
    });
    world.edit({ failedJobsHistoryLimit: 8 });
    expect(world.reconcile(at('05:20:00')).reasons).toEqual(['Resumed']);
  });

  test('voids nothing when its schedule cannot be read as it resumes', () => {
    const world = paused();
    world.edit({ schedule: 'never' });
    const outcome = world.reconcile(at('03:10:00'));
    expect(outcome).toMatchObject({
      decision: 'NothingDue',
      skips: [],
      reasons: expect.arrayContaining(['Resumed']),
    });
  });
});
