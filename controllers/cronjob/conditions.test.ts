import { describe, expect, test } from 'vitest';
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at, cronJob } from '../../test/support/cron-jobs.ts';
import type { StartResult } from './decide.ts';

const refused = (message: string): StartResult => ({
  kind: 'Failed',
  failure: { kind: 'Refused', jobName: 'hello-1767229200', message },
});

function summaryOf({ conditions = [] }: CronJobStatus): Readonly<Record<string, string>> {
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

const idle = { Available: 'True AllJobsCompleted', Progressing: 'False NoJobsActive', Degraded: 'False AsExpected' };
const busy = { Available: 'True JobsActive', Progressing: 'True JobsActive', Degraded: 'False AsExpected' };

function degradedOf({ conditions }: CronJobStatus) {
  return conditions?.find(({ type }) => type === 'Degraded');
}

/** A CronJob whose run of 01:00 failed. */
function afterFailure(): CoreWorld {
  const world = new CoreWorld();
  world.reconcile(at('01:00:00'));
  world.finish(at('01:05:00'), 'Failed');
  world.reconcile(at('01:05:01'));
  return world;
}

describe('the conditions', () => {
  test('are there after the first reconcile', () => {
    const { status } = new CoreWorld().reconcile(at('00:00:01'));
    const common = { lastTransitionTime: at('00:00:01'), observedGeneration: 1 };
    expect(status.conditions).toEqual([
      { type: 'Available', status: 'True', reason: 'AllJobsCompleted', message: 'no run is active', ...common },
      { type: 'Progressing', status: 'False', reason: 'NoJobsActive', message: 'no run is active', ...common },
      { type: 'Degraded', status: 'False', reason: 'AsExpected', message: 'nothing is wrong', ...common },
    ]);
  });

  test('count the Jobs that are active', () => {
    const world = new CoreWorld();
    expect(world.reconcile(at('01:00:00')).status.conditions?.[1]?.message).toBe('1 Job is active');
    expect(world.reconcile(at('02:00:00')).status.conditions?.[1]?.message).toBe('2 Jobs are active');
  });

  test.each([
    ['concurrencyPolicy Forbid', { concurrencyPolicy: 'Forbid' }],
    ['concurrencyPolicy Queue', { concurrencyPolicy: 'Queue' }],
    ['maxConcurrentRuns 1', { maxConcurrentRuns: 1 }],
  ] as const)('name the run that waits and the field that makes it wait: %s', (rule, spec) => {
    const world = new CoreWorld(cronJob(spec));
    world.reconcile(at('01:00:00'));
    expect(world.reconcile(at('02:00:00')).status.conditions?.[1]?.message).toBe(
      `1 Job is active; hello-1767232800 will start after that (${rule})`,
    );
  });
});

describe('better: a condition recovers when its cause is gone', () => {
  const fixes = [
    ['Suspended', { suspend: true }, { suspend: false }],
    ['UnparseableSchedule', { schedule: '61 * * * *' }, { schedule: '0 * * * *' }],
    ['UnknownTimeZone', { timeZone: 'Mars/Olympus' }, { timeZone: 'Europe/Berlin' }],
  ] as const;

  test.each(fixes)('Available: %s', (reason, wrong, right) => {
    const world = new CoreWorld(cronJob(wrong));
    expect(summaryOf(world.reconcile(at('00:10:00')).status)['Available']).toBe(`False ${reason}`);
    world.edit(right);
    expect(summaryOf(world.reconcile(at('00:11:00')).status)).toEqual(idle);
  });

  test.each([
    ['a schedule without a time', { schedule: '0 0 31 2 *' }, { schedule: '0 * * * *' }, 'spec.schedule: "0 0 31 2 *"'],
    [
      'a deadline of 0',
      { startingDeadlineSeconds: 0 },
      { startingDeadlineSeconds: 10 },
      'spec.startingDeadlineSeconds',
    ],
  ])('Degraded: NeverFires, for %s', (_, wrong, right, message) => {
    const world = new CoreWorld(cronJob(wrong));
    const first = world.reconcile(at('00:10:00'));
    expect(degradedOf(first.status)).toMatchObject({ status: 'True', reason: 'NeverFires' });
    expect(degradedOf(first.status)?.message).toContain(message);
    expect(first.status).not.toHaveProperty('nextScheduleTime');
    expect(first.requeueAfterMs).toBeUndefined();
    world.edit(right);
    expect(summaryOf(world.reconcile(at('00:11:00')).status)).toEqual(idle);
  });

  test.each([
    ['lastScheduleTime', { lastScheduleTime: at('12:00:00') }],
    ['handledThrough', { handledThrough: at('12:00:00') }],
    ['lastSuccessfulTime', { lastSuccessfulTime: at('12:00:00') }],
    ['lastFailureTime', { lastFailureTime: at('12:00:00') }],
    [
      'effectiveSchedule.since',
      { effectiveSchedule: { schedule: '0 * * * *', timeZone: 'UTC', since: at('12:00:00') } },
    ],
    ['recentRuns', { recentRuns: [`${at('12:00:00')} Succeeded hello-1767268800 Schedule took=9s`] }],
  ])('Degraded: ClockSkew, for %s', (field, status) => {
    const world = new CoreWorld(cronJob({}, { observedGeneration: 1, ...status }));
    const skewed = world.reconcile(at('00:10:00'));
    expect(degradedOf(skewed.status)).toMatchObject({ status: 'True', reason: 'ClockSkew' });
    expect(degradedOf(skewed.status)?.message).toContain(`status.${field}: ${at('12:00:00')} is ahead of the clock`);
    expect(degradedOf(skewed.status)?.message).toContain(
      'kubectl edit cronjobs.batch.tutorial.kubebuilder.io hello --namespace default --subresource=status',
    );
    expect(skewed.requeueAfterMs).toBe(60_002);
    world.cronJob = { ...world.cronJob, status: { observedGeneration: 1 } };
    expect(summaryOf(world.reconcile(at('00:11:00')).status)).toEqual(idle);
  });

  test('a clock skew ends with the minute that is tolerated, not up to a minute later', () => {
    const world = new CoreWorld(cronJob({}, { observedGeneration: 1, lastSuccessfulTime: at('00:11:10') }));
    const skewed = world.reconcile(at('00:10:00'));
    expect(degradedOf(skewed.status)?.reason).toBe('ClockSkew');
    expect(skewed.requeueAfterMs).toBe(10_002);
    expect(summaryOf(world.reconcile(at('00:10:10')).status)).toEqual(idle);
  });

  test('a clock skew names the next time that is ahead as soon as the first one is no longer', () => {
    const ahead = { lastScheduleTime: at('00:11:10'), lastSuccessfulTime: at('00:20:00') };
    const world = new CoreWorld(cronJob({}, { observedGeneration: 1, ...ahead }));
    expect(world.reconcile(at('00:10:00')).requeueAfterMs).toBe(10_002);
    expect(degradedOf(world.reconcile(at('00:10:10')).status)?.message).toContain('status.lastSuccessfulTime');
  });

  test('no run starts before a status time that is ahead of the clock', () => {
    const world = new CoreWorld(cronJob({}, { observedGeneration: 1, lastScheduleTime: at('12:00:00') }));
    expect(world.reconcile(at('03:00:00'))).toMatchObject({
      created: [],
      status: { nextScheduleTime: at('13:00:00') },
    });
    expect(world.reconcile(at('13:00:00')).created).toHaveLength(1);
  });

  test('Degraded: FailedCreate, until a create succeeds', () => {
    const world = new CoreWorld();
    world.reconcile(at('01:00:00'), { started: refused('exceeded quota') });
    expect(degradedOf(world.reconcile(at('01:00:01'), { started: refused('exceeded quota') }).status)).toMatchObject({
      status: 'True',
      reason: 'FailedCreate',
      message: 'Error creating job hello-1767229200: exceeded quota',
    });
    const inTrouble: StartResult = { kind: 'Failed', failure: { kind: 'Transient', jobName: 'x', message: 'timeout' } };
    expect(degradedOf(world.reconcile(at('01:00:02'), { started: inTrouble }).status)?.reason).toBe('FailedCreate');
    expect(summaryOf(world.reconcile(at('01:00:03')).status)).toEqual(busy);
  });

  test('Degraded: the words of the API server are kept within bounds', () => {
    const { status } = new CoreWorld().reconcile(at('01:00:00'), {
      started: refused(`${'x'.repeat(999)}😀`.repeat(50)),
    });
    expect(status.failedStart?.message?.isWellFormed()).toBe(true);
    expect(degradedOf(status)?.message.length).toBeLessThan(1100);
  });

  test('Degraded: TooManyMissedTimes, until a run starts', () => {
    const world = new CoreWorld(cronJob({ schedule: '* * * * *' }));
    expect(degradedOf(world.reconcile(at('05:00:00')).status)?.reason).toBe('TooManyMissedTimes');
    expect(degradedOf(world.reconcile(at('05:00:30')).status)?.reason).toBe('TooManyMissedTimes');
    expect(summaryOf(world.reconcile(at('05:01:00')).status)).toEqual(busy);
  });

  test('Degraded: LastRunFailed, until a run succeeds', () => {
    const world = afterFailure();
    expect(degradedOf(world.reconcile(at('01:06:00')).status)).toMatchObject({
      status: 'True',
      reason: 'LastRunFailed',
      message: `a run failed at ${at('01:05:00')} and none has succeeded since`,
    });
    expect(degradedOf(world.reconcile(at('02:00:00')).status)?.reason).toBe('LastRunFailed');
    world.finish(at('02:05:00'));
    expect(summaryOf(world.reconcile(at('02:05:01')).status)).toEqual(idle);
  });
});

describe('of several things that are wrong, Degraded shows', () => {
  const MINUTELY = { schedule: '* * * * *' };
  const ahead: CronJobStatus = { observedGeneration: 1, lastSuccessfulTime: at('23:00:00') };
  const hasFailed: CronJobStatus = { observedGeneration: 1, lastFailureTime: at('00:05:00') };

  test.each([
    ['UnparseableSchedule', 'UnknownTimeZone', { schedule: 'every day', timeZone: 'Mars/Olympus' }, undefined],
    ['UnknownTimeZone', 'NeverFires', { timeZone: 'Mars/Olympus', startingDeadlineSeconds: 0 }, undefined],
    ['NeverFires', 'ClockSkew', { startingDeadlineSeconds: 0 }, ahead],
    ['ClockSkew', 'FailedCreate', {}, ahead],
    ['FailedCreate', 'LastRunFailed', {}, hasFailed],
    ['TooManyMissedTimes', 'LastRunFailed', MINUTELY, hasFailed],
  ])('%s before %s', (reason, _, spec, status) => {
    const now = reason === 'TooManyMissedTimes' ? at('05:00:00') : at('01:00:00');
    expect(
      degradedOf(new CoreWorld(cronJob(spec, status)).reconcile(now, { started: refused('') }).status)?.reason,
    ).toBe(reason);
  });

  test('FailedCreate before TooManyMissedTimes', () => {
    const world = new CoreWorld(cronJob(MINUTELY));
    world.reconcile(at('05:00:00'));
    expect(degradedOf(world.reconcile(at('05:01:00'), { started: refused('') }).status)?.reason).toBe('FailedCreate');
  });

  test('no LastRunFailed when a run succeeded in the second in which another failed', () => {
    const world = new CoreWorld(cronJob({}, { ...hasFailed, lastSuccessfulTime: at('00:05:00') }));
    expect(degradedOf(world.reconcile(at('00:10:00')).status)?.reason).toBe('AsExpected');
  });

  test('a failed start again when the fault that hid it is gone', () => {
    const world = new CoreWorld();
    world.reconcile(at('01:00:00'), { started: refused('') });
    expect(world.cronJob.status?.failedStart).toBeDefined();
    world.edit({ timeZone: 'Europe/Atlantis' });
    const first = world.reconcile(at('01:10:00'));
    expect(degradedOf(first.status)?.reason).toBe('UnknownTimeZone');
    expect(world.reconcile(at('01:10:01')).status).toEqual(first.status);
    world.edit({ timeZone: 'UTC' });
    expect(degradedOf(world.reconcile(at('01:11:00')).status)?.reason).toBe('FailedCreate');
    expect(world.reconcile(at('02:00:00')).status).not.toHaveProperty('failedStart');
  });
});

test('what is shown of a spec that is wrong fits the status', () => {
  const long = new CoreWorld(cronJob({ timeZone: 'x'.repeat(40_000) })).reconcile(at('00:10:00'));
  expect(degradedOf(long.status)?.message.length).toBeLessThan(300);
  const late = new CoreWorld(cronJob({}, { observedGeneration: 1, lastScheduleTime: '9999-12-31T23:59:59Z' }));
  expect(late.reconcile(at('00:10:00')).status).not.toHaveProperty('nextScheduleTime');
});
