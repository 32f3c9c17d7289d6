/** The run that resuming starts must be the run that the core starts. */
import { describe, expect, test } from 'vitest';
import type { CronJobSpec } from '../../../api/v1/cronjob-types.ts';
import { toSlotJobName } from '../../../api/v1/job-names.ts';
import { CoreWorld } from '../../../test/support/core-world.ts';
import { at, cronJob } from '../../../test/support/cron-jobs.ts';
import { createResumeChange, findSlotOnResume } from './cron-job-changes.ts';

const EVERY_TEN_MINUTES: Partial<CronJobSpec> = { schedule: '*/10 * * * *' };
const CAUGHT_UP: Partial<CronJobSpec> = { ...EVERY_TEN_MINUTES, catchUpPolicy: 'All' };

/** A CronJob suspended from 01:05 on, and resumed at the time. */
function resumed(
  time: string,
  spec: Partial<CronJobSpec>,
): { readonly predicted: string | undefined; readonly started: string | undefined } {
  const world = new CoreWorld(cronJob(spec));
  world.reconcile(at('00:00:00'));
  world.reconcile(at('01:00:00'));
  world.edit({ suspend: true });
  world.reconcile(at('01:05:00'));
  const predicted = findSlotOnResume(world.cronJob, new Date(at(time)));
  world.edit({ suspend: false });
  const [started] = world.reconcile(at(time)).created;
  return { predicted: predicted && toSlotJobName(world.cronJob, predicted), started };
}

describe('the run that starts after a suspension', () => {
  test.each([
    ['none was missed', '01:09:59', EVERY_TEN_MINUTES, false],
    ['one was missed', '01:10:00', EVERY_TEN_MINUTES, true],
    ['the newest of several starts', '05:03:00', EVERY_TEN_MINUTES, true],
    ['its deadline allows it', '05:03:00', { ...EVERY_TEN_MINUTES, startingDeadlineSeconds: 200 }, true],
    ['its deadline has passed', '05:03:00', { ...EVERY_TEN_MINUTES, startingDeadlineSeconds: 170 }, false],
    ['a deadline of 0', '05:10:00', { ...EVERY_TEN_MINUTES, startingDeadlineSeconds: 0 }, false],
    ['none was missed, and runs wait', '01:09:59', CAUGHT_UP, true],
    ['one was missed, and runs wait', '01:10:00', CAUGHT_UP, true],
    ['a hundred were missed', '02:40:00', { schedule: '* * * * *' }, true],
    ['more than a hundred were missed', '04:00:00', { schedule: '* * * * *' }, false],
    ['every so often from its own beginning', '05:03:00', { schedule: '@every 7m' }, true],
    ['the newest slot waits for its delay', '05:05:00', { ...EVERY_TEN_MINUTES, jitterSeconds: 1800 }, true],
    [
      'a suspendUntil has passed after the slots',
      '05:05:00',
      { ...EVERY_TEN_MINUTES, suspendUntil: at('05:01:00') },
      false,
    ],
    [
      'a suspendUntil has passed before a slot',
      '05:05:00',
      { ...EVERY_TEN_MINUTES, suspendUntil: at('05:00:00') },
      true,
    ],
    ['more than a hundred were missed, and runs wait', '04:00:00', { ...CAUGHT_UP, schedule: '* * * * *' }, false],
    ['a schedule that cannot be read', '05:03:00', { schedule: 'never' }, false],
  ])('%s', (_, time, spec, starts) => {
    const { predicted, started } = resumed(time, spec);
    expect(predicted).toBe(started);
    expect(started !== undefined).toBe(starts);
  });
});

test.each([
  ['Allow', 'starts now'],
  ['Forbid', 'starts when the active run ends'],
  ['Queue', 'starts when the active run ends'],
  ['Skip', undefined],
] as const)('with an active run and %s, the message about the missed run is true', (concurrencyPolicy, effect) => {
  const world = CoreWorld.afterFirstReconcile({ concurrencyPolicy });
  world.reconcile(at('01:00:00'));
  world.edit({ suspend: true });
  world.reconcile(at('01:05:00'));
  const { predicate } = createResumeChange(world.cronJob, false, new Date(at('02:05:00')));
  const missedRun = 'the missed run of Thu 2026-01-01 02:00 UTC';
  expect(predicate).toBe(effect === undefined ? 'resumed' : `resumed; ${missedRun} ${effect}`);
});
