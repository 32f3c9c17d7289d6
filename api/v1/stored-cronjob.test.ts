import { stripNulls } from 'controller-runtime/internal';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readStoredObjects } from '../../test/envtest/support/stored-objects.ts';
import { cronJob } from '../../test/support/cron-jobs.ts';
import { MAX_RECENT_LINE_LENGTH } from './cronjob-defaults.ts';
import { cronJobStatusSchema } from './cronjob-status.ts';
import { type CronJob, type CronJobSpec, type CronJobStatus, cronJobSpecSchema } from './cronjob-types.ts';
import { parseCronJob } from './stored-cronjob.ts';

const { schedule, jobTemplate } = cronJob().spec;
const TIME = '2026-01-01T00:00:00Z';
const CONDITION = { type: 'Available', status: 'True', reason: 'A', message: '', lastTransitionTime: TIME } as const;
/** Values for every optional field. */
const OPTIONAL = {
  startingDeadlineSeconds: 5,
  suspendUntil: '2026-01-02T15:04:05Z',
  recentRunsLimit: 0,
  startTimeoutSeconds: 5,
  expectSuccessWithinSeconds: 5,
  pauseAfterFailures: 5,
  runContext: 'Env',
} as const;
const STATUS = {
  recentRuns: [`${TIME} Failed hello-1 Schedule`],
  recentSkips: [`${TIME} Suspended`],
  consecutiveFailures: 2,
  paused: { reason: 'TooManyFailures', since: TIME },
  lastResume: 'a',
  failedStart: { jobName: 'hello-1', reason: 'Refused', message: 'quota' },
  successExpectedSince: TIME,
  suspendedUntil: '2026-01-02T00:00:00Z',
  lastRun: { jobName: 'hello-1', startTime: TIME, result: 'Running' },
  lastManualRun: 'b',
} as const satisfies CronJobStatus;

function withSpec(spec: unknown): CronJob {
  return { ...cronJob(), spec: spec as CronJobSpec };
}

