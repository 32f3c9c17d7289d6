/** What CronJobRuns change for their CronJob. */
import { describe, expect, test } from 'vitest';
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import { REQUESTED_BY_ANNOTATION, SCHEDULED_AT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { toRequestedJobName } from '../../api/v1/job-names.ts';
import { CoreWorld } from '../../test/support/core-world.ts';
import { cronJobRun, MORNING, NOON, requestedJob } from '../../test/support/cron-job-runs.ts';
import { at, buildJob, cronJob } from '../../test/support/cron-jobs.ts';
import { assess } from './facts.ts';
import { listJobsToPrune } from './history.ts';
import { toRun } from './job.ts';
import { buildRequestedJob } from './new-job.ts';

const run = cronJobRun(MORNING);
/** The only entry of a full list. */
const FULL_LIST = `${at('23:00:00')} Succeeded other Schedule`;

describe('the Job of a CronJobRun', () => {
  const owner = cronJob();

  test('belongs to the CronJob and names the CronJobRun and the slot', () => {
    const { metadata } = buildRequestedJob(owner, run, new Date(at('06:00:00')));
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'CronJob', name: 'hello', controller: true }]);
    expect(metadata.annotations).toMatchObject({
      [REQUESTED_BY_ANNOTATION]: 'again',
      [SCHEDULED_AT_ANNOTATION]: at('06:00:00'),
    });
  });

  test('has the overrides of the CronJobRun', () => {
    const overrides = { containers: [{ name: 'hello', args: ['--full'] }] };
    const { spec } = buildRequestedJob(owner, cronJobRun({ ...MORNING, overrides }), new Date(at('06:00:00')));
    expect(spec.template.spec?.containers).toMatchObject([{ name: 'hello', image: 'busybox', args: ['--full'] }]);
  });

  test('without a slot is a manual run', () => {
    const { metadata } = buildRequestedJob(owner, cronJobRun({ manual: {} }));
    expect(metadata.annotations).not.toHaveProperty(SCHEDULED_AT_ANNOTATION);
    const built = buildJob(at('11:00:00'));
    const manual = toRun({ ...built, metadata: { ...built.metadata, annotations: metadata.annotations ?? {} } });
    expect(manual).toMatchObject({ trigger: 'Manual', requestedBy: 'again' });
    expect(manual.slot).toBeUndefined();
  });
});

describe('the CronJob', () => {
  const job = (state: 'Complete' | 'Failed') => {
    const built = requestedJob(run, toRequestedJobName(run, new Date(at('11:00:00'))), state);
    const annotations = { ...built.metadata.annotations, [SCHEDULED_AT_ANNOTATION]: at('11:00:00') };
    return { ...built, metadata: { ...built.metadata, annotations } };
  };

  test('still runs the slot that a backfill ran', () => {
    const facts = assess(
      { cronJob: cronJob({}, { lastScheduleTime: at('10:00:00') }), jobs: [job('Complete')] },
      new Date(at('11:00:10')),
    );
    expect(facts.due.slot).toEqual(new Date(at('11:00:00')));
  });

  test('keeps the newest finished Jobs of CronJobRuns, apart from the Jobs of the schedule', () => {
    const runs = ['01:00:00', '02:00:00', '03:00:00'].map((time) => {
      const built = buildJob(at(time), { state: 'Complete' });
      const annotations = { ...built.metadata.annotations, [REQUESTED_BY_ANNOTATION]: 'again' };
      return toRun({ ...built, metadata: { ...built.metadata, annotations } });
    });
    const bySchedule = toRun(buildJob(at('04:00:00'), { state: 'Complete' }));
    const status = { lastSuccessfulTime: at('23:00:00'), lastScheduleTime: at('23:00:00'), recentRuns: [FULL_LIST] };
    const pruned = (spec: Partial<CronJobSpec>, metadata = {}) =>
      listJobsToPrune(cronJob({ recentRunsLimit: 1, ...spec }, status, metadata), [
        ...runs,
        bySchedule,
        toRun(requestedJob(run, 'active')),
      ]);
    expect([pruned({}), pruned({ requestedRunsHistoryLimit: 0 })]).toEqual([[], runs.map(({ job }) => job)]);
    expect(pruned({ requestedRunsHistoryLimit: 1 })).toEqual(runs.slice(0, 2).map(({ job }) => job));
    expect(pruned({ requestedRunsHistoryLimit: 0 }, { deletionTimestamp: at('05:00:00') })).toEqual([]);
  });

  test('keeps a Job until its list has the result, even if another run failed in the same second', () => {
    const failed = job('Failed');
    const { name } = failed.metadata;
    const pruned = (result: string) =>
      listJobsToPrune(
        cronJob(
          { requestedRunsHistoryLimit: 0 },
          { lastFailureTime: at('11:59:59'), recentRuns: [`${at('11:00:00')} ${result} ${name} Manual`] },
        ),
        [toRun(failed)],
      );
    expect([pruned('Running'), pruned('Failed')]).toEqual([[], [failed]]);
  });

  test('neither counts a failure of a backfill for pauseAfterFailures, nor a success', () => {
    const failures = (state: 'Complete' | 'Failed') =>
      assess({ cronJob: cronJob({ pauseAfterFailures: 3 }, { consecutiveFailures: 2 }), jobs: [job(state)] }, NOON)
        .pause.failures;
    expect([failures('Complete'), failures('Failed')]).toEqual([2, 2]);
  });

  test('a CronJob is not overdue after the success of a backfilled run', () => {
    const world = new CoreWorld(cronJob({ expectSuccessWithinSeconds: 7200, schedule: '0 0 * * *' }));
    world.reconcile(at('00:00:00'));
    world.reconcile(at('11:30:00'));
    expect(world.condition('Overdue')?.status).toBe('True');
    world.jobs = [job('Complete')];
    world.reconcile(at('12:00:00'));
    expect(world.condition('Overdue')?.status).toBe('False');
  });
});
