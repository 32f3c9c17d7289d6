import { describe, expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { CoreWorld, REFUSED } from '../../test/support/core-world.ts';
import { at, buildJob, cronJob, jobNameAt } from '../../test/support/cron-jobs.ts';

function withoutSlot(job: Job): Job {
  return { ...job, metadata: { ...job.metadata, annotations: {} } };
}

describe('the status', () => {
  test('names active Jobs by name, in whatever order the cache has them', () => {
    const world = new CoreWorld();
    world.jobs = [buildJob(at('00:03:00')), buildJob(at('00:01:00')), buildJob(at('00:02:00'))];
    expect(world.reconcile(at('00:10:00')).status.active?.map(({ name }) => name)).toEqual([
      jobNameAt('00:01:00'),
      jobNameAt('00:02:00'),
      jobNameAt('00:03:00'),
    ]);
  });

  test('has the slot of an adopted Job as run, even if the Job does not say its slot', () => {
    const job = withoutSlot(buildJob(at('01:00:00')));
    const { status } = new CoreWorld().reconcile(at('01:00:00'), { started: { kind: 'Adopted', job } });
    expect(status.lastScheduleTime).toBe(at('01:00:00'));
  });

  test('remembers the slot of a run that is replaced before any status had it', () => {
    const world = new CoreWorld(cronJob({ concurrencyPolicy: 'Replace' }));
    world.reconcile(at('01:00:00'), { losesStatus: true });
    world.reconcile(at('02:00:00'), { losesStatus: true });
    expect(world.reconcile(at('02:00:01'), { started: REFUSED })).toMatchObject({
      deleted: [jobNameAt('01:00:00')],
      status: { lastScheduleTime: at('01:00:00') },
    });
  });

  test('has no next run while the CronJob is being deleted, which sleeps until an event arrives', () => {
    const { status, requeueAfterMs } = new CoreWorld(
      cronJob({}, undefined, { deletionTimestamp: at('00:05:00') }),
    ).reconcile(at('00:10:00'));
    expect(status).not.toHaveProperty('nextScheduleTime');
    expect(requeueAfterMs).toBeUndefined();
  });
});

describe('the last run', () => {
  /**
   * The run of 01:00 has completed; a manual run requested at 01:10 is active. Its Job started three seconds after its creation.
   */
  function byHand(): CoreWorld {
    const world = new CoreWorld();
    world.reconcile(at('01:00:00'));
    world.finish(at('01:01:00'));
    world.annotate({ [RUN_NOW_ANNOTATION]: 'first' });
    world.reconcile(at('01:10:00'));
    world.jobs = world.jobs.map((job) =>
      job.status?.conditions ? job : { ...job, status: { startTime: at('01:10:03') } },
    );
    return world;
  }

  test('goes on to its end, though it started later than it was made', () => {
    const world = byHand();
    world.reconcile(at('01:10:04'));
    world.finish(at('01:12:00'));
    expect(world.reconcile(at('01:12:01')).status.lastRun).toMatchObject({
      result: 'Succeeded',
      completionTime: at('01:12:00'),
    });
  });

  test('stays the one asked for by hand when its Job is gone and an older one is there', () => {
    const world = byHand();
    const { lastRun } = world.reconcile(at('01:10:04')).status;
    world.jobs = world.jobs.slice(0, 1);
    expect(world.reconcile(at('01:10:05')).status.lastRun).toEqual({
      ...lastRun,
      result: 'Unknown',
      reason: 'JobDeleted',
    });
  });
});

test.each([
  ['01:00:00', 'hello-gone'],
  ['00:00:00', 'hello-1767227400'],
])('of a run that is gone and one started in the same second, lastRun is that of the newer slot (%s)', (slot, want) => {
  const time = at('01:00:00');
  const lastRun = { jobName: 'hello-gone', scheduledTime: at(slot), startTime: time, result: 'Succeeded' } as const;
  const world = new CoreWorld(cronJob({ suspend: true }, { observedGeneration: 1, lastRun }));
  const job = buildJob(at('00:30:00'), { state: 'Complete' });
  world.jobs = [{ ...job, metadata: { ...job.metadata, creationTimestamp: time } }];
  expect(world.reconcile(at('01:00:30')).status.lastRun?.jobName).toBe(want);
  world.cronJob = { ...world.cronJob, status: { observedGeneration: 1, lastRun } };
  world.jobs = world.jobs.map((each) => ({ ...each, metadata: { ...each.metadata, annotations: {} } }));
  expect(world.reconcile(at('01:00:30')).status.lastRun?.jobName).toBe('hello-1767227400');
});

describe('of runs that were started in the same second, lastRun is', () => {
  const created = { creationTimestamp: '2026-01-01T01:00:00Z' };
  const lastOf = (jobs: readonly Job[]) => {
    const world = new CoreWorld(cronJob({ suspend: true }));
    world.jobs = [...jobs];
    return world.reconcile('2026-01-01T01:00:30Z').status.lastRun?.jobName;
  };

  test('that of the newest slot', () => {
    const jobs = ['00:00:00', '01:00:00'].map((time) => buildJob(`2026-01-01T${time}Z`));
    const same = jobs.map((job) => ({ ...job, metadata: { ...job.metadata, ...created } }));
    expect(lastOf(same)).toBe(jobs[1]?.metadata.name);
    expect(lastOf(same.toReversed())).toBe(jobs[1]?.metadata.name);
  });

  test('by name, of runs without a slot', () => {
    const job = buildJob('2026-01-01T01:00:00Z');
    const [a, b] = ['a', 'b'].map((name) => ({
      ...job,
      metadata: { ...job.metadata, ...created, name, uid: name, annotations: {} },
    }));
    if (!a || !b) throw new Error('no Jobs');
    expect(lastOf([job, b, a])).toBe(job.metadata.name);
    expect(lastOf([b, a])).toBe('b');
    expect(lastOf([a, b])).toBe('b');
  });
});
