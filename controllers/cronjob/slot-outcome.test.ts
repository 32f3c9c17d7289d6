import { describe, expect, test } from 'vitest';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at, buildJob, cronJob } from '../../test/support/cron-jobs.ts';
import type { StartResult } from './decide.ts';

const taken: StartResult = { kind: 'Foreign', jobName: 'hello' };
const adopted: StartResult = { kind: 'Adopted', job: buildJob(at('02:00:00')) };
const MINUTELY = { schedule: '* * * * *' };

describe('slots that were passed over are counted', () => {
  test.each([
    ['when each had its run', {}, '01:00:00', {}, []],
    ['as missed when a newer one ran', {}, '04:30:00', {}, [['Superseded', 3]]],
    [
      'as missed when a newer one ran that an earlier reconcile had made',
      {},
      '02:00:00',
      { started: adopted },
      [['Superseded', 1]],
    ],
    [
      'as missed when their deadline passed',
      { startingDeadlineSeconds: 60 },
      '04:30:00',
      {},
      [['DeadlineExceeded', 4]],
    ],
    ['as missed when there were too many, up to 101', MINUTELY, '20:00:00', {}, [['TooManyMissedTimes', 101]]],
    [
      'as skipped when the name of the Job was taken',
      {},
      '02:00:00',
      { started: taken },
      [
        ['Superseded', 1],
        ['JobNameTaken', 1],
      ],
    ],
    [
      'for each reason',
      { ...MINUTELY, startingDeadlineSeconds: 7200 },
      '05:00:00',
      {},
      [
        ['DeadlineExceeded', 101],
        ['TooManyMissedTimes', 101],
      ],
    ],
  ] as const)('%s', (_, spec, now, options, want) => {
    const world = new CoreWorld(cronJob(spec));
    expect(world.reconcile(at(now), options).skips).toEqual(want.map(([reason, count]) => ({ reason, count })));
    expect(world.reconcile(at(now), options).skips).toEqual([]);
  });

  test.each([
    ['the newest of a few starts', {}, at('04:30:00'), 3],
    ['there were too many', { schedule: '* * * * *' }, at('04:30:00'), 101],
    ['all are too late', { startingDeadlineSeconds: 60 }, at('04:30:00'), 4],
  ])('as skipped, and nothing is reported or degraded, when suspend is lifted and %s', (_, spec, now, count) => {
    const world = new CoreWorld(cronJob({ suspend: true, ...spec }));
    world.reconcile(at('00:00:00'));
    world.edit({ suspend: false });
    const { skips, reasons, status } = world.reconcile(now);
    expect(skips).toEqual([{ reason: 'Suspended', count }]);
    expect(reasons.filter((reason) => reason !== 'SuccessfulCreate')).toEqual([]);
    expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'Degraded', reason: 'AsExpected' }));
  });
});
