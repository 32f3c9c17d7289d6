import { describe, expect, test } from 'vitest';
import type { Condition, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { at, cronJob } from '../../test/support/cron-jobs.ts';
import { NO_NOTIFICATIONS } from './events.ts';
import { type PendingStatus, withPendingStatus } from './pending.ts';

const lineAt = (time: string, result: string, rest = '') => `${at(time)} ${result} hello-${time} Schedule${rest}`;

/** The newest status after `base` was stored and a reconcile computed `status`, while `stored` is what the API server has now. */
function newest(
  base: CronJobStatus,
  status: CronJobStatus,
  stored: CronJobStatus,
  kind: PendingStatus['kind'] = 'Failed',
): CronJobStatus | undefined {
  const pending = { uid: 'uid', status, stored: base, kind, notifications: NO_NOTIFICATIONS };
  return withPendingStatus(cronJob({}, stored), pending).status;
}

test('is the stored status when no status is pending', () => {
  const given = cronJob({}, { activeCount: 1 });
  expect(withPendingStatus(given, undefined)).toBe(given);
});

test.each([{ activeCount: 1, lastManualRun: 'a' }, {}])(
  'is the pending status while no other client stores one: %j',
  (stored) => {
    expect(newest(stored, { activeCount: 2 }, { ...stored })).toEqual({ activeCount: 2 });
  },
);

describe('when another client has stored another status', () => {
  test('a field that both have changed is as it is stored', () => {
    expect(newest({ lastManualRun: 'a' }, { lastManualRun: 'b' }, { lastManualRun: 'c' })).toEqual({
      lastManualRun: 'c',
    });
    expect(newest({ lastManualRun: 'a', activeCount: 1 }, { lastManualRun: 'b' }, { activeCount: 2 })).toEqual({
      activeCount: 2,
    });
  });

  test.each(['lastScheduleTime', 'lastSuccessfulTime', 'lastFailureTime', 'handledThrough'] as const)(
    'the later %s of both counts',
    (field) => {
      const [first, second, third] = ['01:00:00', '02:00:00', '03:00:00'].map((time) => ({ [field]: at(time) }));
      expect(newest(first!, second!, third!)).toEqual(third);
      expect(newest(first!, third!, second!)).toEqual(third);
      expect(newest(first!, third!, {})).toEqual(third);
    },
  );

  test('a time that only another client changed may move back, so that a user can correct it', () => {
    const wrong = { lastScheduleTime: '2099-01-01T00:00:00Z' };
    const right = { lastScheduleTime: at('01:00:00') };
    expect(newest(wrong, { ...wrong, activeCount: 1 }, right)).toEqual({ ...right, activeCount: 1 });
  });

  test('the runs of both are listed, each with its end', () => {
    const base = { recentRuns: [lineAt('01:00:00', 'Running')] };
    const status = { recentRuns: [lineAt('02:00:00', 'Running'), lineAt('01:00:00', 'Succeeded', ' 1s')] };
    const stored = { recentRuns: [lineAt('03:00:00', 'Running'), lineAt('01:00:00', 'Running')] };
    expect(newest(base, status, stored)).toEqual({
      recentRuns: [
        lineAt('03:00:00', 'Running'),
        lineAt('02:00:00', 'Running'),
        lineAt('01:00:00', 'Succeeded', ' 1s'),
      ],
    });
  });

  test('lines that cannot be read are not kept', () => {
    const [first, second] = [lineAt('01:00:00', 'Running'), lineAt('02:00:00', 'Running')];
    const odd = 'by a later version';
    expect(newest({ recentRuns: [first] }, {}, { recentRuns: [odd] })).toEqual({});
    expect(newest({}, { recentRuns: [first] }, { recentRuns: [odd, second] })).toEqual({ recentRuns: [second, first] });
  });

  test('the conditions of the controller are as the reconcile computed them, and other conditions are as stored', () => {
    const conditions = (...types: readonly [type: string, reason: string][]) =>
      types.map(([type, reason]) => ({ type, status: 'True', reason, message: '' }) as Condition);
    const status = newest(
      { conditions: conditions(['Available', 'a'], ['Overdue', 'a'], ['Approved', 'a']) },
      { conditions: conditions(['Available', 'b'], ['Approved', 'a']) },
      { conditions: conditions(['Available', 'a'], ['Overdue', 'c'], ['Approved', 'd'], ['Checked', 'd']) },
    );
    expect(status).toEqual({ conditions: conditions(['Available', 'b'], ['Approved', 'd'], ['Checked', 'd']) });
    const [own, other] = [conditions(['Available', 'a']), conditions(['Approved', 'd'])];
    expect(newest({ conditions: own }, {}, { conditions: [...own, ...other] })).toEqual({ conditions: other });
    expect(newest({ conditions: other }, { conditions: own }, {})).toEqual({ conditions: own });
  });
});

describe('of a status that the API server has altered', () => {
  test('a dropped field keeps its sent value until another client stores it', () => {
    expect(newest({}, { lastManualRun: 'a' }, { activeCount: 1 }, 'Altered')).toEqual({
      lastManualRun: 'a',
      activeCount: 1,
    });
    expect(newest({}, { lastManualRun: 'a' }, { lastManualRun: 'b' }, 'Altered')).toEqual({ lastManualRun: 'b' });
  });

  test('a time that a user corrected moves back', () => {
    const [wrong, right] = [{ handledThrough: '2099-01-01T00:00:00Z' }, { handledThrough: at('01:00:00') }];
    expect(newest({}, wrong, right, 'Altered')).toEqual(right);
  });
});
