/** The examples that Kubernetes' own page on CronJobs gives, kept as promises. */
import { describe, expect, test } from 'vitest';
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at, cronJob } from '../../test/support/cron-jobs.ts';
import { SCHEDULE_SLACK_MS } from './conclude.ts';

const nameOf = (time: string) => `hello-${Date.parse(at(time)) / 1000}`;

/** Due every minute from 08:30 on, and seen for the last time at 08:29. */
function beforeTheOutage(spec: Partial<CronJobSpec> = {}): CoreWorld {
  const created = { creationTimestamp: at('08:29:00') };
  const world = new CoreWorld(cronJob({ schedule: '* * * * *', ...spec }, undefined, created));
  world.pass(at('08:29:00'));
  return world;
}

describe('an outage from 08:29 to 10:21 of a CronJob that is due every minute', () => {
  test('without startingDeadlineSeconds starts nothing, because more than 100 times were missed', () => {
    const world = beforeTheOutage();
    expect(world.pass(at('10:21:00'))).toMatchObject({ created: [], reasons: ['TooManyMissedTimes'] });
    expect(world.pass(at('10:22:00')).created).toEqual([nameOf('10:22:00')]);
  });

  test('with startingDeadlineSeconds: 200 starts the 10:21 run on return, where the page says 10:22', () => {
    const world = beforeTheOutage({ startingDeadlineSeconds: 200 });
    const back = world.pass(at('10:21:00'));
    expect(back.created).toEqual([nameOf('10:21:00')]);
    expect(back.skips).toEqual([
      { reason: 'DeadlineExceeded', count: 101 },
      { reason: 'Superseded', count: 3 },
    ]);
    expect(back.status.handledThrough).toBe(at('10:17:00'));
    expect(world.pass(at('10:22:00')).created).toEqual([nameOf('10:22:00')]);
  });
});

describe('startingDeadlineSeconds: 10', () => {
  test('starts each run, because passes come at the slot and not every ten seconds', () => {
    const world = beforeTheOutage({ startingDeadlineSeconds: 10 });
    const { requeueAfterMs } = world.pass(at('08:29:30'));
    expect(requeueAfterMs).toBe(30_000 + SCHEDULE_SLACK_MS);
    expect(world.pass('2026-01-01T08:30:00.002Z').created).toEqual([nameOf('08:30:00')]);
  });

  test('of a run that has started is waited for by nobody: the next pass comes at the next run', () => {
    const { created, requeueAfterMs } = beforeTheOutage({ startingDeadlineSeconds: 10 }).pass(at('08:30:00'));
    expect(created).toHaveLength(1);
    expect(requeueAfterMs).toBe(60_000 + SCHEDULE_SLACK_MS);
  });

  test('starts a run that is nine seconds late, and none that is ten', () => {
    expect(beforeTheOutage({ startingDeadlineSeconds: 10 }).pass(at('08:30:09')).created).toHaveLength(1);
    expect(beforeTheOutage({ startingDeadlineSeconds: 10 }).pass(at('08:30:10')).created).toHaveLength(0);
  });
});

describe('lifting suspend', () => {
  test('without startingDeadlineSeconds starts the newest missed run at once', () => {
    const world = beforeTheOutage({ suspend: true });
    world.edit({ suspend: false });
    expect(world.pass(at('09:00:30'))).toMatchObject({ created: [nameOf('09:00:00')], reasons: ['SuccessfulCreate'] });
  });

  test('with startingDeadlineSeconds starts a missed run only within it', () => {
    const late = beforeTheOutage({ suspend: true, startingDeadlineSeconds: 10 });
    late.edit({ suspend: false });
    expect(late.pass(at('09:00:30')).created).toEqual([]);
    const inTime = beforeTheOutage({ suspend: true, startingDeadlineSeconds: 40 });
    inTime.edit({ suspend: false });
    expect(inTime.pass(at('09:00:30')).created).toEqual([nameOf('09:00:00')]);
  });

  test('after more than 100 missed runs starts none of them, and then goes on', () => {
    const world = beforeTheOutage({ suspend: true });
    world.edit({ suspend: false });
    expect(world.pass(at('12:00:30')).created).toEqual([]);
    expect(world.pass(at('12:01:00')).created).toEqual([nameOf('12:01:00')]);
  });
});

test('suspend leaves the runs that have started alone', () => {
  const world = beforeTheOutage({ concurrencyPolicy: 'Replace' });
  world.pass(at('08:30:00'));
  world.edit({ suspend: true });
  expect(world.pass(at('08:31:00'))).toMatchObject({ deleted: [], created: [], status: { activeCount: 1 } });
});

test('under Forbid a run that was held back starts when the one before it ends, if its deadline allows', () => {
  const held = (spec: Partial<CronJobSpec>) => {
    const world = beforeTheOutage({ schedule: '*/30 * * * *', concurrencyPolicy: 'Forbid', ...spec });
    world.pass(at('08:30:00'));
    world.pass(at('09:00:00'));
    world.finish(at('09:05:00'));
    return world.pass(at('09:05:01')).created;
  };
  expect(held({})).toEqual([nameOf('09:00:00')]);
  expect(held({ startingDeadlineSeconds: 600 })).toEqual([nameOf('09:00:00')]);
  expect(held({ startingDeadlineSeconds: 60 })).toEqual([]);
});

test('an edit of the template concerns the runs that start after it', () => {
  const world = beforeTheOutage();
  world.pass(at('08:30:00'));
  world.edit({ jobTemplate: { spec: { backoffLimit: 7, template: {} } } });
  world.pass(at('08:31:00'));
  expect(world.jobs.map((job) => job.spec.backoffLimit)).toEqual([undefined, 7]);
});
