import { withoutNulls } from 'controller-runtime';
import fc from 'fast-check';
import { test } from 'vitest';
import { CronJob } from '../../../api/v1/cronjob-types.ts';
import { parseCronJob, type StoredCronJob } from '../../../api/v1/stored-cronjob.ts';
import { standingOf } from '../../plugin/report/standing.ts';
import { why } from '../../plugin/report/why.ts';
import { heldCronJob, shown } from '../../plugin/ui-server/page-cron-job.ts';
import { marksOf } from './marks.ts';
import { filtered, rowsOf } from './rows.ts';
import { StartCounter } from './starts.ts';
import { DEFAULT_VIEW, rangeOf } from './view.ts';

const NOW = new Date('2026-11-23T10:00:00Z');

const FINE = {
  apiVersion: `${CronJob.group}/${CronJob.version}`,
  kind: CronJob.kind,
  metadata: {
    namespace: 'data',
    name: 'backup',
    uid: 'uid',
    generation: 1,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { a: 'b' },
  },
  spec: {
    schedule: '0 * * * *',
    suspend: false,
    concurrencyPolicy: 'Forbid',
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
    jobTemplate: {},
  },
  status: { recentRuns: ['2026-11-23T09:00:00Z Succeeded backup-1 Schedule took=5s'], conditions: [] },
} as const;

const names = [
  'schedule',
  'timeZone',
  'suspend',
  'suspendUntil',
  'concurrencyPolicy',
  'recentRunsLimit',
  'startingDeadlineSeconds',
];
const statusNames = [
  'conditions',
  'active',
  'activeCount',
  'recentRuns',
  'recentSkips',
  'lastRun',
  'paused',
  'effectiveSchedule',
  'failedStart',
  'lastManualRun',
  'lastResume',
  'nextScheduleTime',
  'lastScheduleTime',
  'handledThrough',
  'consecutiveFailures',
];
const strange = fc.oneof(fc.jsonValue(), fc.constantFrom(null, 0, '', 'x', [null], [{}], {}, '2026-99-99T00:00:00Z'));
const withStrange = (keys: readonly string[]) => fc.dictionary(fc.constantFrom(...keys), strange);

test('whatever is stored, everything is drawn', () => {
  fc.assert(
    fc.property(withStrange(names), fc.oneof(withStrange(statusNames), strange), strange, (spec, status, labels) => {
      const stored = { ...FINE, metadata: { ...FINE.metadata, labels }, spec: { ...FINE.spec, ...spec }, status };
      const cronJob = shown(heldCronJob(parseCronJob(withoutNulls(stored) as CronJob))) as StoredCronJob;
      standingOf(cronJob, NOW);
      why(cronJob, NOW);
      const range = rangeOf(DEFAULT_VIEW.span, NOW.getTime());
      marksOf(cronJob, range, NOW);
      filtered(rowsOf([cronJob], NOW), { ...DEFAULT_VIEW, text: 'x', labels: 'a=b', isBusyOnly: true }, NOW);
      const counter = new StartCounter();
      counter.range = range;
      counter.learn(cronJob);
      counter.of([cronJob], NOW);
    }),
    { numRuns: 2000 },
  );
});
