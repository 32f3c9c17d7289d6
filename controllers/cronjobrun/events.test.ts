import { expect, test } from 'vitest';
import { cronJobRun, runToEnd } from '../../test/support/cron-job-runs.ts';
import { cronJob } from '../../test/support/cron-jobs.ts';
import { createRunEvents } from './events.ts';

test.each([
  ['Complete', { type: 'Normal', reason: 'Succeeded', message: '1 of 1 succeeded, 0 failed, 0 could not start' }],
  ['Failed', { type: 'Warning', reason: 'RunsFailed', message: '0 of 1 succeeded, 1 failed, 0 could not start' }],
] as const)('the end is reported once: %s', (result, event) => {
  const { status } = runToEnd(cronJobRun({ manual: {} }), cronJob(), [result]);
  expect(createRunEvents({}, status)).toEqual([event]);
  expect(createRunEvents(status, status)).toEqual([]);
});
