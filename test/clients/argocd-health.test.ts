/** The health that Argo CD shows for a CronJob, for statuses that the core writes. */
import { describe, expect, test } from 'vitest';
import type { CronJob, CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { CoreWorld } from '../support/core-world.ts';
import { at, cronJob } from '../support/cron-jobs.ts';
import { getHealth } from './support/argo-cd.ts';

/** A CronJob that a manager saw at midnight, and the events since then. */
function observe(spec: Partial<CronJobSpec> = {}, act: (world: CoreWorld) => void = () => {}): CronJob {
  const world = new CoreWorld(cronJob(spec));
  world.reconcile(at('00:00:00'));
  act(world);
  return world.cronJob;
}

/** The same, with a run at one o'clock that has ended with this result. */
function finishRun(
  type: 'Complete' | 'Failed',
  spec: Partial<CronJobSpec> = {},
  happen: (world: CoreWorld) => void = () => {},
) {
  return observe(spec, (world) => {
    world.reconcile(at('01:00:00'));
    world.finish(at('01:05:00'), type);
    world.reconcile(at('01:05:00'));
    happen(world);
  });
}

const refusedStart = {
  kind: 'Failed',
  failure: { kind: 'Refused', jobName: 'hello-1', message: 'exceeded quota: pods' },
} as const;
const EXPECTED = { expectSuccessWithinSeconds: 1800 };
const reconcileAtOne = (world: CoreWorld) => void world.reconcile(at('01:00:00'));
const reconcileLater = (world: CoreWorld) => void world.reconcile(at('01:40:00'));
const blocked = observe({}, (world) => void world.reconcile(at('01:00:00'), { started: refusedStart }));
const edited = finishRun('Failed', {}, (world) => world.edit({ schedule: '30 * * * *' }));
const skewed = observe({}, (world) => {
  world.reconcile(at('03:00:00'));
  world.reconcile(at('01:00:00'));
});
const failedAndSuspended = finishRun('Failed', {}, (world) => {
  world.edit({ suspend: true });
  world.reconcile(at('01:10:00'));
});

const CASES: readonly (readonly [name: string, given: CronJob, status: string, message: RegExp])[] = [
  ['no manager has observed it', cronJob(), 'Progressing', /^No manager has reconciled the CronJob yet$/],
  ['it was changed after that', edited, 'Progressing', /^No manager has reconciled the last change yet$/],
  ['it has not run yet', observe(), 'Healthy', /^Nothing is wrong: no run is active$/],
  ['it runs', observe({}, reconcileAtOne), 'Healthy', /^Nothing is wrong: 1 Job is active$/],
  ['its last run succeeded', finishRun('Complete'), 'Healthy', /^Nothing is wrong: no run is active$/],
  ['its last run failed', finishRun('Failed'), 'Healthy', /^LastRunFailed: a run failed at .* none has succeeded/],
  ['a run cannot start', blocked, 'Healthy', /^FailedCreate: .*exceeded quota: pods$/],
  [
    'a success is overdue',
    finishRun('Complete', EXPECTED, reconcileLater),
    'Healthy',
    /^Overdue: the last success was at /,
  ],
  [
    'it fails and is overdue',
    finishRun('Failed', EXPECTED, reconcileLater),
    'Healthy',
    /^Overdue: no run has succeeded; .*; LastRunFailed: /,
  ],
  ['its clock was wrong', skewed, 'Healthy', /^ClockSkew: status\.lastScheduleTime: /],
  ['it is suspended', observe({ suspend: true }), 'Healthy', /^Suspended: spec\.suspend is true$/],
  [
    'it is suspended for a while',
    observe({ suspendUntil: at('06:00:00') }),
    'Healthy',
    /^Suspended: spec\.suspendUntil is 2026-01-01T06:00:00Z$/,
  ],
  ['it is suspended, and failed before', failedAndSuspended, 'Healthy', /^Suspended: /],
  ['it is paused', finishRun('Failed', { pauseAfterFailures: 1 }), 'Healthy', /^Paused: 1 run has failed .*resume: /],
  ['its schedule is invalid', observe({ schedule: '61 * * * *' }), 'Degraded', /^It never runs: spec\.schedule: /],
  ['its zone is unknown', observe({ timeZone: 'Mars/Base' }), 'Degraded', /^It never runs: spec\.timeZone: /],
  ['no time ever matches', observe({ schedule: '0 0 31 2 *' }), 'Degraded', /^It never runs: .* matches no time/],
  ['it is invalid and suspended', observe({ schedule: 'x', suspend: true }), 'Degraded', /^It never runs: /],
];

test.each(CASES)('when %s', (_name, object, status, message) => {
  expect(getHealth(object)).toEqual({ status, message: expect.stringMatching(message) });
});

test('a CronJob is healthy at once after its invalid schedule is corrected', () => {
  const corrected = observe({ schedule: '61 * * * *' }, (world) => {
    world.edit({ schedule: '1 * * * *' });
    world.reconcile(at('00:10:00'));
  });
  expect(getHealth(corrected).status).toBe('Healthy');
});

describe('the health of a status that the core does not write', () => {
  const { status, ...rest } = observe();

  test.each([
    ['no conditions', { observedGeneration: 1 }],
    ['null for conditions', { observedGeneration: 1, conditions: null }],
    ['an empty status', {}],
    ['no generation', { ...status, observedGeneration: undefined }],
    ['a generation of another cluster', { ...status, observedGeneration: 7 }],
  ])('with %s, the CronJob is Progressing', (_name, object) => {
    expect(getHealth({ ...rest, status: object }).status).toBe('Progressing');
  });

  test.each([
    ['an empty list', []],
    ['conditions of other controllers', [{ type: 'Ready', status: 'True' }]],
    ['no message', [{ type: 'Degraded', status: 'True', reason: 'LastRunFailed' }]],
    ['no reason', [{ type: 'Degraded', status: 'True' }]],
    ['a reason of a later version', [{ type: 'Degraded', status: 'True', reason: 'Later', message: 'm' }]],
  ])('with %s, the CronJob is not Degraded', (_name, conditions) => {
    const { status: health, message } = getHealth({ ...rest, status: { observedGeneration: 1, conditions } });
    expect([health, message]).toEqual(['Healthy', expect.stringMatching(/./)]);
  });
});
