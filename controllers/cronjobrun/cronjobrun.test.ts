/** The rules of CronJobRuns: docs/cronjobruns.md. cronjobrun-controller.test.ts shows the calls. */
import { getCondition } from 'controller-runtime/kubernetes';
import { describe, expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobSpec } from '../../api/v1/cronjob-types.ts';
import type { CronJobRun, CronJobRunSpec, CronJobRunStatus } from '../../api/v1/cronjobrun-types.ts';
import { REQUESTED_BY_ANNOTATION, SCHEDULED_AT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { toRequestedJobName } from '../../api/v1/job-names.ts';
import { at, buildJob, cronJob } from '../../test/support/cron-jobs.ts';
import { assess } from '../cronjob/facts.ts';
import { excessRequestedRuns } from '../cronjob/history.ts';
import { toRun } from '../cronjob/job.ts';
import { buildRequestedJob } from '../cronjob/new-job.ts';
import { concludeRun, type StartAttempt } from './conclude.ts';
import { askCronJob, nextStart } from './decide.ts';
import { runEvents } from './events.ts';
import { assessRun, hasCounted, type RunFacts } from './facts.ts';

const NOW = new Date(at('12:00:00'));

interface RunParts {
  readonly status?: CronJobRunStatus;
  readonly metadata?: Partial<CronJobRun['metadata']>;
}

function cronJobRun(spec: Partial<CronJobRunSpec>, { status, metadata }: RunParts = {}): CronJobRun {
  return {
    apiVersion: 'batch.tutorial.kubebuilder.io/v1',
    kind: 'CronJobRun',
    metadata: {
      name: 'again',
      namespace: 'default',
      uid: 'run-1',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: at('12:00:00'),
      ...metadata,
    },
    spec: { cronJobName: 'hello', concurrencyPolicy: 'Obey', ...spec },
    ...(status && { status }),
  };
}

const BACKFILL = { order: 'OldestFirst', maxConcurrentRuns: 1, limit: 100 } as const;

function backfill(startTime: string, endTime: string, options: Partial<NonNullable<CronJobRunSpec['backfill']>> = {}) {
  return { backfill: { ...BACKFILL, startTime, endTime, ...options } };
}

const MORNING = backfill(at('06:00:00'), at('09:00:00'));

interface World {
  readonly run: CronJobRun;
  readonly cronJob?: CronJob | undefined;
  readonly jobs?: readonly Job[];
  readonly now?: Date;
}

const assessWorld = ({ run, now = NOW, jobs = [], ...world }: World): RunFacts =>
  assessRun({ run, jobs, cronJob: 'cronJob' in world ? world.cronJob : cronJob() }, now);

/** Starts every run that the rules allow, one pass at a time, and ends it with the next result. */
function runToEnd(run: CronJobRun, owner: CronJob, results: readonly ('Complete' | 'Failed')[] = []) {
  const slots: string[] = [];
  let current = run;
  for (let pass = 0; pass < 1000; pass++) {
    const jobs = (current.status?.jobs ?? [])
      .filter(({ result }) => result === 'Running')
      .map(({ name }) => requestedJob(current, name, results[slots.length - 1] ?? 'Complete'));
    const facts = assessWorld({ run: current, cronJob: owner, jobs });
    const start = nextStart(facts);
    const attempt: StartAttempt = start
      ? { kind: 'Tried', start, result: { kind: 'Created', job: buildJob(at('11:00:00')) } }
      : { kind: 'NotTried' };
    if (start) slots.push(start.slot?.toISOString().slice(11, 19) ?? start.jobName);
    const { status } = concludeRun(facts, attempt);
    current = { ...current, status };
    if (status.completionTime !== undefined) break;
  }
  return { slots, status: current.status ?? {} };
}

function requestedJob(run: CronJobRun, name: string, state: 'Active' | 'Complete' | 'Failed' = 'Active'): Job {
  const job = buildJob(at('11:00:00'), { state });
  const annotations = { ...job.metadata.annotations, [REQUESTED_BY_ANNOTATION]: run.metadata.name };
  return { ...job, metadata: { ...job.metadata, name, uid: `uid-of-${name}`, annotations } };
}

const accepted = (status: CronJobRunStatus = {}): CronJobRunStatus => ({
  cronJobUID: cronJob().metadata.uid,
  startTime: at('12:00:00'),
  ...status,
});

const stateOf = (status: CronJobRunStatus, type = 'Complete') => getCondition(status.conditions, type)?.reason;

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

  test('of a backfill over both clock changes are each effective slot once', () => {
    const owner = cronJob({ schedule: '30 2 * * *', timeZone: 'Europe/Berlin' });
    const later = { metadata: { creationTimestamp: '2026-12-01T00:00:00Z' } };
    const starts = (startTime: string, endTime: string) => {
      const facts = assessWorld({
        run: cronJobRun(backfill(startTime, endTime), later),
        cronJob: owner,
        now: new Date('2026-12-01T00:00:00Z'),
      });
      return facts.remaining.map(({ slot }) => slot?.toISOString());
    };
    expect(starts('2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z')).toEqual(['2026-03-30T00:30:00.000Z']);
    expect(starts('2026-10-24T12:00:00Z', '2026-10-25T12:00:00Z')).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:30:00.000Z',
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

  test('are never more at once than maxConcurrentRuns', () => {
    const run = (active: number) =>
      cronJobRun(backfill(at('06:00:00'), at('09:00:00'), { maxConcurrentRuns: 2 }), {
        status: accepted({
          lastScheduledTime: at('06:00:00'),
          jobs: Array.from({ length: active }, (_, index) => ({ name: `j${index}`, result: 'Running' as const })),
        }),
      });
    const jobs = ['j0', 'j1'].map((name) => requestedJob(run(0), name));
    expect(nextStart(assessWorld({ run: run(1), jobs }))?.slot).toEqual(new Date(at('07:00:00')));
    expect(nextStart(assessWorld({ run: run(2), jobs }))).toBeUndefined();
  });

  test('do not start while `suspend` is true, and continue afterwards', () => {
    const run = cronJobRun({ ...MORNING, suspend: true });
    const facts = assessWorld({ run });
    expect(nextStart(facts)).toBeUndefined();
    expect(stateOf(concludeRun(facts, { kind: 'NotTried' }).status)).toBe('Suspended');
    expect(nextStart(assessWorld({ run: { ...run, spec: { ...run.spec, suspend: false } } }))).toBeDefined();
  });

  test('do not start while the CronJobRun is being deleted', () => {
    expect(
      nextStart(assessWorld({ run: cronJobRun(MORNING, { metadata: { deletionTimestamp: at('12:00:00') } }) })),
    ).toBeUndefined();
  });
});

describe('the name of a Job', () => {
  const slot = new Date(at('06:00:00'));

  test('differs between CronJobRuns, and from the name of the slot', () => {
    const [one, other] = ['run-1', 'run-2'].map((uid) => cronJobRun({}, { metadata: { uid } })) as [
      CronJobRun,
      CronJobRun,
    ];
    const names = [one, other].flatMap((run) => [toRequestedJobName(run), toRequestedJobName(run, slot)]);
    expect(new Set(names).size).toBe(4);
    expect(names[1]).toMatch(/^hello-b1767247200-[0-9a-f]{5}$/);
    expect(names[0]).toMatch(/^hello-r[0-9a-f]{9}$/);
  });

  test('has at most 63 characters', () => {
    const run = cronJobRun({ cronJobName: `${'a'.repeat(44)}-${'b'.repeat(7)}` });
    expect(toRequestedJobName(run, slot)).toHaveLength(62);
    expect(toRequestedJobName(run)).toHaveLength(63);
  });
});

describe('nothing starts, with a reason in Accepted', () => {
  const hours = (count: number) => new Date(NOW.getTime() + count * 3_600_000);

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
      name: 'after the CronJob was replaced',
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
      name: 'after a restore from a backup',
      world: { run: cronJobRun(MORNING, { metadata: { labels: { 'velero.io/restore-name': 'r' } } }) },
      reason: 'TooOld',
      isFinal: true,
    },
    {
      name: 'for a slot in the future',
      world: { run: cronJobRun({ scheduledTime: at('13:00:00') }) },
      reason: 'ScheduledTimeInFuture',
    },
    {
      name: 'for a million slots',
      world: {
        run: cronJobRun(backfill('1990-01-01T00:00:00Z', at('12:00:00'))),
        cronJob: cronJob({ schedule: '* * * * *' }),
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
    expect(nextStart(facts)).toBeUndefined();
    const { status, wakeAt } = concludeRun(facts, { kind: 'NotTried' });
    expect(getCondition(status.conditions, 'Accepted')).toMatchObject({ status: 'False', reason });
    expect(getCondition(status.conditions, 'Failed')?.status).toBe(isFinal ? 'True' : 'False');
    expect(status.completionTime).toBe(isFinal ? at(world.now === undefined ? '12:00:00' : '13:06:00') : undefined);
    expect(wakeAt).toEqual(isFinal ? undefined : new Date(NOW.getTime() + 3_601_000));
    expect(runEvents({}, status, { kind: 'NotTried' })).toMatchObject([{ type: 'Warning', reason }]);
  });

  test('a refusal is over when its cause is', () => {
    const run = cronJobRun({ manual: {}, overrides: { containers: [{ name: 'hello', args: ['--full'] }] } });
    expect(nextStart(assessWorld({ run, cronJob: cronJob({ runOverrides: 'Args' }) }))).toBeDefined();
  });
});

