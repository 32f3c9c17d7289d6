import { describe, expect, test } from 'vitest';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { asked, CoreWorld, nameFor } from '../../test/support/core-world.ts';
import { at, cronJob, jobOf } from '../../test/support/cron-jobs.ts';

test('a slot that waits is not lost to what an earlier pass decided and could not store', () => {
  const spec = { schedule: '* * * * *', concurrencyPolicy: 'Forbid' } as const;
  const world = new CoreWorld(cronJob(spec));
  world.pass(at('00:01:00'));
  // A hundred and more are missed, but the status that says so is lost.
  const missed = world.pass(at('03:00:30'), { losesStatus: true });
  expect(missed.decision).toBe('TooManyMissed');
  world.edit({ startingDeadlineSeconds: 120 });
  const blocked = world.pass(at('03:00:40'));
  expect(blocked.decision).toBe('Blocked');
  world.finish(at('03:00:50'));
  expect(world.pass(at('03:00:51')).created).toEqual([`hello-${Date.parse(at('03:00:00')) / 1000}`]);
});

test('a run whose Job is gone before any status was stored is the last one', () => {
  const world = new CoreWorld();
  world.pass(at('01:00:00'));
  world.finish(at('01:00:05'));
  world.pass(at('01:00:06'));
  world.pass(at('02:00:00'), { isCrowded: true });
  world.jobs = [];
  const scheduledTime = at('02:00:00');
  expect(world.pass(at('02:00:01')).status).toMatchObject({
    lastScheduleTime: scheduledTime,
    lastRun: {
      jobName: `hello-${Date.parse(scheduledTime) / 1000}`,
      scheduledTime,
      result: 'Unknown',
      reason: 'JobDeleted',
    },
  });
});

test('so is one that was started by hand', () => {
  const world = asked('by hand');
  world.pass(at('01:00:00'));
  world.finish(at('01:00:05'));
  world.pass(at('01:00:06'));
  world.annotate({ [RUN_NOW_ANNOTATION]: 'again' });
  world.pass(at('01:10:00'), { isCrowded: true });
  world.jobs = [];
  expect(world.pass(at('01:10:01')).status).toMatchObject({
    lastRun: { jobName: nameFor('again'), result: 'Unknown', reason: 'JobDeleted' },
  });
});

describe('under Replace, a run that is replaced before any status was stored is not started again', () => {
  const spec = { concurrencyPolicy: 'Replace' } as const;

  test('when one by hand replaces that of a slot', () => {
    const world = asked('by hand', spec);
    world.jobs = [jobOf(at('01:00:00'))];
    const pass = world.pass(at('01:00:01'), { isCrowded: true });
    expect([pass.decision, pass.deleted]).toEqual(['RunNow', [jobOf(at('01:00:00')).metadata.name]]);
    const next = world.pass(at('01:00:02'));
    expect(next.created).toEqual([]);
    expect(next.status).toMatchObject({ lastScheduleTime: at('01:00:00'), lastManualRun: 'by hand' });
  });

  test('when that of a slot replaces one by hand', () => {
    const world = asked('by hand', spec);
    world.pass(at('00:40:00'), { crashes: true });
    const pass = world.pass(at('01:00:00'), { isCrowded: true });
    expect([pass.decision, pass.deleted]).toEqual(['Run', [nameFor('by hand')]]);
    const next = world.pass(at('01:00:01'));
    expect(next.created).toEqual([]);
    expect(next.status).toMatchObject({ lastScheduleTime: at('01:00:00'), lastManualRun: 'by hand' });
  });
});
