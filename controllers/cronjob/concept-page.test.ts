/** The examples on Kubernetes' page about CronJobs, as tests. */
import { describe, expect, test } from 'vitest';
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at, cronJob, jobNameAt } from '../../test/support/cron-jobs.ts';

/** A CronJob due every minute from 08:30 on, with its last reconcile at 08:29. */
function beforeTheOutage(spec: Partial<CronJobSpec> = {}): CoreWorld {
  const created = { creationTimestamp: at('08:29:00') };
  const world = new CoreWorld(cronJob({ schedule: '* * * * *', ...spec }, undefined, created));
  world.reconcile(at('08:29:00'));
  return world;
}

describe('an outage from 08:29 to 10:21 of a CronJob that is due every minute', () => {
  test('with startingDeadlineSeconds: 200 starts the 10:21 run on return, where the page says 10:22', () => {
    const world = beforeTheOutage({ startingDeadlineSeconds: 200 });
    const back = world.reconcile(at('10:21:00'));
    expect(back.created).toEqual([jobNameAt('10:21:00')]);
    expect(back.skips).toEqual([
      { reason: 'DeadlineExceeded', count: 101 },
      { reason: 'Superseded', count: 3 },
    ]);
    expect(back.status.handledThrough).toBe(at('10:17:00'));
    expect(world.reconcile(at('10:22:00')).created).toEqual([jobNameAt('10:22:00')]);
  });
});

describe('lifting suspend', () => {
  test('without startingDeadlineSeconds, a resume starts the newest missed run at once', () => {
    const world = beforeTheOutage({ suspend: true });
    world.edit({ suspend: false });
    expect(world.reconcile(at('09:00:30'))).toMatchObject({
      created: [jobNameAt('09:00:00')],
      reasons: ['SuccessfulCreate'],
    });
  });
});

test('suspend leaves the runs that have started alone', () => {
  const world = beforeTheOutage({ concurrencyPolicy: 'Replace' });
  world.reconcile(at('08:30:00'));
  world.edit({ suspend: true });
  expect(world.reconcile(at('08:31:00'))).toMatchObject({ deleted: [], created: [], status: { activeCount: 1 } });
});

test('under Forbid a run that was held back starts when the one before it ends, if its deadline allows', () => {
  const held = (spec: Partial<CronJobSpec>) => {
    const world = beforeTheOutage({ schedule: '*/30 * * * *', concurrencyPolicy: 'Forbid', ...spec });
    world.reconcile(at('08:30:00'));
    world.reconcile(at('09:00:00'));
    world.finish(at('09:05:00'));
    return world.reconcile(at('09:05:01')).created;
  };
  expect(held({})).toEqual([jobNameAt('09:00:00')]);
  expect(held({ startingDeadlineSeconds: 600 })).toEqual([jobNameAt('09:00:00')]);
  expect(held({ startingDeadlineSeconds: 60 })).toEqual([]);
});
