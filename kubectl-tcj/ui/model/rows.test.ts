import { expect, test } from 'vitest';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { cronJob } from '../../../test/support/cron-jobs.ts';
import { filtered, keyOf, rowsOf } from './rows.ts';
import { DEFAULT_VIEW, type View } from './view.ts';

const NOW = new Date('2026-01-01T10:07:30Z');
const GOOD = { conditions: [] };
const FAILED = {
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

function named(key: string, ...[spec, status, metadata]: Parameters<typeof cronJob>): CronJob {
  const [namespace = '', name = ''] = key.split('/');
  return cronJob(spec, status ?? (GOOD as never), { namespace, name, uid: key, ...metadata });
}

const ALL = [
  named('shop/index', { schedule: '5 * * * *' }, undefined, { labels: { team: 'shop' } }),
  named('data/report', { schedule: '0 3 1 2 *', timeZone: 'Europe/Berlin' }, undefined, { labels: { team: 'data' } }),
  named('data/export', { schedule: '0 * * * *' }, FAILED as never, { labels: { team: 'data' } }),
  named('ops/new', { schedule: '0 3 1 2 *', suspend: true }),
];

const namesOf = (view: Partial<View>) =>
  filtered(rowsOf(ALL, NOW), { ...DEFAULT_VIEW, ...view }, NOW).rows.map((row) => keyOf(row.cronJob));

test.each<{ readonly name: string; readonly view: Partial<View>; readonly want: readonly string[] }>([
  { name: 'the worst first, then by name', view: {}, want: ['data/export', 'ops/new', 'data/report', 'shop/index'] },
  { name: 'a word of the name', view: { text: 'EXP' }, want: ['data/export'] },
  { name: 'a word of the namespace and one of the zone', view: { text: 'data berlin' }, want: ['data/report'] },
  { name: 'a part of the schedule', view: { text: '5 *' }, want: ['shop/index'] },
  { name: 'a namespace, not its beginning', view: { namespace: 'dat' }, want: [] },
  { name: 'a label', view: { labels: 'team=shop' }, want: ['shop/index'] },
  { name: 'what is no selector hides nothing', view: { labels: '==', text: 'report' }, want: ['data/report'] },
  { name: 'standings', view: { standings: ['Failed', 'Suspended'] }, want: ['data/export', 'ops/new'] },
  {
    name: 'what has something in the time that is shown',
    view: { isBusyOnly: true },
    want: ['data/export', 'shop/index'],
  },
])('lists $name', ({ view, want }) => {
  expect(namesOf(view)).toEqual(want);
});

test('counts how those stand that fit but for how they stand', () => {
  const { counts } = filtered(rowsOf(ALL, NOW), { ...DEFAULT_VIEW, standings: ['OK'], namespace: 'data' }, NOW);
  expect([...counts]).toEqual([
    ['Failed', 1],
    ['OK', 1],
  ]);
});
