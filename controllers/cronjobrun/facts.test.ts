/** Why a CronJobRun starts nothing, and the results that it has. */
import { getCondition } from 'controller-runtime/kubernetes';
import { describe, expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import type { CronJobRunStatus } from '../../api/v1/cronjobrun-types.ts';
import { SCHEDULED_AT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { toRequestedJobName } from '../../api/v1/job-names.ts';
import {
  accepted,
  assessWorld,
  backfill,
  cronJobRun,
  MORNING,
  NOON,
  requestedJob,
  type World,
} from '../../test/support/cron-job-runs.ts';
import { at, cronJob } from '../../test/support/cron-jobs.ts';
import { concludeRun } from './conclude.ts';
import { findNextStart } from './decide.ts';
import { createRunEvents } from './events.ts';
import { hasCountedJob } from './facts.ts';

describe('nothing starts, with a reason in Accepted', () => {
  const hours = (count: number) => new Date(NOON.getTime() + count * 3_600_000);

  test.each<{ name: string; world: World; reason: string; isFinal?: boolean }>([
    { name: 'without the CronJob', world: { run: cronJobRun(MORNING), cronJob: undefined }, reason: 'CronJobNotFound' },
    {
      name: 'without the CronJob, an hour after the creation',
      world: { run: cronJobRun(MORNING, { status: {} }), cronJob: undefined, now: hours(1.1) },
      reason: 'CronJobNotFound',
      isFinal: true,
    },
    {
      name: 'after the CronJob was deleted',
      world: { run: cronJobRun(MORNING, { status: accepted() }), cronJob: undefined },
      reason: 'CronJobNotFound',
      isFinal: true,
    },
    {
      name: 'after a new CronJob has replaced the CronJob',
      world: { run: cronJobRun(MORNING, { status: accepted({ cronJobUID: 'before' }) }) },
      reason: 'CronJobReplaced',
      isFinal: true,
    },
    {
      name: 'while the CronJob is being deleted',
      world: { run: cronJobRun(MORNING), cronJob: cronJob({}, undefined, { deletionTimestamp: at('12:00:00') }) },
      reason: 'CronJobDeleted',
    },
    {
      name: 'an hour after the creation',
      world: { run: cronJobRun(MORNING), now: hours(1.1) },
      reason: 'TooOld',
      isFinal: true,
    },
    {
      name: 'when the cause of a refusal goes away an hour after the creation',
      world: { run: cronJobRun(MORNING, { status: {} }), now: hours(1.1) },
      reason: 'TooOld',
      isFinal: true,
    },
    {
      name: 'after a restore from a backup',
      world: { run: cronJobRun(MORNING, { metadata: { labels: { 'velero.io/restore-name': 'r' } } }) },
      reason: 'TooOld',
      isFinal: true,
    },
    {
      name: 'after a restore that keeps only annotations',
      world: { run: cronJobRun(MORNING, { metadata: { annotations: { 'velero.io/restore-name': 'r' } } }) },
      reason: 'TooOld',
      isFinal: true,
    },
    {
      name: 'with a spec that another CRD has let in',
      world: { run: { ...cronJobRun({}), specFault: 'spec.backfill: must be an object' } },
      reason: 'InvalidSpec',
    },
    {
      name: 'for a slot in the future',
      world: { run: cronJobRun({ scheduledTime: at('13:00:00') }) },
      reason: 'ScheduledTimeInFuture',
    },
    {
      name: 'for a billion slots, without visiting them',
      world: {
        run: cronJobRun(backfill('0001-01-01T00:00:00Z', at('12:00:00'), { limit: 1000 })),
        cronJob: cronJob({ schedule: '* * * * *' }),
      },
      reason: 'TooManySlots',
    },
    {
      name: 'for a billion excluded slots, without visiting them',
      world: {
        run: cronJobRun(backfill('0001-01-01T00:00:00Z', at('12:00:00'))),
        cronJob: cronJob({
          schedule: '* * * * *',
          exclude: [{ startTime: '0001-01-01T00:00:00Z', endTime: at('11:59:00') }],
        }),
      },
      reason: 'TooManySlots',
    },
    { name: 'for no slots', world: { run: cronJobRun(backfill(at('06:01:00'), at('06:59:00'))) }, reason: 'NoSlots' },
    {
      name: 'with an invalid schedule',
      world: { run: cronJobRun(MORNING), cronJob: cronJob({ schedule: 'x' }) },
      reason: 'InvalidSchedule',
    },
    {
      name: 'for a slot in an unknown time zone',
      world: {
        run: cronJobRun({ scheduledTime: at('06:00:00') }),
        cronJob: cronJob({ timeZone: 'Europe/Atlantis' }),
      },
      reason: 'InvalidSchedule',
    },
    {
      name: 'with overrides that the CronJob does not allow',
      world: { run: cronJobRun({ manual: {}, overrides: { containers: [{ name: 'hello', args: ['--full'] }] } }) },
      reason: 'OverridesNotAllowed',
    },
  ])('$name', ({ world, reason, isFinal = false }) => {
    const facts = assessWorld(world);
    expect(findNextStart(facts)).toBeUndefined();
    const { status, wakeAt } = concludeRun(facts, { kind: 'NotTried' });
    expect(getCondition(status.conditions, 'Accepted')).toMatchObject({ status: 'False', reason });
    expect(getCondition(status.conditions, 'Failed')?.status).toBe(isFinal ? 'True' : 'False');
    expect(status.completionTime).toBe(isFinal ? at(world.now === undefined ? '12:00:00' : '13:06:00') : undefined);
    expect(wakeAt).toEqual(isFinal ? undefined : new Date(NOON.getTime() + 3_601_000));
    expect(createRunEvents({}, status)).toMatchObject([{ type: 'Warning', reason }]);
  });

  test('an edit of the schedule does not raise the number of runs above the limit', () => {
    const run = cronJobRun(backfill(at('06:00:00'), at('09:00:00'), { limit: 4 }), {
      status: accepted({ succeeded: 2, lastScheduledTime: at('07:00:00') }),
    });
    expect(assessWorld({ run, cronJob: cronJob({ schedule: '*/30 * * * *' }) }).refusal?.reason).toBe('TooManySlots');
    expect(assessWorld({ run, cronJob: cronJob({ schedule: '30 * * * *' }) }).remaining).toHaveLength(2);
  });

  test('a refusal is over when its cause is', () => {
    const run = cronJobRun({ manual: {}, overrides: { containers: [{ name: 'hello', args: ['--full'] }] } });
    expect(findNextStart(assessWorld({ run, cronJob: cronJob({ runOverrides: 'Args' }) }))).toBeDefined();
  });
});

describe('the results', () => {
  test('of a deleted Job is Unknown, which counts as failed', () => {
    const status = accepted({ jobs: [{ name: 'gone', result: 'Running' }], active: 1, total: 1 });
    const facts = assessWorld({ run: cronJobRun({ manual: {} }, { status }) });
    expect(facts).toMatchObject({ failed: 1, active: 0, jobList: [{ result: 'Unknown', reason: 'JobDeleted' }] });
  });

  test('of a failed Job have its reason and the start of its message', () => {
    const job = requestedJob(cronJobRun(MORNING), 'done', 'Failed');
    const condition = { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'm'.repeat(5000) };
    const failed = { ...job, status: { ...job.status, conditions: [condition] } } as Job;
    const run = cronJobRun(MORNING, { status: accepted({ jobs: [{ name: 'done', result: 'Running' }] }) });
    expect(assessWorld({ run, jobs: [failed] }).jobList).toMatchObject([
      { result: 'Failed', reason: 'BackoffLimitExceeded', message: 'm'.repeat(256) },
    ]);
  });

  test('have no end if the Job does not state it', () => {
    const job = requestedJob(cronJobRun(MORNING), 'done', 'Complete');
    const { completionTime: _, ...status } = job.status ?? {};
    const withoutEnd = { ...job, status: { ...status, conditions: [{ type: 'Complete', status: 'True' }] } };
    const run = cronJobRun(MORNING, { status: accepted({ jobs: [{ name: 'done', result: 'Running' }] }) });
    const { jobList, succeeded } = assessWorld({ run, jobs: [withoutEnd as Job] });
    expect([jobList, succeeded]).toEqual([[{ name: 'done', result: 'Succeeded', startTime: at('11:00:00') }], 1]);
  });

  test.each([
    ['OldestFirst', '06:00:00', '08:00:00'],
    ['NewestFirst', '08:00:00', '06:00:00'],
  ] as const)('allow to delete the Job only when the status has them, %s', (order, earlier, later) => {
    const run = (status: CronJobRunStatus) =>
      cronJobRun(backfill(at('06:00:00'), at('09:00:00'), { order }), { status });
    const name = toRequestedJobName(run({}), new Date(at('07:00:00')));
    const job = requestedJob(run({}), name, 'Complete');
    const annotations = { ...job.metadata.annotations, [SCHEDULED_AT_ANNOTATION]: at('07:00:00') };
    const withSlot = { ...job, metadata: { ...job.metadata, annotations } };
    expect(hasCountedJob(run({ jobs: [{ name, result: 'Running' }] }), withSlot)).toBe(false);
    expect(hasCountedJob(run({ jobs: [{ name, result: 'Succeeded' }] }), withSlot)).toBe(true);
    expect(hasCountedJob(run({ lastScheduledTime: at(earlier) }), withSlot)).toBe(false);
    expect(hasCountedJob(run({ lastScheduledTime: at(later) }), withSlot)).toBe(true);
    expect(hasCountedJob(run({}), withSlot)).toBe(false);
    expect(hasCountedJob(cronJobRun({ manual: {} }), job)).toBe(false);
  });

  test('no CronJobRun that has ended keeps a Job, because it counts no more results', () => {
    const facts = assessWorld({ run: cronJobRun(MORNING), now: new Date(NOON.getTime() + 2 * 3_600_000) });
    const { status } = concludeRun(facts, { kind: 'NotTried' });
    const run = cronJobRun(MORNING, { status });
    expect(getCondition(status.conditions, 'Accepted')?.reason).toBe('TooOld');
    expect(hasCountedJob(run, requestedJob(run, 'a', 'Complete'))).toBe(true);
  });
});

test('a CronJobRun without a creation time is not too old', () => {
  const run = cronJobRun(MORNING, { metadata: { creationTimestamp: '' } });
  expect(assessWorld({ run, now: new Date(at('23:00:00')) }).remaining).toHaveLength(3);
});
