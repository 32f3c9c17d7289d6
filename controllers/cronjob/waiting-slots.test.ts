/** The slots that wait under Queue: what a suspension, terminating Pods, a refused manual run and a full queue do to them. */
import { describe, expect, test } from 'vitest';
import { RESUME_ANNOTATION, RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { CoreWorld, manualJobName } from '../../test/support/core-world.ts';
import { at, jobNameAt } from '../../test/support/cron-jobs.ts';

/** The run of 01:00 is active, and the slots of the other times wait. */
function withQueue(spec: Partial<CoreWorld['cronJob']['spec']>, ...times: readonly string[]): CoreWorld {
  const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Queue', ...spec });
  for (const time of ['01:00:00', ...times]) world.reconcile(at(time));
  return world;
}

/** Ends the active run, and runs a reconcile. Returns the names of the created Jobs. */
function finish(world: CoreWorld, time: string, type?: 'Failed'): readonly string[] {
  world.finish(at(time), type);
  return world.reconcile(at(time)).created;
}

function setTerminating(world: CoreWorld, count: number): void {
  world.jobs = world.jobs.map((job) => ({ ...job, status: { ...job.status, terminating: count } }));
}

test('a suspension without a scheduled time keeps the waiting runs', () => {
  const world = withQueue({}, '02:00:00', '03:00:00');
  world.edit({ suspend: true });
  world.reconcile(at('03:10:00'));
  expect(finish(world, '03:20:00')).toEqual([]);
  world.edit({ suspend: false });
  expect(world.reconcile(at('03:30:00')).created).toEqual([jobNameAt('02:00:00')]);
  expect(finish(world, '03:40:00')).toEqual([jobNameAt('03:00:00')]);
  expect(world.cronJob.status?.recentSkips).toBeUndefined();
});

test('a suspension with scheduled times ends the wait of earlier runs, and only the newest run starts', () => {
  const world = withQueue({}, '02:00:00');
  world.edit({ suspend: true });
  world.reconcile(at('02:10:00'));
  finish(world, '02:20:00');
  world.edit({ suspend: false });
  expect(world.reconcile(at('04:30:00')).created).toEqual([jobNameAt('04:00:00')]);
  expect(world.cronJob.status?.recentSkips).toEqual([`${at('02:00:00')} Suspended last=${at('03:00:00')} count=2`]);
});

test('without the start of the suspension in the status, only the newest run starts', () => {
  const world = withQueue({}, '02:00:00', '03:00:00');
  world.edit({ suspend: true });
  world.reconcile(at('03:10:00'));
  finish(world, '03:20:00');
  const conditions = world.cronJob.status?.conditions?.map((each) => ({ ...each, lastTransitionTime: '' }));
  world.cronJob = { ...world.cronJob, status: { ...world.cronJob.status, conditions } };
  world.edit({ suspend: false });
  expect(world.reconcile(at('03:30:00')).created).toEqual([jobNameAt('03:00:00')]);
});

test('a suspension with an invalid schedule starts nothing', () => {
  const world = withQueue({}, '02:00:00');
  world.edit({ suspend: true });
  world.reconcile(at('02:10:00'));
  world.edit({ suspend: false, schedule: 'never' });
  expect(finish(world, '02:30:00')).toEqual([]);
});

test('a pause ends the wait of earlier runs', () => {
  const world = withQueue({ pauseAfterFailures: 1 }, '02:00:00', '03:00:00');
  finish(world, '03:10:00', 'Failed');
  world.annotate({ [RESUME_ANNOTATION]: '1' });
  expect(world.reconcile(at('03:20:00')).created).toEqual([]);
  expect(world.cronJob.status?.recentSkips).toEqual([`${at('02:00:00')} Paused last=${at('03:00:00')} count=2`]);
  expect(world.reconcile(at('04:00:00')).created).toEqual([jobNameAt('04:00:00')]);
});

test('the status names the Job whose Pods the next run waits for', () => {
  const world = withQueue({}, '02:00:00');
  setTerminating(world, 1);
  expect(finish(world, '02:10:00')).toEqual([]);
  expect(world.cronJob.status).toMatchObject({
    activeCount: 0,
    reported: [`JobAlreadyActive/${jobNameAt('02:00:00')}`],
  });
  expect(world.condition('Progressing')).toMatchObject({
    status: 'False',
    message: `the Pods of ${jobNameAt('01:00:00')} are terminating; ${jobNameAt('02:00:00')} will start after that (concurrencyPolicy Queue)`,
  });
  setTerminating(world, 0);
  expect(world.reconcile(at('02:10:30')).created).toEqual([jobNameAt('02:00:00')]);
});

test('an event says that a run waits for Pods', () => {
  const world = withQueue({});
  setTerminating(world, 1);
  finish(world, '01:10:00');
  expect(world.condition('Progressing')).toMatchObject({ message: 'no run is active' });
  expect(world.reconcile(at('02:00:00')).events.map(({ message }) => message)).toEqual([
    `Not starting job ${jobNameAt('02:00:00')} because the Pods of ${jobNameAt('01:00:00')} are terminating and concurrency policy is Queue`,
  ]);
});

test('maxConcurrentRuns counts a run until its Pods are gone', () => {
  const world = withQueue({ concurrencyPolicy: 'Allow', maxConcurrentRuns: 1 });
  setTerminating(world, 1);
  expect([...finish(world, '01:10:00'), ...world.reconcile(at('02:00:00')).created]).toEqual([]);
  setTerminating(world, 0);
  expect(world.reconcile(at('02:00:30')).created).toEqual([jobNameAt('02:00:00')]);
});

describe('a cached Job that is still active, but whose end the status records,', () => {
  test.each(['Queue', 'Skip'] as const)('may have terminating Pods, so that no run starts beside it: %s', (policy) => {
    const world = withQueue({ concurrencyPolicy: policy });
    const outdatedJobs = world.jobs;
    setTerminating(world, 1);
    finish(world, '01:10:00');
    const finishedJobs = world.jobs;
    world.jobs = outdatedJobs;
    expect(world.reconcile(at('02:00:00'))).toMatchObject({ created: [], status: { activeCount: 0 } });
    world.jobs = finishedJobs;
    setTerminating(world, 0);
    const created = world.reconcile(at('02:00:01')).created;
    expect(created).toEqual(policy === 'Queue' ? [jobNameAt('02:00:00')] : []);
  });

  test('does not make a run wait under Forbid', () => {
    const world = withQueue({ concurrencyPolicy: 'Forbid' });
    const outdatedJobs = world.jobs;
    finish(world, '01:10:00');
    world.jobs = outdatedJobs;
    expect(world.reconcile(at('02:00:00')).created).toEqual([jobNameAt('02:00:00')]);
  });
});

test('the status names at most three Jobs with terminating Pods, and the active runs', () => {
  const world = withQueue({ maxConcurrentRuns: 5 }, '02:00:00', '03:00:00', '04:00:00', '05:00:00');
  const names = ['01:00:00', '02:00:00', '03:00:00', '04:00:00'].map(jobNameAt);
  for (const job of world.jobs.slice(0, names.length)) world.finish(at('05:10:00'), 'Complete', job);
  setTerminating(world, 1);
  world.reconcile(at('06:00:00'));
  expect(world.condition('Progressing')?.message).toBe(
    `1 Job is active, and the Pods of ${names.slice(0, 3).join(', ')} and 1 other Jobs are terminating; ` +
      `${jobNameAt('06:00:00')} will start after that (maxConcurrentRuns 5)`,
  );
});

test('a refused manual run does not restart the hour of a refused slot', () => {
  const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Queue' });
  const refuse = (jobName: string) =>
    ({ started: { kind: 'Failed', failure: { kind: 'Refused', jobName, message: 'exceeded quota' } } }) as const;
  world.reconcile(at('01:00:00'), refuse(jobNameAt('01:00:00')));
  world.annotate({ [RUN_NOW_ANNOTATION]: 'first' });
  const manual = world.reconcile(at('01:30:00'), refuse(manualJobName('first')));
  expect(manual).toMatchObject({ decision: 'RunNow', reasons: ['FailedCreate'] });
  expect(world.cronJob.status?.failedStart).toMatchObject({ jobName: jobNameAt('01:00:00'), since: at('01:00:00') });
  world.reconcile(at('01:31:00'), refuse(jobNameAt('01:00:00')));
  expect(world.reconcile(at('02:00:00'))).toMatchObject({ decision: 'Skip' });
});

test('a refused manual run replaces the failed start of a slot that is no longer due', () => {
  const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy: 'Queue', startingDeadlineSeconds: 600 });
  const refuse = (jobName: string) =>
    ({ started: { kind: 'Failed', failure: { kind: 'Refused', jobName, message: 'exceeded quota' } } }) as const;
  world.reconcile(at('01:00:00'), refuse(jobNameAt('01:00:00')));
  world.annotate({ [RUN_NOW_ANNOTATION]: 'first' });
  world.reconcile(at('01:30:00'), refuse(manualJobName('first')));
  expect(world.cronJob.status?.failedStart).toMatchObject({ jobName: manualJobName('first'), since: at('01:30:00') });
});

test('an event reports the waiting runs that a full queue skips', () => {
  const world = withQueue({ queueLimit: 1 }, '02:00:00');
  const messages = (time: string) =>
    world.reconcile(at(time)).events.flatMap(({ reason, message }) => (reason === 'QueueFull' ? [message] : []));
  expect(messages('03:00:00')).toEqual([
    `Skipped the waiting run of ${at('02:00:00')} because more than 1 runs waited (queueLimit)`,
  ]);
  expect(messages('03:00:01')).toEqual([]);
  expect(messages('06:00:00')).toEqual([
    `Skipped the waiting runs of ${at('03:00:00')} to ${at('05:00:00')} because more than 1 runs waited (queueLimit)`,
  ]);
});
