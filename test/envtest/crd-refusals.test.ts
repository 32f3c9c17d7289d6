/** Values of the spec, the name and the status that the CRD refuses, and the fields that a status write changes. */
import { expect, test } from 'vitest';
import { MAX_NAME_LENGTH, MAX_RECENT_LINE_LENGTH } from '../../api/v1/cronjob-defaults.ts';
import type { CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { type CrdCronJob, create, createTestNamespace, cronJob, kubectl, patchStatus, run } from './support/crd.ts';

const withContainer = (container: unknown) => ({
  jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
});

const DAY = '2026-12-24T00:00:00Z';
const NEXT_DAY = '2026-12-25T00:00:00Z';
const ONE_FORM = /spec\.exclude\[0\]: Invalid value: .*give exactly one of: startTime and endTime, dates, schedule/;

/** One case for each kind of rule in the schema; test/repository/cronjob-crd.test.ts has the bounds of all fields. */
const refusedCases: readonly (readonly [what: string, spec: Readonly<Record<string, unknown>>, want: RegExp])[] = [
  [
    'an enum',
    { concurrencyPolicy: 'Often' },
    /spec\.concurrencyPolicy: Unsupported value: "Often".*"Forbid", "Replace"/,
  ],
  ['a minimum', { successfulJobsHistoryLimit: -1 }, /History.*: Invalid value: -1: .* greater than or equal to 0/],
  ['a maximum', { recentRunsLimit: 51 }, /spec\.recentRunsLimit: Invalid value: 51: .* less than or equal to 50/],
  ['a limit beyond 32 bits', { failedJobsHistoryLimit: 2 ** 31 }, /int32 in spec\.failedJobsHistoryLimit/],
  ['a minimal length', { schedule: '' }, /spec\.schedule: Invalid value: ""/],
  ['a maximal length', { schedule: '*'.repeat(1025) }, /spec\.schedule: Too long/],
  ['a required field', { schedule: undefined }, /spec\.schedule: Required value/],
  ['an empty window', { startTime: DAY, endTime: DAY }, /spec: Invalid value: .*endTime must be after startTime/],
  ['a window that ends first', { startTime: NEXT_DAY, endTime: DAY }, /spec: .*endTime must be after startTime/],
  [
    'an exclusion that ends first',
    { exclude: [{ startTime: NEXT_DAY, endTime: DAY }] },
    /spec\.exclude\[0\]: Invalid value: .*endTime must be after startTime/,
  ],
  ['an exclusion of nothing', { exclude: [{ reason: 'holidays' }] }, ONE_FORM],
  ['an exclusion without an end', { exclude: [{ startTime: DAY }] }, ONE_FORM],
  ['an exclusion in two forms', { exclude: [{ dates: ['2026-12-24'], schedule: '* 2 * * *' }] }, ONE_FORM],
  ['an exclusion of a date and half a span', { exclude: [{ dates: ['2026-12-24'], endTime: DAY }] }, ONE_FORM],
  ['a limit for Queue and maxConcurrentRuns', { queueLimit: 0 }, /spec\.queueLimit: Invalid value: 0: /],
  ['a larger queue', { queueLimit: 1001 }, /spec\.queueLimit: Invalid value: 1001: .* less than or equal to 1000/],
  ['more late runs', { catchUpLimit: 1001 }, /spec\.catchUpLimit: Invalid value: 1001: .* less than or equal to 1000/],
  [
    'more active runs',
    { maxConcurrentRuns: 1001 },
    /spec\.maxConcurrentRuns: Invalid value: 1001: .* or equal to 1000/,
  ],
  ['a longer jitter', { jitterSeconds: 86_401 }, /spec\.jitterSeconds: Invalid value: 86401: .* or equal to 86400/],
  ['an eleventh schedule', { schedules: Array(11).fill('@daily') }, /spec\.schedules: Too many: 11: .* at most 10/],
  [
    'a 51st exclusion',
    { exclude: Array(51).fill({ schedule: '* 2 * * *' }) },
    /spec\.exclude: Too many: 51: .* most 50/,
  ],
  ['a time', { suspendUntil: 'tomorrow' }, /spec\.suspendUntil: Invalid value: "tomorrow".*date-time/],
  ['a container without a name', withContainer({ image: 'i' }), /containers\[0\]\.name: Required value/],
  ['a misspelt field', withContainer({ name: 'c', comand: ['x'] }), /unknown field "spec\..*containers\[0\]\.comand"/],
  ['a quantity', withContainer({ name: 'c', resources: { limits: { cpu: '1GB!' } } }), /cpu: Invalid value: "1GB!"/],
];

test.each(refusedCases)('refuses an invalid value for %s, and names the field', async (_, spec, want) => {
  const { code, stderr } = await run(
    ['create', '-n', await createTestNamespace(), '-f', '-'],
    cronJob('refused', spec),
  );
  expect(code).toBe(1);
  expect(stderr.replaceAll('\\"', '"')).toMatch(want);
});

test('takes the longest name, and refuses a longer one with advice', async () => {
  const namespace = await createTestNamespace();
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

test('stores a status with more active Jobs than the tutorial can hold, and ignores other changes of a status write', async () => {
  const namespace = await createTestNamespace();
  const { spec, metadata } = await create(namespace, cronJob('busy'));
  const job = (index: number) => ({ apiVersion: 'batch/v1', kind: 'Job', namespace, name: `busy-${index}` });
  const status: CronJobStatus = {
    active: Array.from({ length: 25 }, (_, index) => job(index)),
    activeCount: 25,
    lastScheduleTime: '2026-11-21T10:00:00Z',
    lastRun: { jobName: 'busy-24', scheduledTime: '2026-11-21T10:00:00Z', result: 'Running' },
    effectiveSchedule: { schedule: '0 * * * *', timeZone: 'UTC', since: '2026-11-21T07:30:00Z' },
    observedGeneration: 1,
    conditions: [condition],
  };
  const patch = JSON.stringify({ spec: { suspend: true }, status });
  const args = ['patch', 'tcj', 'busy', '-n', namespace, '--type=merge', '--subresource=status', '-p', patch];
  const stored = JSON.parse(await kubectl([...args, '-o', 'json'])) as CrdCronJob;
  expect(stored.status).toEqual(status);
  expect(stored.spec).toEqual(spec);
  expect(stored.metadata.generation).toBe(metadata.generation);
});

test.each<readonly [what: string, status: Partial<CronJobStatus>, field: string]>([
  ['two conditions of one type', { conditions: [condition, condition] }, 'conditions[1]'],
  ['a reason with spaces', { conditions: [{ ...condition, reason: 'It is so.' }] }, 'conditions[0].reason'],
  ['another result', { lastRun: { jobName: 'x', result: 'Perhaps' as 'Unknown' } }, 'lastRun.result'],
  ['a long line', { recentRuns: ['x'.repeat(MAX_RECENT_LINE_LENGTH + 1)] }, 'recentRuns[0]: Too long'],
  ['an invalid time', { lastScheduleTime: 'noon' }, 'lastScheduleTime'],
])('refuses in the status %s', async (_, status, field) => {
  const namespace = await createTestNamespace();
  await create(namespace, cronJob('status'));
  const { code, stderr } = await patchStatus(namespace, 'status', status);
  expect(code).toBe(1);
  expect(stderr).toContain(`status.${field}`);
});
