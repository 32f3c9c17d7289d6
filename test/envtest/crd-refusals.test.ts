/** Values that the CRD refuses: of the spec, of the name and of the status, and which fields a status write changes. */
import { expect, test } from 'vitest';
import { MAX_NAME_LENGTH, MAX_RECENT_LINE_LENGTH } from '../../api/v1/cronjob-defaults.ts';
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { create, cronJob, kubectl, newNamespace, patchStatus, run, type Stored } from './support/crd.ts';

const withContainer = (container: unknown) => ({
  jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
});
const CONTAINER = 'spec.jobTemplate.spec.template.spec.containers[0]';

/** One for each kind of rule in the schema; test/repository/cronjob-crd.test.ts has the bounds of all fields. */
const refused: readonly { name: string; spec: Readonly<Record<string, unknown>>; want: readonly string[] }[] = [
  {
    name: 'a concurrency policy that does not exist',
    spec: { concurrencyPolicy: 'Sometimes' },
    want: ['spec.concurrencyPolicy: Unsupported value: "Sometimes"', '"Allow", "Forbid", "Replace"'],
  },
  {
    name: 'a negative limit of successful Jobs',
    spec: { successfulJobsHistoryLimit: -1 },
    want: ['spec.successfulJobsHistoryLimit: Invalid value: -1', 'greater than or equal to 0'],
  },
  {
    name: 'a limit beyond 32 bits',
    spec: { failedJobsHistoryLimit: 2 ** 31 },
    want: ['spec.failedJobsHistoryLimit', 'int32'],
  },
  { name: 'an empty schedule', spec: { schedule: '' }, want: ['spec.schedule: Invalid value: ""'] },
  { name: 'no schedule', spec: { schedule: undefined }, want: ['spec.schedule: Required value'] },
  { name: 'a schedule beyond measure', spec: { schedule: '*'.repeat(1025) }, want: ['spec.schedule: Too long'] },
  {
    name: 'a suspendUntil that is no time',
    spec: { suspendUntil: 'tomorrow' },
    want: ['spec.suspendUntil: Invalid value: "tomorrow"', 'date-time'],
  },
  {
    name: 'more recent runs than a status holds',
    spec: { recentRunsLimit: 51 },
    want: ['spec.recentRunsLimit: Invalid value: 51', 'less than or equal to 50'],
  },
  {
    name: 'a container without a name',
    spec: withContainer({ image: 'i' }),
    want: [`${CONTAINER}.name: Required value`],
  },
  {
    name: 'a misspelt field of a container',
    spec: withContainer({ name: 'c', image: 'i', comand: ['x'] }),
    want: [`unknown field "${CONTAINER}.comand"`],
  },
  {
    name: 'a quantity that is none',
    spec: withContainer({ name: 'c', image: 'i', resources: { limits: { memory: '1GB!' } } }),
    want: [`${CONTAINER}.resources.limits.memory: Invalid value: "1GB!"`],
  },
];

test.each(refused)('refuses $name and names the field', async ({ spec, want }) => {
  const { code, stderr } = await run(['create', '-n', await newNamespace(), '-f', '-'], cronJob('refused', spec));
  expect(code).toBe(1);
  for (const part of want) expect(stderr.replaceAll('\\"', '"')).toContain(part);
});

test('takes the longest name and refuses a longer one, saying what to do', async () => {
  const namespace = await newNamespace();
  await create(namespace, cronJob('n'.repeat(MAX_NAME_LENGTH)));
  const { code, stderr } = await run(['create', '-n', namespace, '-f', '-'], cronJob('n'.repeat(MAX_NAME_LENGTH + 1)));
  expect(code).toBe(1);
  expect(stderr).toContain(`metadata.name: Invalid value: must be no more than ${MAX_NAME_LENGTH} characters`);
  expect(stderr).toContain('choose a shorter name');
});

const condition = {
  type: 'Available',
  status: 'True',
  reason: 'JobsActive',
  message: '',
  lastTransitionTime: '2026-11-21T10:00:00Z',
} as const;

test('keeps a status with more active Jobs than the tutorial can hold, and no other change of a status write', async () => {
  const namespace = await newNamespace();
  const { spec, metadata } = await create(namespace, cronJob('busy'));
  const status: CronJobStatus = {
    active: Array.from({ length: 25 }, (_, i) => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      namespace,
      name: `busy-${i}`,
    })),
    activeCount: 25,
    lastScheduleTime: '2026-11-21T10:00:00Z',
    lastSuccessfulTime: '2026-11-21T09:00:00Z',
    lastFailureTime: '2026-11-21T08:00:00Z',
    nextScheduleTime: '2026-11-21T11:00:00Z',
    lastRun: { jobName: 'busy-24', scheduledTime: '2026-11-21T10:00:00Z', result: 'Running' },
    effectiveSchedule: { schedule: '0 * * * *', timeZone: 'UTC', since: '2026-11-21T07:30:00Z' },
    handledThrough: '2026-11-21T10:00:00Z',
    lastManualRun: 'once',
    observedGeneration: 1,
    conditions: [condition],
  };
  const patch = JSON.stringify({ spec: { suspend: true }, status });
  const args = ['patch', 'tcj', 'busy', '-n', namespace, '--type=merge', '--subresource=status', '-p', patch];
  const stored = JSON.parse(await kubectl([...args, '-o', 'json'])) as Stored;
  expect(stored.status).toEqual(status);
  expect(stored.spec).toEqual(spec);
  expect(stored.metadata.generation).toBe(metadata.generation);
});

test.each([
  { name: 'two conditions of one type', status: { conditions: [condition, condition] }, want: 'status.conditions[1]' },
  {
    name: 'a reason that is a sentence',
    status: { conditions: [{ ...condition, reason: 'It is so.' }] },
    want: 'status.conditions[0].reason',
  },
  {
    name: 'a result that does not exist',
    status: { lastRun: { jobName: 'x', result: 'Perhaps' as 'Unknown' } },
    want: 'status.lastRun.result',
  },
  {
    name: 'a line about a run that is too long',
    status: { recentRuns: ['x'.repeat(MAX_RECENT_LINE_LENGTH + 1)] },
    want: 'status.recentRuns[0]: Too long',
  },
  { name: 'a time that is none', status: { lastScheduleTime: 'noon' }, want: 'status.lastScheduleTime' },
])('refuses in the status $name', async ({ status, want }) => {
  const namespace = await newNamespace();
  await create(namespace, cronJob('status'));
  const { code, stderr } = await patchStatus(namespace, 'status', status);
  expect(code).toBe(1);
  expect(stderr).toContain(want);
});
