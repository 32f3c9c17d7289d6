/** When a run of a CronJobRun starts. */
import { describe, expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import type { CronJobRun, CronJobRunStatus } from '../../api/v1/cronjobrun-types.ts';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { toManualJobName, toRequestedJobName } from '../../api/v1/job-names.ts';
import {
  accepted,
  assessWorld,
  backfill,
  cronJobRun,
  MORNING,
  NOON,
  requestedJob,
} from '../../test/support/cron-job-runs.ts';
import { at, buildJob, cronJob } from '../../test/support/cron-jobs.ts';
import { assess } from '../cronjob/facts.ts';
import { concludeRun } from './conclude.ts';
import { applyConcurrencyPolicy, findNextStart } from './decide.ts';
import { isStarted } from './facts.ts';

describe('the runs', () => {
  test('are never more at once than maxConcurrentRuns', () => {
    const run = (active: number) =>
      cronJobRun(backfill(at('06:00:00'), at('09:00:00'), { maxConcurrentRuns: 2 }), {
        status: accepted({
          lastScheduledTime: at('06:00:00'),
          jobs: Array.from({ length: active }, (_, index) => ({ name: `j${index}`, result: 'Running' as const })),
        }),
      });
    const jobs = ['j0', 'j1'].map((name) => requestedJob(run(0), name));
    expect(findNextStart(assessWorld({ run: run(1), jobs }))?.slot).toEqual(new Date(at('07:00:00')));
    expect(findNextStart(assessWorld({ run: run(2), jobs }))).toBeUndefined();
  });

  test('do not start while `suspend` is true, and continue afterwards', () => {
    const run = cronJobRun({ ...MORNING, suspend: true });
    const facts = assessWorld({ run });
    expect(findNextStart(facts)).toBeUndefined();
    expect(findNextStart(assessWorld({ run: { ...run, spec: { ...run.spec, suspend: false } } }))).toBeDefined();
  });

  test('do not start while the CronJobRun is being deleted', () => {
    expect(
      findNextStart(assessWorld({ run: cronJobRun(MORNING, { metadata: { deletionTimestamp: at('12:00:00') } }) })),
    ).toBeUndefined();
  });
});

test('a run that waits for Pods names their Jobs', () => {
  const finishedJob = buildJob(at('11:00:00'), { state: 'Complete' });
  const jobs = [{ ...finishedJob, status: { ...finishedJob.status, terminating: 1 } }];
  const facts = assess({ cronJob: cronJob({ concurrencyPolicy: 'Queue' }, {}), jobs }, NOON);
  const run = cronJobRun({ manual: {} });
  const decision = applyConcurrencyPolicy(facts, run, [run]);
  const cause = `the Pods of ${finishedJob.metadata.name} are terminating (concurrencyPolicy Queue)`;
  expect(decision).toEqual({ kind: 'Wait', cause });
  const { status } = concludeRun(assessWorld({ run }), { kind: 'Waiting', cause });
  expect(status.conditions?.find(({ type }) => type === 'Complete')).toMatchObject({
    reason: 'Waiting',
    message: `the next run waits because ${cause}`,
  });
});

describe('a run has started', () => {
  const run = cronJobRun({ manual: {} });
  const start = { jobName: toRequestedJobName(run) };
  const ask = (jobs: readonly Job[], recentRuns: readonly string[] = []) =>
    isStarted(start, run, assess({ cronJob: cronJob({}, { recentRuns }), jobs }, NOON));

  test('if its Job exists', () => {
    expect(ask([requestedJob(run, start.jobName)])).toBe(true);
    expect(ask([requestedJob(cronJobRun({ manual: {} }, { metadata: { name: 'other' } }), start.jobName)])).toBe(false);
    expect(ask([])).toBe(false);
  });

  test('if the CronJob has recorded it, although the policy Replace has deleted its Job', () => {
    expect(ask([], [`${at('11:00:00')} Replaced ${start.jobName} Manual by=${run.metadata.name}`])).toBe(true);
  });

  test('so the next reconcile reads its Job, which may have ended', () => {
    const attempt = { kind: 'Tried', start, result: { kind: 'AlreadyStarted' } } as const;
    const facts = assessWorld({ run });
    const { status, continues } = concludeRun({ ...facts, remaining: [start] }, attempt);
    expect(status).toMatchObject({ active: 1, jobs: [{ name: start.jobName, result: 'Running' }] });
    expect(continues).toBe(true);
  });
});

describe('the CronJob makes a run wait', () => {
  const run = cronJobRun(MORNING);
  const ask = (spec: Partial<CronJobSpec>, jobs: readonly Job[], asking = run) => {
    const owner = cronJob(spec, { lastScheduleTime: at('12:00:00'), handledThrough: at('12:00:00') });
    return applyConcurrencyPolicy(assess({ cronJob: owner, jobs }, NOON), asking, []);
  };
  const active = buildJob(at('11:00:00'));

  test.each<[Partial<CronJobSpec>, 'Start' | 'Wait']>([
    [{ concurrencyPolicy: 'Allow' }, 'Start'],
    [{ concurrencyPolicy: 'Allow', maxConcurrentRuns: 1 }, 'Wait'],
    [{ concurrencyPolicy: 'Forbid' }, 'Wait'],
    [{ concurrencyPolicy: 'Queue' }, 'Wait'],
    [{ concurrencyPolicy: 'Skip' }, 'Wait'],
    [{ concurrencyPolicy: 'Replace' }, 'Start'],
  ])('%j: %s while another run is active', (spec, want) => {
    expect(ask(spec, [active]).kind).toBe(want);
    expect(ask(spec, []).kind).toBe('Start');
    expect(ask(spec, [active], cronJobRun({ ...MORNING, concurrencyPolicy: 'Ignore' }))).toEqual({
      kind: 'Start',
      replaces: [],
    });
  });

  test('Replace: the run replaces active runs of the schedule, but no run of a CronJobRun', () => {
    expect(ask({ concurrencyPolicy: 'Replace' }, [active])).toEqual({ kind: 'Start', replaces: [active] });
    const other = cronJobRun(MORNING, { metadata: { name: 'other', uid: 'other' } });
    for (const requester of [run, other]) {
      const requested = requestedJob(requester, toRequestedJobName(requester, new Date(at('06:00:00'))));
      expect(ask({ concurrencyPolicy: 'Replace' }, [requested]).kind).toBe('Wait');
      expect(ask({ concurrencyPolicy: 'Replace' }, [active, requested]).kind).toBe('Wait');
    }
  });

  test('Forbid: a due run of the schedule comes first', () => {
    const due = cronJob({ concurrencyPolicy: 'Forbid' }, { lastScheduleTime: at('11:00:00') });
    expect(applyConcurrencyPolicy(assess({ cronJob: due, jobs: [] }, NOON), run, []).kind).toBe('Wait');
    const allowed = cronJob({ concurrencyPolicy: 'Allow' }, { lastScheduleTime: at('11:00:00') });
    expect(applyConcurrencyPolicy(assess({ cronJob: allowed, jobs: [] }, NOON), run, []).kind).toBe('Start');
  });

  test('Forbid: a run of the annotation run-now comes first, unless the API server refuses it', () => {
    const annotations = { [RUN_NOW_ANNOTATION]: 'a' };
    const handled = { lastScheduleTime: at('12:00:00'), handledThrough: at('12:00:00'), observedGeneration: 1 };
    const owner = cronJob({ concurrencyPolicy: 'Forbid' }, handled, { annotations });
    const failedJobs = [toManualJobName(owner, 'a')];
    expect(applyConcurrencyPolicy(assess({ cronJob: owner, jobs: [] }, NOON), run, []).kind).toBe('Wait');
    expect(applyConcurrencyPolicy(assess({ cronJob: owner, jobs: [], failedJobs }, NOON), run, []).kind).toBe('Start');
  });

  test.each([
    ['suspended', { suspend: true }, {}],
    ['paused', { pauseAfterFailures: 1 }, { consecutiveFailures: 1 }],
  ] as const)('a %s CronJob lets it start', (_, spec, status) => {
    const handled = { lastScheduleTime: at('11:00:00'), handledThrough: at('11:00:00'), ...status };
    const owner = cronJob({ concurrencyPolicy: 'Forbid', ...spec }, handled);
    expect(applyConcurrencyPolicy(assess({ cronJob: owner, jobs: [] }, NOON), run, []).kind).toBe('Start');
  });
});

describe('of several CronJobRuns that wait', () => {
  const waiting = (name: string, parts: { started?: number; created?: string; reason?: string } = {}) => {
    const { started = 0, created = '12:00:00', reason = 'Waiting' } = parts;
    const conditions = [{ type: 'Complete', status: 'False', reason, message: '', lastTransitionTime: at('12:00:00') }];
    return cronJobRun(MORNING, {
      status: { succeeded: started, conditions } as CronJobRunStatus,
      metadata: { name, uid: name, creationTimestamp: at(created) },
    });
  };
  const facts = assess(
    { cronJob: cronJob({ concurrencyPolicy: 'Forbid' }, { lastScheduleTime: at('12:00:00') }), jobs: [] },
    NOON,
  );
  const one = waiting('one');

  test.each<[string, CronJobRun, 'one' | 'other']>([
    ['the older one starts first', waiting('other', { created: '11:00:00' }), 'other'],
    ['the younger one waits', waiting('other', { created: '12:00:01' }), 'one'],
    ['one of two of the same second starts first', waiting('a-twin'), 'other'],
    ['the one that has started fewer runs starts first', waiting('other', { created: '11:00:00', started: 1 }), 'one'],
    ['none waits for one that does not wait', waiting('other', { created: '11:00:00', reason: 'FailedCreate' }), 'one'],
    [
      'none waits for a new one',
      cronJobRun(MORNING, { metadata: { uid: 'new', creationTimestamp: at('11:00:00') } }),
      'one',
    ],
  ])('%s', (_, other, first) => {
    expect(applyConcurrencyPolicy(facts, one, [one, other]).kind).toBe(first === 'one' ? 'Start' : 'Wait');
    if (first === 'other') expect(applyConcurrencyPolicy(facts, other, [one, other]).kind).toBe('Start');
  });

  test('none waits for a suspended or deleted one', () => {
    const older = waiting('older', { created: '11:00:00' });
    const suspended = { ...older, spec: { ...older.spec, suspend: true } };
    const deleted = { ...older, metadata: { ...older.metadata, deletionTimestamp: at('12:00:00') } };
    expect(applyConcurrencyPolicy(facts, one, [one, suspended, deleted]).kind).toBe('Start');
  });
});
