/** The health that Argo CD shows for a CronJob, for statuses that the core writes. */
import { describe, expect, test } from 'vitest';
import type { CronJob, CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { CoreWorld } from '../support/core-world.ts';
import { at, cronJob } from '../support/cron-jobs.ts';
import { healthOf } from './support/argo-cd.ts';

/** A CronJob that a manager saw at midnight, and the events since then. */
function seen(spec: Partial<CronJobSpec> = {}, happen: (world: CoreWorld) => void = () => {}): CronJob {
  const world = new CoreWorld(cronJob(spec));
  world.pass(at('00:00:00'));
  happen(world);
  return world.cronJob;
}

/** The same, with a run at one o'clock that has ended with this result. */
function ran(
  type: 'Complete' | 'Failed',
  spec: Partial<CronJobSpec> = {},
  happen: (world: CoreWorld) => void = () => {},
) {
  return seen(spec, (world) => {
    world.pass(at('01:00:00'));
    world.finish(at('01:05:00'), type);
    world.pass(at('01:05:00'));
    happen(world);
  });
}

const refused = {
  kind: 'Failed',
  failure: { kind: 'Refused', jobName: 'hello-1', message: 'exceeded quota: pods' },
} as const;
const EXPECTED = { expectSuccessWithinSeconds: 1800 };
const atOne = (world: CoreWorld) => void world.pass(at('01:00:00'));
const later = (world: CoreWorld) => void world.pass(at('01:40:00'));
const blocked = seen({}, (world) => void world.pass(at('01:00:00'), { started: refused }));
const edited = ran('Failed', {}, (world) => world.edit({ schedule: '30 * * * *' }));
const skewed = seen({}, (world) => {
  world.pass(at('03:00:00'));
  world.pass(at('01:00:00'));
});
const failedAndSuspended = ran('Failed', {}, (world) => {
  world.edit({ suspend: true });
  world.pass(at('01:10:00'));
});

const CASES: readonly (readonly [name: string, given: CronJob, status: string, message: RegExp])[] = [
  ['nobody has looked at it', cronJob(), 'Progressing', /^No manager has looked at it yet$/],
  ['it was changed since', edited, 'Progressing', /^The manager has not looked at the last change yet$/],
  ['it has not run yet', seen(), 'Healthy', /^Nothing is wrong: no run is active$/],
  ['it runs', seen({}, atOne), 'Healthy', /^Nothing is wrong: 1 Job is active$/],
  ['its last run succeeded', ran('Complete'), 'Healthy', /^Nothing is wrong: no run is active$/],
  ['its last run failed', ran('Failed'), 'Healthy', /^LastRunFailed: a run failed at .* none has succeeded/],
  ['a run cannot start', blocked, 'Healthy', /^FailedCreate: .*exceeded quota: pods$/],
  ['a success is overdue', ran('Complete', EXPECTED, later), 'Healthy', /^Overdue: the last success was at /],
  [
    'it fails and is overdue',
    ran('Failed', EXPECTED, later),
    'Healthy',
    /^Overdue: no run has succeeded; .*; LastRunFailed: /,
  ],
  ['its clock was wrong', skewed, 'Healthy', /^ClockSkew: status\.lastScheduleTime: /],
  ['it is suspended', seen({ suspend: true }), 'Healthy', /^Suspended: spec\.suspend is true$/],
  [
    'it is suspended for a while',
    seen({ suspendUntil: at('06:00:00') }),
    'Healthy',
    /^Suspended: spec\.suspendUntil is 2026-01-01T06:00:00Z$/,
  ],
  ['it is suspended, and failed before', failedAndSuspended, 'Healthy', /^Suspended: /],
  ['it is paused', ran('Failed', { pauseAfterFailures: 1 }), 'Healthy', /^Paused: 1 run has failed .*resume: /],
  ['its schedule is invalid', seen({ schedule: '61 * * * *' }), 'Degraded', /^It never runs: spec\.schedule: /],
  ['its zone is unknown', seen({ timeZone: 'Mars/Base' }), 'Degraded', /^It never runs: spec\.timeZone: /],
  ['no time ever matches', seen({ schedule: '0 0 31 2 *' }), 'Degraded', /^It never runs: .* matches no time/],
  ['it is invalid and suspended', seen({ schedule: 'x', suspend: true }), 'Degraded', /^It never runs: /],
];

test.each(CASES)('when %s', (_name, given, status, message) => {
  expect(healthOf(given)).toEqual({ status, message: expect.stringMatching(message) });
});

test('an invalid schedule that is corrected is healthy at once', () => {
  const corrected = seen({ schedule: '61 * * * *' }, (world) => {
    world.edit({ schedule: '1 * * * *' });
    world.pass(at('00:10:00'));
  });
  expect(healthOf(corrected).status).toBe('Healthy');
});

describe('of a status that is not as the core writes it', () => {
  const { status, ...rest } = seen();

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
