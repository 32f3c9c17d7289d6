import { describe, expect, test } from 'vitest';
import { asked, CoreWorld, nameFor } from '../../test/support/core-world.ts';
import { at, cronJob, jobOf } from '../../test/support/cron-jobs.ts';

/** The run of `time` was started and its status is lost with the process; then a pass sees the Job, and cannot look up another one. */
function seenOnce(time = at('02:00:00')): CoreWorld {
  const world = new CoreWorld();
  world.pass(at('01:00:00'));
  world.finish(at('01:00:05'));
  world.pass(at('01:00:06'));
  world.pass(time, { crashes: true });
  return world;
}

describe('a Job that was seen by a pass that could not look up another one, and then is gone,', () => {
  test('had the run of its slot', () => {
    const world = seenOnce();
    world.finish(at('02:00:03'), 'Failed');
    world.passThatCannotLookUp(at('02:00:04'));
    world.jobs = [];
    const after = world.pass(at('02:00:05'));
    expect(after.created).toEqual([]);
    expect(after.status).toMatchObject({
      lastScheduleTime: at('02:00:00'),
      lastFailureTime: at('02:00:03'),
      lastRun: { scheduledTime: at('02:00:00'), result: 'Failed' },
    });
  });

  test('had the run that was asked for', () => {
    const world = asked('by hand');
    world.pass(at('00:40:00'), { crashes: true });
    world.passThatCannotLookUp(at('00:40:01'));
    world.jobs = [];
    const after = world.pass(at('00:40:02'));
    expect(after.created).toEqual([]);
    expect(after.status).toMatchObject({
      lastManualRun: 'by hand',
      lastRun: { jobName: nameFor('by hand'), result: 'Unknown', reason: 'JobDeleted' },
    });
  });
});

test('a pass that could not look up the last run does not call its Job deleted', () => {
  const world = seenOnce();
  world.pass(at('02:00:01'));
  const all = world.jobs;
  world.jobs = all.slice(0, 1);
  world.passThatCannotLookUp(at('02:00:02'));
  expect(world.pending?.status.lastRun).toMatchObject({ result: 'Running' });
  world.jobs = all;
  expect(world.pass(at('02:00:03')).status.lastRun).toMatchObject({ result: 'Running' });
});

test('a pass that could not look up a Job forgets nothing that earlier ones left', () => {
  const world = new CoreWorld(cronJob({ schedule: '0 * * * *' }));
  world.pass(at('00:30:00'));
  world.pass(at('01:00:00'), { losesStatus: true });
  const { pending, jobs } = world;
  world.jobs = [];
  world.passThatCannotLookUp(at('01:00:01'));
  expect(world.pending?.status).toEqual(pending?.status);
  world.jobs = jobs;
  expect(world.pass(at('01:00:02')).created).toEqual([]);
});

test('a slot whose Job could not be looked up is no skip', () => {
  const world = new CoreWorld(cronJob({ schedule: '0 * * * *' }));
  world.pass(at('00:30:00'));
  const failure = { kind: 'Transient', jobName: 'hello', message: 'no answer', mayExist: true } as const;
  world.pass(at('01:00:00'), { started: { kind: 'Failed', failure } });
  world.jobs = [jobOf(at('02:00:00'))];
  world.passThatCannotLookUp(at('02:00:01'));
  expect(world.pending?.status).toMatchObject({ lastScheduleTime: at('02:00:00') });
  expect(world.pending?.status).not.toHaveProperty('recentSkips');
});

test('a first pass that could not look up a Job says nothing of how things stand', () => {
  const world = new CoreWorld();
  world.passThatCannotLookUp(at('00:30:00'));
  expect(world.pending?.status).not.toHaveProperty('conditions');
  expect(world.pass(at('00:30:01')).status.conditions).toHaveLength(3);
});

describe('a pass that could not look up a Job changes no judgement:', () => {
  test('a slot that waits for an active run is reported once', () => {
    const world = CoreWorld.seen({ concurrencyPolicy: 'Forbid' });
    world.pass(at('01:00:00'));
    expect(world.pass(at('02:00:00')).reasons).toEqual(['JobAlreadyActive']);
    world.passThatCannotLookUp(at('02:00:10'));
    expect(world.pass(at('02:00:20')).reasons).toEqual([]);
  });

  test('a slot that waited for an active run keeps that reason when its deadline passes', () => {
    const world = CoreWorld.seen({ concurrencyPolicy: 'Forbid', startingDeadlineSeconds: 600 });
    world.pass(at('01:00:00'));
    world.pass(at('02:00:00'));
    world.passThatCannotLookUp(at('02:05:00'));
    const { recentSkips } = world.pass(at('02:20:00')).status;
    expect(recentSkips).toEqual([`${at('02:00:00')} ConcurrencyPolicyForbid`]);
  });

  test('the end of suspendUntil is no resume by hand, and a success is expected from it on', () => {
    const world = CoreWorld.seen({ suspendUntil: at('03:00:00'), expectSuccessWithinSeconds: 36_000 });
    world.passThatCannotLookUp(at('05:30:00'));
    world.passThatCannotLookUp(at('05:30:10'));
    expect(world.pass(at('05:31:00')).status).toMatchObject({
      recentSkips: [
        `${at('03:00:00')} Superseded last=${at('04:00:00')} count=2`,
        `${at('01:00:00')} Suspended last=${at('02:00:00')} count=2`,
      ],
      successExpectedSince: at('03:00:00'),
    });
  });
});
