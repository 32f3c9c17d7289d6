import { describe, expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobSpec, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { at, buildJob, cronJob } from '../../test/support/cron-jobs.ts';
import { type Decision, decide } from './decide.ts';
import { assess, type Observation } from './facts.ts';

const decided = (observed: Observation, now: string) => decide(assess(observed, new Date(now)));

/** The decision, with names instead of Jobs. */
function summaryOf(given: CronJob, jobs: readonly Job[], now: string) {
  const decision = decided({ cronJob: given, jobs }, now);
  switch (decision.kind) {
    case 'Run':
      return {
        kind: decision.kind,
        slot: decision.slot.toISOString().slice(11, 19),
        job: decision.job.metadata.name,
        replaces: decision.replaces.map((job) => job.metadata.name),
      };
    case 'Blocked':
      return { kind: decision.kind, slot: decision.slot.toISOString().slice(11, 19) };
    default:
      return { kind: decision.kind };
  }
}

const run = (time: string, replaces: readonly string[] = []) => ({
  kind: 'Run',
  slot: time,
  job: `hello-${new Date(at(time)).getTime() / 1000}`,
  replaces,
});

interface Given {
  readonly spec?: Partial<CronJobSpec>;
  readonly status?: CronJobStatus;
  readonly metadata?: Partial<CronJob['metadata']>;
  readonly jobs?: readonly Job[];
}

const NOTHING_DUE = { kind: 'NothingDue' };
const TOO_MANY_MISSED = { kind: 'Skip' };
const MINUTELY = { schedule: '* * * * *' };
const active = buildJob(at('01:00:00'));
/** The run of 01:00 has started. */
const under = (concurrencyPolicy: CronJobSpec['concurrencyPolicy'], jobs: readonly Job[] = [active]) => ({
  spec: { concurrencyPolicy },
  status: { lastScheduleTime: at('01:00:00') },
  jobs,
});
const WAITS = { kind: 'Blocked', slot: '02:00:00' };

/** The decision of an hourly CronJob that was created at midnight. */
const cases: readonly (readonly [name: string, now: string, given: Given, want: unknown])[] = [
  ['waits for the first slot', '00:59:59', {}, NOTHING_DUE],
  ['starts the slot the second it is due', '01:00:00', {}, run('01:00:00')],
  ['starts only the newest of several missed slots', '05:30:00', {}, run('05:00:00')],
  [
    'does not start a slot that lastScheduleTime covers',
    '01:00:30',
    { status: { lastScheduleTime: at('01:00:00') } },
    NOTHING_DUE,
  ],
  [
    'does not start a slot whose Job is there, though the status never said so',
    '01:00:30',
    { jobs: [buildJob(at('01:00:00'), { state: 'Complete' })] },
    NOTHING_DUE,
  ],
  [
    'does not start a slot that handledThrough covers',
    '01:00:30',
    { status: { handledThrough: at('01:00:00') } },
    NOTHING_DUE,
  ],
  ['starts nothing when the deadline has passed', '01:01:00', { spec: { startingDeadlineSeconds: 60 } }, NOTHING_DUE],
  ['starts late within the deadline', '01:00:59', { spec: { startingDeadlineSeconds: 60 } }, run('01:00:00')],
  ['starts nothing with a deadline of 0', '01:00:00', { spec: { startingDeadlineSeconds: 0 } }, NOTHING_DUE],
  [
    'takes a deadline beyond what a date can hold for none',
    '05:30:00',
    { spec: { startingDeadlineSeconds: 2 ** 63 } },
    run('05:00:00'),
  ],
  ['starts nothing while suspended', '01:00:00', { spec: { suspend: true } }, NOTHING_DUE],
  ['starts nothing while being deleted', '01:00:00', { metadata: { deletionTimestamp: at('00:30:00') } }, NOTHING_DUE],
  ['gives up on a schedule that it cannot read', '01:00:00', { spec: { schedule: '61 * * * *' } }, NOTHING_DUE],
  ['starts the newest slot when exactly 100 were missed', '01:40:00', { spec: MINUTELY }, run('01:40:00')],
  ['starts nothing of the backlog when 101 were missed', '01:41:00', { spec: MINUTELY }, TOO_MANY_MISSED],
  ['Allow starts a run beside active runs', '02:00:00', under('Allow'), run('02:00:00')],
  [
    'Forbid waits for a run that is being deleted',
    '02:00:00',
    under('Forbid', [buildJob(at('01:00:00'), { isBeingDeleted: true })]),
    WAITS,
  ],
  [
    'Forbid starts late when the active run has ended',
    '02:10:00',
    under('Forbid', [buildJob(at('01:00:00'), { state: 'Complete', endTime: at('02:10:00') })]),
    run('02:00:00'),
  ],
  [
    'Replace deletes every active run that is not already being deleted',
    '02:00:00',
    under('Replace', [buildJob(at('00:00:00'), { isBeingDeleted: true }), active]),
    run('02:00:00', [active.metadata.name]),
  ],
  [
    'a stored policy that this version does not know deletes no active run',
    '02:00:00',
    under('' as 'Allow', [active]),
    run('02:00:00'),
  ],
];

describe('decide', () => {
  test.each(cases)('%s', (_, now, { spec, status, metadata, jobs = [] }, want) => {
    expect(summaryOf(cronJob(spec, status, metadata), jobs, at(now))).toEqual(want);
  });

  test('the Job contains the template, the slot and its owner', () => {
    const given = cronJob({
      timeZone: 'Europe/Berlin',
      jobTemplate: {
        metadata: { labels: { app: 'hello' }, annotations: { note: 'mine' } },
        spec: { backoffLimit: 2, template: { metadata: { labels: { pod: 'yes' } } } },
      },
    });
    const decision = decided({ cronJob: given, jobs: [] }, at('01:00:00'));
    expect(decision.kind === 'Run' && decision.job).toEqual({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: 'hello-1767229200',
        namespace: 'default',
        labels: { app: 'hello' },
        annotations: {
          note: 'mine',
          'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T02:00:00+01:00',
          'batch.tutorial.kubebuilder.io/scheduled-at': '2026-01-01T01:00:00Z',
          'batch.tutorial.kubebuilder.io/generation': '1',
        },
        ownerReferences: [
          {
            apiVersion: 'batch.tutorial.kubebuilder.io/v1',
            kind: 'CronJob',
            name: 'hello',
            uid: given.metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: {
        backoffLimit: 2,
        template: {
          metadata: {
            labels: { pod: 'yes' },
            annotations: {
              'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T02:00:00+01:00',
              'batch.tutorial.kubebuilder.io/scheduled-at': '2026-01-01T01:00:00Z',
            },
          },
        },
      },
    });
  });

  test('a template without labels and without a spec still makes a Job, for the API server to judge', () => {
    const decision = decided({ cronJob: cronJob({ jobTemplate: {} }), jobs: [] }, at('01:00:00'));
    expect(decision).toMatchObject({ kind: 'Run', job: { spec: { template: {} } } });
    expect(decision.kind === 'Run' && decision.job.metadata).not.toHaveProperty('labels');
  });
});

/** A reconcile for each decision: a new decision does not compile without one. */
const EXAMPLES: Readonly<Record<Decision['kind'], Observation>> = {
  RunNow: {
    cronJob: cronJob({}, { observedGeneration: 1 }, { annotations: { [RUN_NOW_ANNOTATION]: 'now' } }),
    jobs: [],
  },
  Skip: { cronJob: cronJob({ schedule: '* * * * *' }), jobs: [] },
  NothingDue: { cronJob: cronJob({}, { lastScheduleTime: at('02:00:00') }), jobs: [] },
  Blocked: { cronJob: cronJob({ concurrencyPolicy: 'Forbid' }), jobs: [buildJob(at('01:00:00'))] },
  RecordFirst: { cronJob: cronJob({ concurrencyPolicy: 'Replace' }), jobs: [buildJob(at('01:00:00'))] },
  Run: { cronJob: cronJob(), jobs: [] },
};

test.each(Object.entries(EXAMPLES))('some reconcile decides %s', (kind, observed) => {
  expect(decided(observed, at('02:00:00')).kind).toBe(kind);
});
