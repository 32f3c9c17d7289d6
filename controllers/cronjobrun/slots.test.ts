/** Which runs a CronJobRun starts. */
import { getCondition } from 'controller-runtime/kubernetes';
import { describe, expect, test } from 'vitest';
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { toRequestedJobName } from '../../api/v1/job-names.ts';
import { accepted, assessWorld, backfill, cronJobRun, MORNING, runToEnd } from '../../test/support/cron-job-runs.ts';
import { at, cronJob } from '../../test/support/cron-jobs.ts';

/** Returns a function that lists the slots of a backfill of a CronJob that runs at 02:30 in Berlin. */
function backfillInBerlin(spec: Partial<CronJobSpec>) {
  const owner = cronJob({ schedule: '30 2 * * *', timeZone: 'Europe/Berlin', ...spec });
  const later = { metadata: { creationTimestamp: '2026-12-01T00:00:00Z' } };
  return (startTime: string, endTime: string) => {
    const facts = assessWorld({
      run: cronJobRun(backfill(startTime, endTime), later),
      cronJob: owner,
      now: new Date('2026-12-01T00:00:00Z'),
    });
    return facts.remaining.map(({ slot }) => slot?.toISOString());
  };
}

describe('the runs', () => {
  test('of `manual` are one without a slot', () => {
    const { slots, status } = runToEnd(cronJobRun({ manual: {} }), cronJob());
    expect(slots).toEqual([toRequestedJobName(cronJobRun({}))]);
    expect(status).toMatchObject({ total: 1, active: 0, succeeded: 1, failed: 0, skipped: 0 });
    expect(getCondition(status.conditions, 'Complete')).toMatchObject({ status: 'True', reason: 'Succeeded' });
  });

  test('of `scheduledTime` are one for this slot, also if the schedule does not contain it any more', () => {
    const { slots, status } = runToEnd(cronJobRun({ scheduledTime: at('06:30:00') }), cronJob());
    expect(slots).toEqual(['06:30:00']);
    expect(status.jobs).toMatchObject([{ scheduledTime: at('06:30:00'), result: 'Succeeded' }]);
  });

  test.each([
    ['OldestFirst', ['06:00:00', '07:00:00', '08:00:00']],
    ['NewestFirst', ['08:00:00', '07:00:00', '06:00:00']],
  ] as const)('of a backfill are the slots from its start up to its end, %s', (order, want) => {
    const run = cronJobRun(backfill(at('06:00:00'), at('09:00:00'), { order }));
    expect(runToEnd(run, cronJob()).slots).toEqual(want);
  });

  test('of a backfill are no slots after the creation of the CronJobRun', () => {
    expect(runToEnd(cronJobRun(backfill(at('11:00:00'), at('18:00:00'))), cronJob()).slots).toEqual([
      '11:00:00',
      '12:00:00',
    ]);
  });

  test('of a backfill leave out excluded slots, and take each slot of several schedules once', () => {
    const spec: Partial<CronJobSpec> = {
      schedules: ['30 7 * * *', '0 8 * * *'],
      exclude: [{ startTime: at('06:00:00'), endTime: at('06:30:00') }],
    };
    expect(runToEnd(cronJobRun(MORNING), cronJob(spec)).slots).toEqual(['07:00:00', '07:30:00', '08:00:00']);
  });

  test('a backfill over both clock changes contains each slot once', () => {
    const starts = backfillInBerlin({});
    expect(starts('2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z')).toEqual(['2026-03-30T00:30:00.000Z']);
    expect(starts('2026-10-24T12:00:00Z', '2026-10-25T12:00:00Z')).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:30:00.000Z',
    ]);
  });

  test('a backfill over both clock changes follows daylightSaving', () => {
    // The skipped 02:30 becomes 03:00, which is also a time of the second schedule.
    const starts = backfillInBerlin({
      schedules: ['0 3 * * *'],
      daylightSaving: { skippedTimes: 'RunAfter', repeatedTimes: 'RunOnce' },
    });
    expect(starts('2026-03-28T12:00:00Z', '2026-03-29T12:00:00Z')).toEqual(['2026-03-29T01:00:00.000Z']);
    expect(starts('2026-10-24T12:00:00Z', '2026-10-25T12:00:00Z')).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T02:00:00.000Z',
    ]);
  });

  test('that have not started follow the new schedule after an edit', () => {
    const run = cronJobRun(MORNING, {
      status: accepted({ lastScheduledTime: at('06:00:00'), succeeded: 1, total: 3 }),
    });
    const { slots, status } = runToEnd(run, cronJob({ schedule: '15 * * * *' }));
    expect(slots).toEqual(['06:15:00', '07:15:00', '08:15:00']);
    expect(status).toMatchObject({ total: 4, succeeded: 4 });
  });
});