describe('a stored CronJob', () => {
  const withStatus = (status: unknown) => parseCronJob({ ...cronJob(), status: status as CronJobStatus }).status;

  const nulls = (fields: object) => Object.fromEntries(Object.keys(fields).map((field) => [field, null]));

  test.each([
    ['has what it must have', cronJob()],
    ['has every field', cronJob({ timeZone: 'UTC', ...OPTIONAL }, { active: [{ name: 'a', uid: 'b' }], ...STATUS })],
    // The client removes nulls.
    ['has null fields', { ...withSpec({ ...cronJob().spec, ...nulls(OPTIONAL) }), status: nulls(STATUS) }],
  ])('that %s is returned as it is', (_, given) => {
    expect(parseCronJob(given)).toBe(given);
  });

  test('gets the defaults when another CRD has none', () => {
    const { spec } = parseCronJob(withSpec({ schedule, jobTemplate, timeZone: 'UTC', startingDeadlineSeconds: 5 }));
    const given = { schedule, jobTemplate, timeZone: 'UTC', startingDeadlineSeconds: 5 };
    expect(spec).toEqual(cronJobSpecSchema.parse(given));
  });

  test.each([undefined, [], 'spec', {}])(
    'has a schedule that is invalid and an empty template when there is none (%j)',
    (spec) => {
      const defaults = cronJobSpecSchema.parse({ schedule, jobTemplate: {} });
      expect(parseCronJob(withSpec(spec)).spec).toEqual({ ...defaults, schedule: '' });
    },
  );

  test("has no value of a type that is not the field's", () => {
    const odd = { ...cronJob().spec, timeZone: 5, startingDeadlineSeconds: '5', suspend: 'no', schedule: 7 };
    expect(parseCronJob(withSpec(odd)).spec).toEqual({ ...cronJob().spec, timeZone: '', schedule: '' });
  });

  describe.each(Object.keys(OPTIONAL))('has no %s', (field) => {
    test.each([true, [], {}, field === 'runContext' || field === 'suspendUntil' ? 5 : '5'])(
      'when it is %j, and keeps all others',
      (value) => {
        const { [field]: _, ...others } = { ...cronJob(OPTIONAL).spec } as Record<string, unknown>;
        expect(parseCronJob(withSpec({ ...others, [field]: value })).spec).toEqual(others);
      },
    );
  });

  test.each([
    ['recentRuns', 'none'],
    ['recentSkips', {}],
    ['consecutiveFailures', '2'],
    ['consecutiveFailures', 0.5],
    ['consecutiveFailures', 2 ** 31],
    ['paused', true],
    ['paused', { reason: 'TooManyFailures' }],
    ['paused', { reason: 'TooManyFailures', since: 'yesterday' }],
    ['lastRun', { jobName: 5, result: 'Running' }],
    ['lastRun', { jobName: 'hello-1', result: 'Lost' }],
    ['lastRun', { jobName: 'hello-1', result: 'Running', completionTime: 5 }],
    ['lastResume', 5],
    ['failedStart', { jobName: 'hello-1', reason: 'Other' }],
    ['failedStart', { jobName: 'hello-1', reason: 'Refused', message: 5 }],
  ] as const)('has no %s in its status when that is %j, and keeps all else', (field, value) => {
    const { [field]: _, ...others } = { ...STATUS, more: 1 };
    expect(withStatus({ ...others, [field]: value })).toEqual(others);
  });

  test.each(['recentRuns', 'recentSkips', 'reported'])('has only the texts of %s', (field) => {
    expect(withStatus({ [field]: ['a', 5, null, {}, 'b'], more: 1 })).toEqual({ [field]: ['a', 'b'], more: 1 });
  });

  test.each(['recentRuns', 'recentSkips'])('has only the lines of %s that may be stored', (field) => {
    const longest = 'a'.repeat(MAX_RECENT_LINE_LENGTH);
    expect(withStatus({ [field]: [`${longest}a`, longest] })).toEqual({ [field]: [longest] });
  });

  test('has the first condition of each type: the API server would store no list with two of one', () => {
    const condition = (type: string, message: string) => ({ ...CONDITION, type, message });
    const [first, other] = [condition('Mine', 'first'), condition('Available', '')];
    const given = [{ type: 'Mine' }, first, other, condition('Mine', 'second')];
    expect(withStatus({ conditions: given })).toEqual({ conditions: [first, other] });
    expect(withStatus({ conditions: [first, other, first] })).toEqual({ conditions: [first, other] });
  });

  test('keeps what it does not know', () => {
    expect(parseCronJob(withSpec({ schedule, jobTemplate, more: 1 })).spec).toMatchObject({ more: 1 });
    expect(withStatus({ active: 'none', more: 1 })).toEqual({ more: 1 });
  });

  test('has a status only when that is one, with lists of what they should hold', () => {
    expect(withStatus('fine')).toBeUndefined();
    expect(
      withStatus({ active: [{ name: 'a' }, {}, 'b', { name: '' }], conditions: [CONDITION, 5, { type: 'A' }] }),
    ).toEqual({
      active: [{ name: 'a' }],
      conditions: [CONDITION],
    });
  });
});

