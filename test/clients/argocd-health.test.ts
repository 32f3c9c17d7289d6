/** The health that Argo CD shows of a CronJob, for statuses that the core writes. */
import { describe, expect, test } from 'vitest';
import type { CronJob, CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { CoreWorld } from '../support/core-world.ts';
import { at, cronJob } from '../support/cron-jobs.ts';
import { healthOf } from './support/argo-cd.ts';

/** A CronJob that a manager has seen at midnight. */
function seen(spec: Partial<CronJobSpec> = {}): CoreWorld {
  const world = new CoreWorld(cronJob(spec));
  world.pass(at('00:00:00'));
  return world;
}

/** The same, with a run at one that has ended so. */
function ran(type: 'Complete' | 'Failed', spec: Partial<CronJobSpec> = {}): CoreWorld {
  const world = seen(spec);
  world.pass(at('01:00:00'));
  world.finish(at('01:05:00'), type);
  world.pass(at('01:05:00'));
  return world;
}

const refused = {
  kind: 'Failed',
  failure: { kind: 'Refused', jobName: 'hello-1', message: 'exceeded quota: pods' },
} as const;

function blocked(): CronJob {
  const world = seen();
  world.pass(at('01:00:00'), { started: refused });
  return world.cronJob;
}

function overdue(type: 'Complete' | 'Failed'): CronJob {
  const world = ran(type, { expectSuccessWithinSeconds: 1800 });
  world.pass(at('01:40:00'));
  return world.cronJob;
}

function edited(): CronJob {
  const world = ran('Failed');
  world.edit({ schedule: '30 * * * *' });
  return world.cronJob;
}

function runs(): CronJob {
  const world = seen();
  world.pass(at('01:00:00'));
  return world.cronJob;
}

const CASES: readonly (readonly [name: string, given: CronJob, status: string, message: RegExp])[] = [
  ['nobody has looked at it', cronJob(), 'Progressing', /^No manager has looked at it yet$/],
  ['it was changed since', edited(), 'Progressing', /^The manager has not looked at the last change yet$/],
  ['it has not run yet', seen().cronJob, 'Healthy', /^Nothing is wrong: no run is active$/],
  ['it runs', runs(), 'Healthy', /^Nothing is wrong: 1 Job is active$/],
  ['its last run succeeded', ran('Complete').cronJob, 'Healthy', /^Nothing is wrong: no run is active$/],
  ['its last run failed', ran('Failed').cronJob, 'Healthy', /^LastRunFailed: a run failed at .* none has succeeded/],
  ['a run cannot start', blocked(), 'Healthy', /^FailedCreate: .*exceeded quota: pods$/],
  ['a success is overdue', overdue('Complete'), 'Healthy', /^Overdue: the last success was at /],
  ['it fails and is overdue', overdue('Failed'), 'Healthy', /^Overdue: no run has succeeded; .*; LastRunFailed: /],
  ['its clock was wrong', skewed(), 'Healthy', /^ClockSkew: status\.lastScheduleTime: /],
  ['it is suspended', seen({ suspend: true }).cronJob, 'Healthy', /^Suspended: spec\.suspend is true$/],
  ['it is suspended for a while', untilSix(), 'Healthy', /^Suspended: spec\.suspendUntil is 2026-01-01T06:00:00Z$/],
  ['it is suspended, and failed before', failedAndSuspended(), 'Healthy', /^Suspended: /],
  ['it is paused', ran('Failed', { pauseAfterFailures: 1 }).cronJob, 'Healthy', /^Paused: 1 run has failed .*resume: /],
  ['its schedule is invalid', seen({ schedule: '61 * * * *' }).cronJob, 'Degraded', /^It never runs: spec\.schedule: /],
  ['its zone is unknown', seen({ timeZone: 'Mars/Base' }).cronJob, 'Degraded', /^It never runs: spec\.timeZone: /],
  ['no time ever matches', seen({ schedule: '0 0 31 2 *' }).cronJob, 'Degraded', /^It never runs: .* matches no time/],
  ['it is invalid and suspended', seen({ schedule: 'x', suspend: true }).cronJob, 'Degraded', /^It never runs: /],
];

test.each(CASES)('when %s', (_name, given, status, message) => {
  expect(healthOf(given)).toEqual({ status, message: expect.stringMatching(message) });
});

test('an invalid schedule that is corrected is healthy at once', () => {
  const world = seen({ schedule: '61 * * * *' });
  world.edit({ schedule: '1 * * * *' });
  world.pass(at('00:10:00'));
  expect(healthOf(world.cronJob).status).toBe('Healthy');
});

describe('of a status that is not as the core writes it', () => {
  const { status, ...rest } = seen().cronJob;

  test.each([
    ['no conditions', { observedGeneration: 1 }],
    ['null for conditions', { observedGeneration: 1, conditions: null }],
    ['nothing in it', {}],
    ['no generation', { ...status, observedGeneration: undefined }],
    ['a generation of another cluster', { ...status, observedGeneration: 7 }],
  ])('with %s, a manager is waited for', (_name, given) => {
    expect(healthOf({ ...rest, status: given }).status).toBe('Progressing');
  });

  test.each([
    ['an empty list', []],
    ['conditions of others', [{ type: 'Ready', status: 'True' }]],
    ['no message', [{ type: 'Degraded', status: 'True', reason: 'LastRunFailed' }]],
    ['no reason', [{ type: 'Degraded', status: 'True' }]],
    ['a reason of a later version', [{ type: 'Degraded', status: 'True', reason: 'Later', message: 'm' }]],
  ])('with %s, nothing turns red', (_name, conditions) => {
    const { status: health, message } = healthOf({ ...rest, status: { observedGeneration: 1, conditions } });
    expect([health, message]).toEqual(['Healthy', expect.stringMatching(/./)]);
  });
});

function skewed(): CronJob {
  const world = seen();
  world.pass(at('03:00:00'));
  world.pass(at('01:00:00'));
  return world.cronJob;
}

function untilSix(): CronJob {
  return seen({ suspendUntil: at('06:00:00') }).cronJob;
}

function failedAndSuspended(): CronJob {
  const world = ran('Failed');
  world.edit({ suspend: true });
  world.pass(at('01:10:00'));
  return world.cronJob;
}
