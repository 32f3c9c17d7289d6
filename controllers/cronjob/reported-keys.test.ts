import { describe, expect, test } from 'vitest';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { toManualJobName } from '../../api/v1/job-names.ts';
import { type CoreReconcileOptions, CoreWorld } from '../../test/support/core-world.ts';
import { at, cronJob } from '../../test/support/cron-jobs.ts';
import type { StartResult } from './decide.ts';

const JOB = 'hello-1767229200';
const BY_HAND = toManualJobName(cronJob(), 'second');
const refused: StartResult = { kind: 'Failed', failure: { kind: 'Refused', jobName: JOB, message: 'no:\n"quota"' } };
const notDeleted: StartResult = {
  kind: 'Failed',
  failure: { kind: 'DeleteFailed', jobName: 'hello-1767225600', message: 'forbidden' },
};
const taken: StartResult = { kind: 'Foreign', jobName: JOB };

type Case = readonly [
  name: string,
  event: string,
  spec: Partial<CronJob['spec']>,
  options?: CoreReconcileOptions,
  prepare?: (world: CoreWorld) => void,
];

const UNPARSEABLE: Case = ['a schedule that cannot be read', 'UnparseableSchedule', { schedule: '61 * * * *' }];
const CREATE_REFUSED: Case = ['a create that was refused', 'FailedCreate', {}, { started: refused }];

const cases: readonly Case[] = [
  UNPARSEABLE,
  ['a time zone that is not known', 'UnknownTimeZone', { timeZone: 'Mars/Olympus' }],
  ['a schedule without a time', 'NeverFires', { schedule: '0 0 31 2 *' }],
  ['a deadline of 0', 'NeverFires', { startingDeadlineSeconds: 0 }],
  [
    'a time that is ahead of the clock',
    'ClockSkew',
    {},
    {},
    (world) => {
      world.cronJob = { ...world.cronJob, status: { observedGeneration: 1, lastSuccessfulTime: at('23:00:00') } };
    },
  ],
  CREATE_REFUSED,
  ['a name that is taken', 'FailedCreate', {}, { started: taken }],
  ['a run that could not be replaced', 'FailedDelete', { concurrencyPolicy: 'Replace' }, { started: notDeleted }],
  [
    'two runs that wait',
    'JobAlreadyActive',
    { concurrencyPolicy: 'Forbid' },
    {},
    (world) => {
      world.reconcile(at('00:00:00'));
      world.annotate({ [RUN_NOW_ANNOTATION]: 'first' });
      world.reconcile(at('00:30:00'));
      world.annotate({ [RUN_NOW_ANNOTATION]: 'second' });
    },
  ],
];

/** A world in which events were sent. */
function worldAfterEvent([, event, spec, options, prepare]: Case): CoreWorld {
  const world = new CoreWorld(cronJob(spec));
  prepare?.(world);
  expect(world.reconcile(at('01:00:00'), options).reasons).toContain(event);
  return world;
}

/** A new process with only that status. */
function restarted(world: CoreWorld, change: (status: CronJobStatus) => CronJobStatus): CoreWorld {
  const next = new CoreWorld({ ...world.cronJob, status: change(world.cronJob.status!) });
  next.jobs = world.jobs;
  return next;
}

test.each(cases.map((given) => [given[0], given] as const))(
  'a lasting problem is reported once, even if an upgrade changes its message: %s',
  (_, given) => {
    const conditions = (status: CronJobStatus) =>
      status.conditions!.map((condition) => ({ ...condition, message: 'in other words' }));
    const world = restarted(worldAfterEvent(given), (status) => ({ ...status, conditions: conditions(status) }));
    const { reasons, status } = world.reconcile(at('01:00:01'), given[3]);
    expect(reasons).toEqual([]);
    expect(status.conditions!.map(({ message }) => message)).not.toContain('in other words');
  },
);

describe('of a create that was refused', () => {
  test('the condition keeps what the API server answered, until a run starts', () => {
    const world = worldAfterEvent(CREATE_REFUSED);
    const older = restarted(world, (status) => status);
    const inTrouble: StartResult = { kind: 'Failed', failure: { kind: 'Transient', jobName: JOB, message: 'timeout' } };
    const later = older.reconcile(at('01:00:01'), { started: inTrouble });
    expect(later.status.conditions).toContainEqual(
      expect.objectContaining({ reason: 'FailedCreate', message: `Error creating job ${JOB}: no:\n"quota"` }),
    );
    const started = older.reconcile(at('01:00:02'));
    expect(started.created).toEqual([JOB]);
    for (const field of ['reported', 'failedStart']) expect(started.status).not.toHaveProperty(field);
  });

  test('and of a manual run that is refused too, each is reported once, whatever restarts', () => {
    let world = new CoreWorld(cronJob({}, { observedGeneration: 1 }));
    world.annotate({ [RUN_NOW_ANNOTATION]: 'second' });
    const refusalOf = (jobName: string) =>
      ({ kind: 'Failed', failure: { kind: 'Refused', jobName, message: 'no' } }) as const;
    const outcomes = ['00', '02', '04'].flatMap((second, index) => {
      if (index > 0) world = restarted(world, (status) => status);
      const byHand = world.reconcile(at(`01:00:${second}`), { started: refusalOf(BY_HAND) });
      return [byHand, world.reconcile(at(`01:00:${second}`), { started: refusalOf(JOB) })];
    });
    expect(outcomes.map(({ decision }) => decision)).toEqual(['RunNow', 'Run', 'RunNow', 'Run', 'RunNow', 'Run']);
    expect(outcomes.flatMap(({ reasons }) => reasons)).toEqual(['FailedCreate', 'FailedCreate']);
    expect(outcomes.at(-1)!.status.reported).toHaveLength(2);
    expect(world.reconcile(at('01:00:05')).status.reported).toHaveLength(1);
  });
});

test('another fault of the spec is reported again', () => {
  const world = new CoreWorld(cronJob({ schedule: '0 0 31 2 *' }));
  const edits = [
    [{ startingDeadlineSeconds: 0 }, ['NeverFires']],
    [{ schedule: '0 0 30 2 *' }, []],
    [{ startingDeadlineSeconds: 10 }, ['NeverFires']],
    [{ timeZone: 'Mars/Olympus' }, ['UnknownTimeZone']],
    [{ timeZone: 'Mars/Utopia' }, ['UnknownTimeZone']],
    [{ schedule: '61 * * * *' }, ['UnparseableSchedule']],
    [{ schedule: '62 * * * *' }, ['UnparseableSchedule']],
    [{ suspend: true }, []],
  ] as const;
  expect(world.reconcile(at('00:10:00')).reasons).toEqual(['NeverFires']);
  for (const [spec, reasons] of edits) {
    world.edit(spec);
    expect(world.reconcile(at('00:11:00')).reasons).toEqual(reasons);
  }
});

test('a status without the invalid schedule, as another CRD leaves it, is reported again', () => {
  const world = restarted(worldAfterEvent(UNPARSEABLE), ({ reported: _, effectiveSchedule: __, ...status }) => status);
  expect(world.reconcile(at('01:00:01')).reasons).toEqual(['UnparseableSchedule']);
});