describe('the CronJob makes a run wait', () => {
  const run = cronJobRun(MORNING);
  const ask = (spec: Partial<CronJobSpec>, jobs: readonly Job[], asking = run) => {
    const owner = cronJob(spec, { lastScheduleTime: at('12:00:00'), handledThrough: at('12:00:00') });
    return askCronJob(assess({ cronJob: owner, jobs }, NOW), asking);
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

  test('Replace: the run replaces the active runs, but no run of its own CronJobRun', () => {
    expect(ask({ concurrencyPolicy: 'Replace' }, [active])).toEqual({ kind: 'Start', replaces: [active] });
    const own = requestedJob(run, toRequestedJobName(run, new Date(at('06:00:00'))));
    expect(ask({ concurrencyPolicy: 'Replace' }, [own]).kind).toBe('Wait');
  });

  test('Forbid: a due run of the schedule comes first', () => {
    const due = cronJob({ concurrencyPolicy: 'Forbid' }, { lastScheduleTime: at('11:00:00') });
    expect(askCronJob(assess({ cronJob: due, jobs: [] }, NOW), run).kind).toBe('Wait');
    const allowed = cronJob({ concurrencyPolicy: 'Allow' }, { lastScheduleTime: at('11:00:00') });
    expect(askCronJob(assess({ cronJob: allowed, jobs: [] }, NOW), run).kind).toBe('Start');
  });

  test('a suspended CronJob lets it start', () => {
    expect(ask({ concurrencyPolicy: 'Forbid', suspend: true }, []).kind).toBe('Start');
  });

  test('the status says that it waits, and the next pass comes within a minute', () => {
    const { status, wakeAt } = concludeRun(assessWorld({ run }), { kind: 'Waiting' });
    expect(stateOf(status)).toBe('Waiting');
    expect(wakeAt).toEqual(new Date(NOW.getTime() + 60_000));
  });
});

describe('the results', () => {
  test('are counted once each, and a failed run makes the CronJobRun fail at its end', () => {
    const { slots, status } = runToEnd(cronJobRun(MORNING), cronJob(), ['Complete', 'Failed', 'Complete']);
    expect(slots).toHaveLength(3);
    expect(status).toMatchObject({ total: 3, succeeded: 2, failed: 1, skipped: 0, active: 0 });
    expect(getCondition(status.conditions, 'Failed')).toMatchObject({
      status: 'True',
      reason: 'RunsFailed',
      message: '2 of 3 succeeded, 1 failed, 0 could not start',
    });
  });

  test('of a deleted Job is Unknown, which counts as failed', () => {
    const status = accepted({ jobs: [{ name: 'gone', result: 'Running' }], active: 1, total: 1 });
    const facts = assessWorld({ run: cronJobRun({ manual: {} }, { status }) });
    expect(facts).toMatchObject({ failed: 1, active: 0, jobList: [{ result: 'Unknown', reason: 'JobDeleted' }] });
  });

  test('do not change after the end', () => {
    const { status } = runToEnd(cronJobRun(MORNING), cronJob());
    const facts = assessWorld({ run: cronJobRun(MORNING, { status }), now: new Date(at('15:00:00')) });
    expect(nextStart(facts)).toBeUndefined();
    expect(concludeRun(facts, { kind: 'NotTried' }).status).toBe(status);
  });

  test('the list has the newest 50 Jobs, and the counts have all', () => {
    const run = cronJobRun(backfill('2025-12-29T00:00:00Z', at('00:00:00'), { limit: 100 }));
    const { slots, status } = runToEnd(run, cronJob());
    expect(slots).toHaveLength(72);
    expect(status.jobs).toHaveLength(50);
    expect(status).toMatchObject({ total: 72, succeeded: 72 });
  });

  test('the finished CronJobRun is deleted after ttlSecondsAfterFinished', () => {
    const { status } = runToEnd(cronJobRun(MORNING), cronJob());
    const facts = assessWorld({ run: cronJobRun({ ...MORNING, ttlSecondsAfterFinished: 60 }, { status }) });
    expect(concludeRun(facts, { kind: 'NotTried' }).wakeAt).toEqual(new Date(NOW.getTime() + 60_000));
  });

  test('allow to delete the Job only when the status has them', () => {
    const name = toRequestedJobName(cronJobRun(MORNING), new Date(at('07:00:00')));
    const job = requestedJob(cronJobRun(MORNING), name, 'Complete');
    const withSlot = {
      ...job,
      metadata: {
        ...job.metadata,
        annotations: { ...job.metadata.annotations, [SCHEDULED_AT_ANNOTATION]: at('07:00:00') },
      },
    };
    const run = (status: CronJobRunStatus) => cronJobRun(MORNING, { status });
    expect(hasCounted(run({ jobs: [{ name, result: 'Running' }] }), withSlot)).toBe(false);
    expect(hasCounted(run({ jobs: [{ name, result: 'Succeeded' }] }), withSlot)).toBe(true);
    expect(hasCounted(run({ lastScheduledTime: at('06:00:00') }), withSlot)).toBe(false);
    expect(hasCounted(run({ lastScheduledTime: at('08:00:00') }), withSlot)).toBe(true);
    expect(hasCounted(run({}), withSlot)).toBe(false);
  });
});

describe('a run that the API server refuses', () => {
  const refused = (facts: RunFacts): StartAttempt => {
    const start = nextStart(facts);
    if (start === undefined) return { kind: 'NotTried' };
    const failure = { kind: 'Refused', jobName: start.jobName, message: 'exceeded quota' } as const;
    return { kind: 'Tried', start, result: { kind: 'Failed', failure } };
  };

  test('is tried again, and the status says why it has not started', () => {
    const facts = assessWorld({ run: cronJobRun(MORNING) });
    const attempt = refused(facts);
    const { status, mustRetry } = concludeRun(facts, attempt);
    expect(mustRetry).toBe(true);
    expect(stateOf(status)).toBe('FailedCreate');
    expect(status).toMatchObject({ total: 3, skipped: 0, failedStart: { reason: 'Refused', since: at('12:00:00') } });
    expect(runEvents({}, status, attempt)).toMatchObject([{ reason: 'FailedCreate' }]);
    expect(runEvents(status, status, attempt)).toEqual([]);
  });

  test('is skipped after an hour, so that the runs after it start', () => {
    const facts = assessWorld({ run: cronJobRun(MORNING) });
    const { status } = concludeRun(facts, refused(facts));
    const later = assessWorld({ run: cronJobRun(MORNING, { status }), now: new Date(at('13:00:00')) });
    const outcome = concludeRun(later, refused(later));
    expect(outcome.status).toMatchObject({ skipped: 1, lastScheduledTime: at('06:00:00') });
    expect(outcome.status.failedStart).toBeUndefined();
    expect(outcome.continues).toBe(true);
  });
});

describe('the Job of a run', () => {
  const run = cronJobRun({
    ...MORNING,
    overrides: {
      containers: [{ name: 'hello', args: ['--full'], env: [{ name: 'A', value: '2' }] }],
      activeDeadlineSeconds: 60,
    },
  });
  const container = {
    name: 'hello',
    image: 'busybox',
    args: ['--quick'],
    env: [
      { name: 'A', value: '1' },
      { name: 'B', value: 'b' },
    ],
  };
  const owner = cronJob({
    runOverrides: 'ArgsAndEnv',
    jobTemplate: {
      spec: {
        template: { spec: { restartPolicy: 'Never', containers: [container, { name: 'other', image: 'busybox' }] } },
      },
    },
  });

  test('belongs to the CronJob and names the CronJobRun and the slot', () => {
    const { metadata } = buildRequestedJob(owner, run, new Date(at('06:00:00')));
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'CronJob', name: 'hello', controller: true }]);
    expect(metadata.annotations).toMatchObject({
      [REQUESTED_BY_ANNOTATION]: 'again',
      [SCHEDULED_AT_ANNOTATION]: at('06:00:00'),
    });
  });

  test('without a slot is a manual run', () => {
    const { metadata, spec } = buildRequestedJob(owner, cronJobRun({ manual: {} }));
    expect(metadata.annotations).not.toHaveProperty(SCHEDULED_AT_ANNOTATION);
    expect(spec.template.spec?.containers).toEqual(owner.spec.jobTemplate.spec?.template.spec?.containers);
    const built = buildJob(at('11:00:00'));
    const run = toRun({ ...built, metadata: { ...built.metadata, annotations: metadata.annotations ?? {} } });
    expect(run).toMatchObject({ trigger: 'Manual', requestedBy: 'again' });
    expect(run.slot).toBeUndefined();
  });

  test('has the overrides, and the rest of the template', () => {
    const { spec } = buildRequestedJob(owner, run, new Date(at('06:00:00')));
    expect(spec.activeDeadlineSeconds).toBe(60);
    expect(spec.template.spec?.containers).toEqual([
      {
        ...container,
        args: ['--full'],
        env: [
          { name: 'B', value: 'b' },
          { name: 'A', value: '2' },
        ],
      },
      { name: 'other', image: 'busybox' },
    ]);
  });

  test.each([
    ['None', 'the CronJob allows no other arguments; set its spec.runOverrides to Args'],
    ['Args', 'the CronJob allows no environment variables; set its spec.runOverrides to ArgsAndEnv'],
  ] as const)('is refused with runOverrides %s', (runOverrides, message) => {
    const { spec } = owner;
    expect(assessWorld({ run, cronJob: cronJob({ ...spec, runOverrides }) }).refusal?.message).toBe(message);
  });

  test('is refused for a container that the template does not have', () => {
    const wrong = cronJobRun({ manual: {}, overrides: { containers: [{ name: 'main', args: [] }] } });
    expect(assessWorld({ run: wrong, cronJob: owner }).refusal?.message).toBe(
      'the CronJob has no container main; it has hello, other',
    );
  });
});

describe('the CronJob', () => {
  const run = cronJobRun(MORNING);
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
    const excess = (requestedRunsHistoryLimit?: number) =>
      excessRequestedRuns(cronJob({ ...(requestedRunsHistoryLimit !== undefined && { requestedRunsHistoryLimit }) }), [
        ...runs,
        bySchedule,
        toRun(requestedJob(run, 'active')),
      ]);
    expect([excess().length, excess(0).length]).toEqual([0, 3]);
    expect(excess(1)).toEqual(runs.slice(0, 2));
  });

  test('neither counts a failure of a backfill for pauseAfterFailures, nor a success', () => {
    const failures = (state: 'Complete' | 'Failed') =>
      assess({ cronJob: cronJob({ pauseAfterFailures: 3 }, { consecutiveFailures: 2 }), jobs: [job(state)] }, NOW).pause
        .failures;
    expect([failures('Complete'), failures('Failed')]).toEqual([2, 2]);
  });
});
