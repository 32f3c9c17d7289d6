import { expect, test } from 'vitest';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { cronJob } from '../../../test/support/cron-jobs.ts';
import { buildRows, filterRows, getCronJobKey } from './cron-job-rows.ts';
import { DEFAULT_VIEW, type View } from './view.ts';

const NOW = new Date('2026-01-01T10:07:30Z');
const HEALTHY_STATUS = { conditions: [] };
const FAILED_STATUS = {
  conditions: [
    {
      type: 'Degraded',
      status: 'True',
      reason: 'LastRunFailed',
      message: '',
      lastTransitionTime: '2026-01-01T10:00:00Z',
    },
  ],
} as const;

function createCronJob(key: string, ...[spec, status, metadata]: Parameters<typeof cronJob>): CronJob {
  const [namespace = '', name = ''] = key.split('/');
  return cronJob(spec, status ?? (HEALTHY_STATUS as never), { namespace, name, uid: key, ...metadata });
}

const CRON_JOBS = [
  createCronJob('shop/index', { schedule: '5 * * * *' }, undefined, { labels: { team: 'shop' } }),
  createCronJob('data/report', { schedule: '0 3 1 2 *', timeZone: 'Europe/Berlin' }, undefined, {
    labels: { team: 'data' },
  }),
  createCronJob('data/export', { schedule: '0 * * * *' }, FAILED_STATUS as never, { labels: { team: 'data' } }),
  createCronJob('ops/new', { schedule: '0 3 1 2 *', schedules: ['@weekly'], suspend: true }),
];

const listNames = (view: Partial<View>) =>
  filterRows(buildRows(CRON_JOBS, NOW), { ...DEFAULT_VIEW, ...view }, NOW).rows.map((row) =>
    getCronJobKey(row.cronJob),
  );

test.each<{ readonly name: string; readonly view: Partial<View>; readonly want: readonly string[] }>([
  {
    name: 'the worst state first, then by name',
    view: {},
    want: ['data/export', 'ops/new', 'data/report', 'shop/index'],
  },
  { name: 'by a word of the name', view: { searchText: 'EXP' }, want: ['data/export'] },
  {
    name: 'by a word of the namespace and a word of the zone',
    view: { searchText: 'data berlin' },
    want: ['data/report'],
  },
  { name: 'by a part of the schedule', view: { searchText: '5 *' }, want: ['shop/index'] },
  { name: 'by a part of another schedule', view: { searchText: '@weekly' }, want: ['ops/new'] },
  { name: 'by the exact namespace', view: { namespace: 'dat' }, want: [] },
  { name: 'by a label', view: { labelSelector: 'team=shop' }, want: ['shop/index'] },
  {
    name: 'all CronJobs with an invalid selector',
    view: { labelSelector: '==', searchText: 'report' },
    want: ['data/report'],
  },
  { name: 'by states', view: { states: ['Failed', 'Suspended'] }, want: ['data/export', 'ops/new'] },
  {
    name: 'only CronJobs with runs in the time range',
    view: { shouldHideEmpty: true },
    want: ['data/export', 'shop/index'],
  },
])('lists $name', ({ view, want }) => {
  expect(listNames(view)).toEqual(want);
});

test('counts the states of the CronJobs that match the other filters', () => {
  const { countByState } = filterRows(
    buildRows(CRON_JOBS, NOW),
    { ...DEFAULT_VIEW, states: ['OK'], namespace: 'data' },
    NOW,
  );
  expect([...countByState]).toEqual([
    ['Failed', 1],
    ['OK', 1],
  ]);
});
