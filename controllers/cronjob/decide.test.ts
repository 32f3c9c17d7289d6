import { describe, expect, test } from 'vitest';
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { at, cronJob, jobOf } from '../../test/support/cron-jobs.ts';
import { type Decision, decide } from './decide.ts';
import { assess, type Observed } from './facts.ts';

const decided = (observed: Observed, now: string) => decide(assess(observed, new Date(now)));

/** The decision, with names in the place of Jobs. */
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

interface Case {
  readonly name: string;
  readonly given: CronJob;
  readonly jobs?: readonly Job[];
  readonly now: string;
  readonly want: unknown;
}

const cases: readonly Case[] = [
  { name: 'waits for the first slot', given: cronJob(), now: at('00:59:59'), want: { kind: 'NothingDue' } },
  { name: 'starts the slot the second it is due', given: cronJob(), now: at('01:00:00'), want: run('01:00:00') },
  {
    name: 'starts only the newest of several missed slots',
    given: cronJob(),
    now: at('05:30:00'),
    want: run('05:00:00'),
  },
  {
    name: 'does not start a slot that lastScheduleTime covers',
    given: cronJob({}, { lastScheduleTime: at('01:00:00') }),
    now: at('01:00:30'),
    want: { kind: 'NothingDue' },
  },
  {
    name: 'does not start a slot whose Job is there, though the status never said so',
    given: cronJob(),
    jobs: [jobOf(at('01:00:00'), { state: 'Complete' })],
    now: at('01:00:30'),
    want: { kind: 'NothingDue' },
  },
  {
    name: 'does not start a slot again whose Job was deleted after the status was stored',
    given: cronJob({}, { lastScheduleTime: at('01:00:00'), lastSuccessfulTime: at('01:00:10') }),
    jobs: [],
    now: at('01:20:00'),
    want: { kind: 'NothingDue' },
  },
  {
    name: 'does not start a slot that handledThrough covers',
    given: cronJob({}, { handledThrough: at('01:00:00') }),
    now: at('01:00:30'),
    want: { kind: 'NothingDue' },
  },
  {
    name: 'starts nothing when the deadline has passed',
    given: cronJob({ startingDeadlineSeconds: 60 }),
    now: at('01:02:00'),
    want: { kind: 'NothingDue' },
  },
  {
    name: 'starts late within the deadline',
    given: cronJob({ startingDeadlineSeconds: 60 }),
    now: at('01:00:59'),
    want: run('01:00:00'),
  },
  {
    name: 'starts nothing with a deadline of 0',
    given: cronJob({ startingDeadlineSeconds: 0 }),
    now: at('01:00:00'),
    want: { kind: 'NothingDue' },
  },
  {
    name: 'starts nothing while suspended',
    given: cronJob({ suspend: true }),
    now: at('01:00:00'),
    want: { kind: 'NothingDue' },
  },
  {
    name: 'starts nothing while being deleted',
    given: cronJob({}, undefined, { deletionTimestamp: at('00:30:00') }),
    now: at('01:00:00'),
    want: { kind: 'NothingDue' },
  },
  {
    name: 'gives up on a schedule it cannot read',
    given: cronJob({ schedule: '61 * * * *' }),
    now: at('01:00:00'),
    want: { kind: 'NothingDue' },
  },
  {
    name: 'gives up on a time zone it does not know',
    given: cronJob({ timeZone: 'Mars/Olympus' }),
    now: at('01:00:00'),
    want: { kind: 'NothingDue' },
  },
  {
    name: 'starts the newest slot when exactly 100 were missed',
    given: cronJob({ schedule: '* * * * *' }),
    now: at('01:40:00'),
    want: run('01:40:00'),
  },
  {
    name: 'starts nothing of the backlog when 101 were missed',
    given: cronJob({ schedule: '* * * * *' }),
    now: at('01:41:00'),
    want: { kind: 'TooManyMissed' },
  },
  {
    name: 'starts nothing of the backlog when 101 were missed, under Forbid with a run active too',
    given: cronJob({ schedule: '* * * * *', concurrencyPolicy: 'Forbid' }, { lastScheduleTime: at('00:01:00') }),
    jobs: [jobOf(at('00:01:00'))],
    now: at('01:42:00'),
    want: { kind: 'TooManyMissed' },
  },
  {
    name: 'Allow starts beside active runs',
    given: cronJob({}, { lastScheduleTime: at('01:00:00') }),
    jobs: [jobOf(at('01:00:00'))],
    now: at('02:00:00'),
    want: run('02:00:00'),
  },
  {
    name: 'Forbid waits while a run is active',
    given: cronJob({ concurrencyPolicy: 'Forbid' }, { lastScheduleTime: at('01:00:00') }),
    jobs: [jobOf(at('01:00:00'))],
    now: at('02:00:00'),
    want: { kind: 'Blocked', slot: '02:00:00' },
  },
  {
    name: 'Forbid waits for a run that is being deleted',
    given: cronJob({ concurrencyPolicy: 'Forbid' }, { lastScheduleTime: at('01:00:00') }),
    jobs: [jobOf(at('01:00:00'), { isBeingDeleted: true })],
    now: at('02:00:00'),
    want: { kind: 'Blocked', slot: '02:00:00' },
  },
  {
    name: 'Forbid starts late when the active run has ended',
    given: cronJob({ concurrencyPolicy: 'Forbid' }, { lastScheduleTime: at('01:00:00') }),
    jobs: [jobOf(at('01:00:00'), { state: 'Complete', endTime: at('02:10:00') })],
    now: at('02:10:00'),
    want: run('02:00:00'),
  },
  {
    name: 'Replace deletes every active run, but none that is being deleted already',
    given: cronJob({ concurrencyPolicy: 'Replace' }, { lastScheduleTime: at('02:00:00') }),
    jobs: [jobOf(at('01:00:00'), { isBeingDeleted: true }), jobOf(at('02:00:00'))],
    now: at('03:00:00'),
    want: run('03:00:00', [`hello-${new Date(at('02:00:00')).getTime() / 1000}`]),
  },
  {
    name: 'an edit of the schedule does not start a run by itself',
    given: cronJob(
      { schedule: '0 5 * * *' },
      { effectiveSchedule: { schedule: '0 23 * * *', timeZone: 'UTC', since: at('00:00:00') } },
    ),
    now: at('12:00:00'),
    want: { kind: 'NothingDue' },
  },
  {
    name: 'an edit of the schedule starts nothing between the last run and itself',
    given: cronJob(
      { schedule: '0 * * * *' },
      {
        lastScheduleTime: at('01:00:00'),
        effectiveSchedule: { schedule: '0 1 * * *', timeZone: 'UTC', since: at('00:00:00') },
      },
    ),
    now: at('12:30:00'),
    want: { kind: 'NothingDue' },
  },
  {
    name: 'reads the schedule in its time zone',
    given: cronJob({ schedule: '0 9 * * *', timeZone: 'Asia/Tokyo' }, undefined, {
      creationTimestamp: '2025-12-31T12:00:00Z',
    }),
    now: at('00:00:00'),
    want: run('00:00:00'),
  },
];