describe('says what did not fit', () => {
  const invalidValues = (stored: object) => parseCronJob({ ...cronJob(), ...stored } as CronJob).invalidValues;

  test.each<readonly [object, string]>([
    [{ spec: undefined }, 'spec is missing'],
    [{ spec: null }, 'spec is missing'],
    [{ spec: 'x' }, 'spec must be of type object, not "x"'],
    [{ spec: { jobTemplate } }, 'spec.schedule is missing'],
    [{ spec: { schedule, jobTemplate, timeZone: 5 } }, 'spec.timeZone must be of type string, not 5'],
    [{ status: 'x' }, 'status must be of type object, not "x"'],
    [{ status: { recentRuns: 5 } }, 'status.recentRuns must be of type array, not 5'],
    [{ status: { conditions: 'x' } }, 'status.conditions must be of type array, not "x"'],
    [{ status: { conditions: [CONDITION, {}] } }, 'status.conditions[1].type is missing'],
    [{ status: { conditions: [CONDITION, CONDITION] } }, 'status.conditions has two elements with the same type'],
    [
      { status: { conditions: [{ ...CONDITION, status: 'Perhaps' }] } },
      'status.conditions[0].status must be one of True, False, Unknown, not "Perhaps"',
    ],
    [{ status: { lastScheduleTime: 'today' } }, 'status.lastScheduleTime must be a time, not "today"'],
    [{ status: { activeCount: -1 } }, 'status.activeCount must be a whole number from 0 on, not -1'],
    [{ status: { recentRuns: ['a'.repeat(700)] } }, 'status.recentRuns[0] may not be more than 640 characters'],
    [{ metadata: { ...cronJob().metadata, labels: { a: 5 } } }, 'metadata.labels must be of type string, not 5'],
    [{ metadata: undefined }, 'metadata is missing'],
  ])('%j', (stored, oddity) => {
    expect(invalidValues(stored)).toEqual([oddity]);
  });

  test.each([null, 'x', 5, []])('of a value that is not an object (%j)', (stored) => {
    expect(parseCronJob(stored as unknown as CronJob).invalidValues).toEqual([
      'metadata is missing',
      'spec is missing',
    ]);
  });

  test('and takes no word for it from what is stored', () => {
    expect(invalidValues({ invalidValues: 5 })).toBeUndefined();
    expect(invalidValues({ invalidValues: ['$(x)'], status: 5 })).toEqual(['status must be of type object, not 5']);
  });

  test('of a value no more than its beginning, and of many a few', () => {
    const [text = ''] = invalidValues({ status: { recentRuns: 'x'.repeat(10_000) } }) ?? [];
    expect(text.length).toBeLessThan(100);
    const many = invalidValues({ status: { recentRuns: Array.from({ length: 100 }, () => 5) } });
    expect(many).toHaveLength(6);
    expect(many?.at(-1)).toBe('95 more');
  });
});

describe('a name that no object can have', () => {
  const names = [
    'a;touch x',
    '$(touch x)',
    '`x`',
    'a b',
    "it's",
    '../../secrets',
    'Größe',
    'a\u001b[2J',
    '-a',
    'A',
    '',
  ];
  const line = (name: string) => `2026-11-23T02:00:00Z Succeeded ${name} Schedule took=1m3s`;
  const statusOf = (status: object) => parseCronJob({ ...cronJob(), status }).status;

  test.each(names)('%j is left out, with what it names', (name) => {
    const [run, fine] = [{ jobName: name, result: 'Running' }, 'hello-1'];
    const failedStart = { jobName: name, reason: 'Refused' };
    expect(statusOf({ lastRun: run, failedStart, active: [{ name }, { name: fine }] })).toEqual({
      active: [{ name: fine }],
    });
  });

  test.each(names.filter((name) => name !== '' && !name.includes(' ')))(
    '%j is left out of the lines of runs',
    (name) => {
      expect(statusOf({ recentRuns: [line(name), line('hello-1')] })).toEqual({ recentRuns: [line('hello-1')] });
    },
  );

  test('lines that cannot be read stay: a newer version may have written them', () => {
    const recentRuns = ['anything $(x)', '', `2026-11-23T02:00:00Z Postponed a;b Schedule`];
    expect(statusOf({ recentRuns })).toEqual({ recentRuns });
  });
});

test('whatever is stored, what comes fits, and is returned unchanged from then on', () => {
  const anything = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(undefined, null, {}, [], '', 5));
  const fields = (names: readonly string[]) => fc.dictionary(fc.constantFrom(...names), anything);
  const specs = fields([...Object.keys(cronJobSpecSchema.shape), 'more']);
  const statuses = fields([...Object.keys(cronJobStatusSchema.shape), 'more']);
  const stored = fc.record(
    {
      metadata: fc.oneof(fields(['name', 'namespace', 'labels', 'annotations', 'creationTimestamp']), anything),
      spec: fc.oneof(specs, anything),
      status: fc.oneof(statuses, anything),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(stored, (given) => {
      const { apiVersion, kind } = cronJob();
      const once = parseCronJob({ apiVersion, kind, ...given } as unknown as CronJob);
      expect(parseCronJob(once)).toBe(once);
      cronJobStatusSchema.optional().parse(stripNulls(once.status));
    }),
    { numRuns: 3000 },
  );
});

test('all that a manager has stored fits', () => {
  for (const stored of readStoredObjects('a').cronJobs) expect(parseCronJob(stored)).toBe(stored);
});
