import { stripNulls } from 'controller-runtime/internal';
import fc from 'fast-check';
import { test } from 'vitest';
import { cronJobStatusSchema } from '../../../api/v1/cronjob-status.ts';
import { type CronJob, cronJobSpecSchema } from '../../../api/v1/cronjob-types.ts';
import { parseCronJob, type StoredCronJob } from '../../../api/v1/stored-cronjob.ts';
import { cronJob as validCronJob } from '../../../test/support/cron-jobs.ts';
import { computeState } from '../../plugin/report/cron-job-state.ts';
import { explainCronJob } from '../../plugin/report/why.ts';
import { toCachedCronJob, toPageCronJob } from '../../plugin/ui-server/page-cron-job.ts';
import { buildRows, filterRows } from './cron-job-rows.ts';
import { StartCounter } from './start-counts.ts';
import { computeMarks } from './timeline-marks.ts';
import { computeRange, DEFAULT_VIEW } from './view.ts';

const NOW = new Date('2026-11-23T10:00:00Z');
const arbitraryValue = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(null, 0, '', 'x', [null], [{}], {}, '2026-99-99T00:00:00Z'),
);
const withArbitraryValues = (fields: object) => fc.dictionary(fc.constantFrom(...Object.keys(fields)), arbitraryValue);
const { jobTemplate: _, ...specFields } = cronJobSpecSchema.shape;
const specs = withArbitraryValues(specFields);
const statuses = fc.oneof(withArbitraryValues(cronJobStatusSchema.shape), arbitraryValue);

test('computes the whole page for any stored object', () => {
  fc.assert(
    fc.property(specs, statuses, arbitraryValue, (spec, status, labels) => {
      const { metadata, ...rest } = validCronJob();
      const stored = { ...rest, metadata: { ...metadata, labels }, spec: { ...rest.spec, ...spec }, status };
      const cronJob = toPageCronJob(toCachedCronJob(parseCronJob(stripNulls(stored) as CronJob))) as StoredCronJob;
      computeState(cronJob, NOW);
      explainCronJob(cronJob, NOW);
      const range = computeRange(DEFAULT_VIEW.rangeChoice, NOW.getTime());
      computeMarks(cronJob, range, NOW);
      filterRows(
        buildRows([cronJob], NOW),
        { ...DEFAULT_VIEW, searchText: 'x', labelSelector: 'a=b', shouldHideEmpty: true },
        NOW,
      );
      const counter = new StartCounter();
      counter.range = range;
      counter.addSchedule(cronJob);
      counter.count([cronJob], NOW);
    }),
    { numRuns: 2000 },
  );
});