describe('decide', () => {
  test.each(cases)('$name', ({ given, jobs = [], now, want }) => {
    expect(summaryOf(given, jobs, now)).toEqual(want);
  });

  test('the Job carries the template, the slot and its owner', () => {
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

  test('annotations of the template give way to those that say what the Job runs', () => {
    const annotations = { 'batch.tutorial.kubebuilder.io/scheduled-at': at('00:30:00'), note: 'mine' };
    const given = cronJob({ jobTemplate: { metadata: { annotations }, spec: { template: {} } } });
    const decision = decided({ cronJob: given, jobs: [] }, at('01:00:00'));
    expect(decision.kind === 'Run' && decision.job.metadata.annotations).toMatchObject({
      'batch.tutorial.kubebuilder.io/scheduled-at': at('01:00:00'),
      note: 'mine',
    });
  });

  test('a template without labels and without a spec still makes a Job, for the API server to judge', () => {
    const decision = decided({ cronJob: cronJob({ jobTemplate: {} }), jobs: [] }, at('01:00:00'));
    expect(decision).toMatchObject({ kind: 'Run', job: { spec: { template: {} } } });
    expect(decision.kind === 'Run' && decision.job.metadata).not.toHaveProperty('labels');
  });

  test.each([Number.MAX_SAFE_INTEGER, 2 ** 60, 2 ** 63])(
    'a deadline beyond what a date can hold is none: %d',
    (seconds) => {
      const given = cronJob({ startingDeadlineSeconds: seconds });
      expect(summaryOf(given, [], at('05:30:00'))).toEqual(run('05:00:00'));
    },
  );
});

/** A decision with a pass that makes it: a new one does not compile without. */
const EXAMPLES: Readonly<Record<Decision['kind'], Observed>> = {
  RunNow: {
    cronJob: cronJob({}, { observedGeneration: 1 }, { annotations: { [RUN_NOW_ANNOTATION]: 'now' } }),
    jobs: [],
  },
  TooManyMissed: { cronJob: cronJob({ schedule: '* * * * *' }), jobs: [] },
  NothingDue: { cronJob: cronJob({}, { lastScheduleTime: at('02:00:00') }), jobs: [] },
  Blocked: { cronJob: cronJob({ concurrencyPolicy: 'Forbid' }), jobs: [jobOf(at('01:00:00'))] },
  RecordFirst: { cronJob: cronJob({ concurrencyPolicy: 'Replace' }), jobs: [jobOf(at('01:00:00'))] },
  Run: { cronJob: cronJob(), jobs: [] },
};

test.each(Object.entries(EXAMPLES))('some pass decides %s', (kind, observed) => {
  expect(decided(observed, at('02:00:00')).kind).toBe(kind);
});
