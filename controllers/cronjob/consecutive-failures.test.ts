import { describe, expect, test } from 'vitest';
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at, buildJob, cronJob } from '../../test/support/cron-jobs.ts';
import { createWorld, run } from '../../test/support/hourly-runs.ts';

const failures = (world: CoreWorld) => world.cronJob.status?.consecutiveFailures;

describe('failed runs in a row', () => {
  test('are counted in the write that records the result, once', () => {
    const world = createWorld(5);
    expect(failures(world)).toBe(0);
    world.reconcile(at('01:00:00'));
    world.finish(at('01:00:09'), 'Failed');
    world.reconcile(at('01:00:10'), { losesStatus: true });
    expect(failures(world)).toBe(0);
    expect(world.reconcile(at('01:00:11')).status.consecutiveFailures).toBe(1);
    expect(world.reconcile(at('01:00:12')).status.consecutiveFailures).toBe(1);
    run(world, '02');
    expect(failures(world)).toBe(2);
  });

  test('are counted when the list of runs is off, or full of newer ones', () => {
    const world = createWorld(9, { recentRunsLimit: 0 });
    run(world, '01');
    run(world, '02');
    expect(failures(world)).toBe(2);
    world.edit({ recentRunsLimit: 1 });
    world.reconcile(at('02:10:00'));
    world.reconcile(at('03:00:00'));
    const [late] = world.jobs.slice(-1);
    world.reconcile(at('04:00:00'));
    world.finish(at('04:00:30'), 'Failed', late);
    // The edit began a new count.
    expect(world.reconcile(at('04:00:31')).status.consecutiveFailures).toBe(1);
  });

  test('are counted of one that was created, and had failed, before its process had stored anything', () => {
    for (const recentRunsLimit of [0, 10]) {
      const world = createWorld(9, { recentRunsLimit });
      world.reconcile(at('01:00:00'), { crashes: true });
      world.finish(at('01:00:09'), 'Failed');
      expect(world.reconcile(at('01:00:10')).status.consecutiveFailures).toBe(1);
      world.reconcile(at('02:00:00'), { crashes: true });
      world.finish(at('02:00:09'), 'Failed');
      expect(world.reconcile(at('02:00:10')).status.consecutiveFailures).toBe(2);
    }
  });

  test('are counted of the first run, whose Job does not say when it failed, after a crash', () => {
    for (const recentRunsLimit of [0, 10]) {
      const world = createWorld(9, { recentRunsLimit });
      world.reconcile(at('01:00:00'), { crashes: true });
      const conditions = [{ type: 'Failed', status: 'True' }];
      world.jobs = world.jobs.map((job) => ({ ...job, status: { conditions } }));
      expect(world.reconcile(at('01:00:10')).status.consecutiveFailures).toBe(1);
      expect(world.reconcile(at('01:00:11')).status.consecutiveFailures).toBe(1);
    }
  });

  test.each([{ losesStatus: true }, { isCrowded: true }])(
    'are counted of an adopted Job that has failed and is not seen again, with %j',
    (trouble) => {
      const world = createWorld(1);
      world.reconcile(at('01:00:00'), { crashes: true });
      world.finish(at('01:00:09'), 'Failed');
      const [job] = world.jobs;
      world.jobs = []; // the cache is behind
      if (job) world.reconcile(at('01:00:10'), { started: { kind: 'Adopted', job }, ...trouble });
      const outcome = world.reconcile(at('01:00:11'));
      expect(outcome.status).toMatchObject({ consecutiveFailures: 1, paused: { reason: 'TooManyFailures' } });
      expect(outcome.finished).toEqual([{ result: 'Failed', seconds: 9 }]);
    },
  );

  test('begin anew with a success, in the order of completion', () => {
    const world = createWorld(5);
    run(world, '01');
    run(world, '02', 'Complete');
    expect(failures(world)).toBe(0);
    world.reconcile(at('03:00:00'));
    world.reconcile(at('04:00:00'));
    const [third, fourth] = world.jobs.slice(-2);
    world.finish(at('04:00:20'), 'Failed', third);
    world.finish(at('04:00:10'), 'Complete', fourth);
    expect(world.reconcile(at('04:00:30')).status.consecutiveFailures).toBe(1);
  });

  test('begin anew with a success whose Job does not say when it came, before what comes later', () => {
    const world = createWorld(5);
    run(world, '01');
    world.reconcile(at('02:00:00'));
    world.reconcile(at('03:00:00'));
    const [second, third] = world.jobs.slice(-2);
    world.finish(at('03:00:20'), 'Failed', second);
    const conditions = [{ type: 'Complete', status: 'True' }];
    world.jobs = world.jobs.map((job) => (job === third ? { ...job, status: { conditions } } : job));
    expect(world.reconcile(at('03:00:30')).status.consecutiveFailures).toBe(1);
  });

  test('exclude manual runs, external Jobs, deleted Jobs, and runs of an older spec', () => {
    const world = createWorld(5);
    world.annotate({ [RUN_NOW_ANNOTATION]: 'by hand' });
    world.reconcile(at('00:10:00'));
    world.finish(at('00:10:09'), 'Failed');
    world.jobs = [...world.jobs, buildJob(at('00:11:00'), { state: 'Failed' })];
    world.reconcile(at('00:12:00'));
    world.reconcile(at('01:00:00'));
    world.jobs = [];
    world.reconcile(at('01:01:00'));
    world.reconcile(at('02:00:00'));
    world.edit({ recentRunsLimit: 9 });
    world.finish(at('02:00:30'), 'Failed');
    expect(world.reconcile(at('02:00:31')).status.consecutiveFailures).toBe(0);
  });
});

test('a stored generation that is not a number is not a change of the spec', () => {
  const world = new CoreWorld(cronJob({ pauseAfterFailures: 1 }));
  const hostile = { observedGeneration: { toString: 1, valueOf: 2 } } as object as CronJobStatus;
  world.cronJob = { ...world.cronJob, status: { ...hostile, consecutiveFailures: 0 } };
  expect(world.reconcile(at('00:10:00')).decision).toBe('NothingDue');
});
