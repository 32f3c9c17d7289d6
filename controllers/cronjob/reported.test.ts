import { describe, expect, test } from 'vitest';
import type { Condition, CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../api/v1/groupversion.ts';
import { runNowJobName } from '../../api/v1/job-names.ts';
import { CoreWorld, type PassOptions } from '../../test/support/core-world.ts';
import { at, cronJob } from '../../test/support/cron-jobs.ts';
import type { StartResult } from './applied.ts';

const JOB = 'hello-1767229200';
const BY_HAND = runNowJobName(cronJob(), 'second');
const refused: StartResult = { kind: 'Failed', failure: { kind: 'Refused', jobName: JOB, message: 'no:\n"quota"' } };
const notDeleted: StartResult = {
  kind: 'Failed',
  failure: { kind: 'DeleteFailed', jobName: 'hello-1767225600', message: 'forbidden' },
};
const taken: StartResult = { kind: 'Foreign', jobName: JOB };

interface Case {
  readonly name: string;
  readonly spec: Partial<CronJob['spec']>;
  /** What goes before. */
  readonly prepare?: (world: CoreWorld) => void;
  readonly options?: PassOptions;
  /** Reason and message of the condition, as version 0.1.0 stored them. */
  readonly condition: Pick<Condition, 'type' | 'reason' | 'message'>;
  readonly event: string;
}

const degraded = (reason: string, message: string) => ({ type: 'Degraded', reason, message });

const cases: readonly Case[] = [
  {
    name: 'a schedule that cannot be read',
    spec: { schedule: '61 * * * *' },
    condition: degraded('UnparseableSchedule', 'spec.schedule: "61 * * * *": minute 61 is not within 0 to 59'),
    event: 'UnparseableSchedule',
  },
  {
    name: 'a time zone that is not known',
    spec: { timeZone: 'Mars/Olympus' },
    condition: degraded(
      'UnknownTimeZone',
      'spec.timeZone: "Mars/Olympus": unknown time zone; give an IANA name such as Europe/Berlin',
    ),
    event: 'UnknownTimeZone',
  },
  {
    name: 'a schedule without a time',
    spec: { schedule: '0 0 31 2 *' },
    condition: degraded('NeverFires', 'spec.schedule: "0 0 31 2 *": matches no time within five years'),
    event: 'NeverFires',
  },
  {
    name: 'a deadline of 0',
    spec: { startingDeadlineSeconds: 0 },
    condition: degraded(
      'NeverFires',
      'spec.startingDeadlineSeconds: 0: every run is too late to start; raise it or leave it out',
    ),
    event: 'NeverFires',
  },
  {
    name: 'a time that is ahead of the clock',
    spec: {},
    prepare: (world) => {
      world.cronJob = { ...world.cronJob, status: { observedGeneration: 1, lastSuccessfulTime: at('23:00:00') } };
    },
    condition: degraded('ClockSkew', 'status.lastSuccessfulTime: 2026-01-01T23:00:00Z is ahead of the clock; …'),
    event: 'ClockSkew',
  },
  {
    name: 'a create that was refused',
    spec: {},
    options: { started: refused },
    condition: degraded('FailedCreate', `Error creating job ${JOB}: no:\n"quota"`),
    event: 'FailedCreate',
  },
  {
    name: 'a name that is taken',
    spec: {},
    options: { started: taken },
    condition: degraded(
      'FailedCreate',
      `Error creating job ${JOB}: a Job of that name exists and belongs to something else; delete it`,
    ),
    event: 'FailedCreate',
  },
  {
    name: 'a run that could not be replaced',
    spec: { concurrencyPolicy: 'Replace' },
    options: { started: notDeleted },
    condition: degraded('FailedCreate', 'Error deleting job hello-1767225600: forbidden'),
    event: 'FailedDelete',
  },
  {
    name: 'two runs that wait',
    spec: { concurrencyPolicy: 'Forbid' },
    prepare: (world) => {
      world.pass(at('00:00:00'));
      world.annotate({ [RUN_NOW_ANNOTATION]: 'first' });
      world.pass(at('00:30:00'));
      world.annotate({ [RUN_NOW_ANNOTATION]: 'second' });
    },
    condition: {
      type: 'Progressing',
      reason: 'JobsActive',
      message: `2 Jobs are active; ${BY_HAND}, then ${JOB} will start after that (concurrencyPolicy Forbid)`,
    },
    event: 'JobAlreadyActive',
  },
];

/** A world in which people have been told. */
function told({ spec, prepare, options, event }: Case): CoreWorld {
  const world = new CoreWorld(cronJob(spec));
  prepare?.(world);
  expect(world.pass(at('01:00:00'), options).reasons).toContain(event);
  return world;
}

/** What another process makes of that status: it remembers nothing else. */
function restarted(world: CoreWorld, change: (status: CronJobStatus) => CronJobStatus): CoreWorld {
  const next = new CoreWorld({ ...world.cronJob, status: change(world.cronJob.status!) });
  next.jobs = world.jobs;
  return next;
}

describe('what lasts is told once', () => {
  test.each(cases)('of $name, although its message is worded anew after an upgrade', (given) => {
    const conditions = (status: CronJobStatus) =>
      status.conditions!.map((condition) => ({ ...condition, message: 'in other words' }));
    const world = restarted(told(given), (status) => ({ ...status, conditions: conditions(status) }));
    const { reasons, status } = world.pass(at('01:00:01'), given.options);
    expect(reasons).toEqual([]);
    expect(status.conditions!.map(({ message }) => message)).not.toContain('in other words');
  });

  test.each(cases)('of $name, by version 0.1.0, which has no more than the message', (given) => {
    const world = restarted(told(given), ({ reported: _, failedStart: __, ...status }) => ({
      ...status,
      conditions: status.conditions!.map((condition) =>
        condition.type === given.condition.type ? { ...condition, ...given.condition } : condition,
      ),
    }));
    const { reasons, status } = world.pass(at('01:00:01'), given.options);
    expect(reasons).toEqual([]);
    expect(status.reported).toEqual(told(given).cronJob.status!.reported);
  });
});

describe('of a create that was refused', () => {
  test('the condition keeps what the API server answered, also when version 0.1.0 has stored it, until a run starts', () => {
    const world = told(cases.find(({ name }) => name === 'a create that was refused')!);
    const older = restarted(world, ({ reported: _, failedStart: __, ...status }) => status);
    const inTrouble: StartResult = { kind: 'Failed', failure: { kind: 'Transient', jobName: JOB, message: 'timeout' } };
    const later = older.pass(at('01:00:01'), { started: inTrouble });
    expect(later.status.conditions).toContainEqual(
      expect.objectContaining({ reason: 'FailedCreate', message: `Error creating job ${JOB}: no:\n"quota"` }),
    );
    const started = older.pass(at('01:00:02'));
    expect(started.created).toEqual([JOB]);
    for (const field of ['reported', 'failedStart']) expect(started.status).not.toHaveProperty(field);
  });

  test('another version may have said it in other words: those are no memory', () => {
    const world = told(cases.find(({ name }) => name === 'a create that was refused')!);
    const other = restarted(world, ({ reported: _, failedStart: __, ...status }) => ({
      ...status,
      conditions: status.conditions!.map((condition) => ({ ...condition, message: 'in other words' })),
    }));
    expect(other.pass(at('01:00:01')).status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Degraded', reason: 'AsExpected' }),
    );
  });

  test('and of a run by hand that is refused in turn with it, each is told once, whatever restarts', () => {
    let world = new CoreWorld(cronJob({}, { observedGeneration: 1 }));
    world.annotate({ [RUN_NOW_ANNOTATION]: 'second' });
    const refusalOf = (jobName: string) =>
      ({ kind: 'Failed', failure: { kind: 'Refused', jobName, message: 'no' } }) as const;
    const passes = ['00', '02', '04'].flatMap((second, index) => {
      if (index > 0) world = restarted(world, (status) => status);
      const byHand = world.pass(at(`01:00:${second}`), { started: refusalOf(BY_HAND) });
      return [byHand, world.pass(at(`01:00:${second}`), { started: refusalOf(JOB) })];
    });
    expect(passes.map(({ decision }) => decision)).toEqual(['RunNow', 'Run', 'RunNow', 'Run', 'RunNow', 'Run']);
    expect(passes.flatMap(({ reasons }) => reasons)).toEqual(['FailedCreate', 'FailedCreate']);
    expect(passes.at(-1)!.status.reported).toHaveLength(2);
    expect(world.pass(at('01:00:05')).status.reported).toHaveLength(1);
  });
});

test('a fault of a spec that is another fault by now is told again', () => {
  const world = new CoreWorld(cronJob({ schedule: '0 0 31 2 *' }));
  const told = [world.pass(at('00:10:00'))];
  for (const [minute, spec] of [
    ['11', { startingDeadlineSeconds: 0 }],
    ['12', { schedule: '0 0 30 2 *' }],
    ['13', { startingDeadlineSeconds: 10 }],
    ['14', { timeZone: 'Mars/Olympus' }],
    ['15', { timeZone: 'Mars/Utopia' }],
    ['16', { suspend: true }],
  ] as const) {
    world.edit(spec);
    told.push(world.pass(at(`00:${minute}:00`)));
  }
  expect(told.map(({ reasons }) => reasons)).toEqual([
    ['NeverFires'],
    ['NeverFires'],
    [],
    ['NeverFires'],
    ['UnknownTimeZone'],
    ['UnknownTimeZone'],
    [],
  ]);
});

test('a status that does not say which schedule was wrong, as another CRD has left it, is told of again', () => {
  const [unparseable] = cases;
  const world = restarted(told(unparseable!), ({ reported: _, effectiveSchedule: __, ...status }) => status);
  expect(world.pass(at('01:00:01')).reasons).toEqual(['UnparseableSchedule']);
});
