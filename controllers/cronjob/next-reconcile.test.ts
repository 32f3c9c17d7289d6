/** When a reconcile follows, and what the previous reconcile leaves to it. */
import { describe, expect, test } from 'vitest';
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at, buildJob, cronJob } from '../../test/support/cron-jobs.ts';
import {
  computePruning,
  computeRequeue,
  computeRequeueAfterFailureMs,
  conclude,
  SCHEDULE_SLACK_MS,
} from './conclude.ts';
import { decide } from './decide.ts';
import { assess } from './facts.ts';

const idle: CronJobStatus = { activeCount: 0, nextScheduleTime: at('01:00:00'), observedGeneration: 1 };

describe('a reconcile that saw no more than the CronJob', () => {
  test('looks again at its next slot, whatever the status says of earlier ones', () => {
    const now = new Date(at('01:20:00'));
    expect(computeRequeueAfterFailureMs(cronJob({}, idle), now)).toBe(40 * 60_000 + SCHEDULE_SLACK_MS);
  });

  test.each([
    ['suspended', cronJob({ suspend: true })],
    ['without a schedule that can be read', cronJob({ schedule: '61 * * * *' })],
    ['being deleted', cronJob({}, idle, { deletionTimestamp: at('01:00:00') })],
  ])('does not when it is %s', (_, given) => {
    expect(computeRequeueAfterFailureMs(given, new Date(at('01:20:00')))).toBeUndefined();
  });
});

describe('after the status write', () => {
  const runNow = { 'batch.tutorial.kubebuilder.io/run-now': 'once' };
  const observed = { cronJob: cronJob({ startingDeadlineSeconds: 60 }, idle, { annotations: runNow }), jobs: [] };
  const facts = assess(observed, new Date(at('00:30:00')));
  const job = buildJob(at('00:30:00'));
  const outcome = conclude(facts, decide(facts), { started: { kind: 'Created', job }, replaced: [] });
  const { status } = outcome;
  const isDue = { ...outcome, requeueAfterMs: 1000 };

  test('nothing is left to do for a CronJob that is gone', () => {
    expect(computePruning(facts, status, { kind: 'Gone' })).toEqual({ jobs: [], canWait: false });
    expect(computeRequeue(isDue, { kind: 'Gone' }, [500])).toEqual({ requeueAfterMs: 1000, retry: false });
  });

  test('the first back-off that ends is waited for', () => {
    const write = { kind: 'Failed' } as const;
    expect(computeRequeue(isDue, write, [undefined, 500, 700]).requeueAfterMs).toBe(500);
    const isThrottled = { requeueAfterMs: 1000, retry: true, retryAfterMs: 7000 };
    expect(computeRequeue(isThrottled, write, [])).toEqual(isThrottled);
  });

  test('it has it as well when the status could not be stored: a slot that is due does not wait for that', () => {
    expect(computeRequeue(isDue, { kind: 'Failed' }, [500]).requeue).toBe('normal');
  });

  test('a back-off that is over does not take the place of the wake-up for the next slot', () => {
    const write = { kind: 'Postponed' } as const;
    const nothing = { requeueAfterMs: 1000, retry: false };
    expect(computeRequeue(nothing, write, [0])).toEqual({
      requeueAfterMs: 1000,
      retry: false,
      requeue: 'low',
    });
    expect(computeRequeue(nothing, { ...write, kind: 'Failed' }, [0]).requeueAfterMs).toBe(1);
  });
});

test('a run that a manager with a clock ahead has started does not run again when its time comes, though its Job is gone by then', () => {
  const world = new CoreWorld(cronJob({ startingDeadlineSeconds: 60 }));
  world.reconcile(at('00:00:00'));
  world.reconcile(at('01:00:00'), { crashes: true });
  world.reconcile(at('00:59:40'));
  world.jobs = [];
  expect(world.reconcile(at('00:59:50')).status).toMatchObject({ lastRun: { scheduledTime: at('01:00:00') } });
  const then = world.reconcile(at('01:00:00'));
  expect(then).toMatchObject({ created: [], status: { lastScheduleTime: at('01:00:00') } });
  expect(then.status).not.toHaveProperty('recentSkips');
});

test('a run that a manager with a clock ahead has started is recorded when its time comes, though the CronJob is suspended by then', () => {
  const world = new CoreWorld(cronJob({}));
  world.reconcile(at('00:00:00'));
  expect(world.reconcile(at('01:00:00'), { crashes: true }).created).toHaveLength(1);
  world.edit({ suspend: true });
  const before = world.reconcile(at('00:59:40'));
  expect(before.status.lastScheduleTime).toBeUndefined();
  expect(before.requeueAfterMs).toBe(20_000 + SCHEDULE_SLACK_MS);
  const then = world.reconcile(at('01:00:00'));
  expect(then.status.lastScheduleTime).toBe(at('01:00:00'));
  expect(then.requeueAfterMs).toBeUndefined();
});
