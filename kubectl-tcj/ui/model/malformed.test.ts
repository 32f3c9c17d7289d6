import { stripNulls } from 'controller-runtime';
import fc from 'fast-check';
import { test } from 'vitest';
import { cronJobStatusSchema } from '../../../api/v1/cronjob-status.ts';
import { type CronJob, cronJobSpecSchema } from '../../../api/v1/cronjob-types.ts';
import { parseCronJob, type StoredCronJob } from '../../../api/v1/stored-cronjob.ts';
import { cronJob as fine } from '../../../test/support/cron-jobs.ts';
import { standingOf } from '../../plugin/report/standing.ts';
import { why } from '../../plugin/report/why.ts';
import { heldCronJob, shown } from '../../plugin/ui-server/page-cron-job.ts';
import { marksOf } from './marks.ts';
import { filtered, rowsOf } from './rows.ts';
import { StartCounter } from './starts.ts';
import { DEFAULT_VIEW, rangeOf } from './view.ts';

const NOW = new Date('2026-11-23T10:00:00Z');
const strange = fc.oneof(fc.jsonValue(), fc.constantFrom(null, 0, '', 'x', [null], [{}], {}, '2026-99-99T00:00:00Z'));
const withStrange = (fields: object) => fc.dictionary(fc.constantFrom(...Object.keys(fields)), strange);
const specs = withStrange(cronJobSpecSchema.omit({ jobTemplate: true }).shape);
const statuses = fc.oneof(withStrange(cronJobStatusSchema.shape), strange);

test('whatever is stored, everything is drawn', () => {
  fc.assert(
    fc.property(specs, statuses, strange, (spec, status, labels) => {
      const { metadata, ...rest } = fine();
      const stored = { ...rest, metadata: { ...metadata, labels }, spec: { ...rest.spec, ...spec }, status };
      const cronJob = shown(heldCronJob(parseCronJob(stripNulls(stored) as CronJob))) as StoredCronJob;
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
