import { expect, test } from 'vitest';
import { cronJob } from '../../test/support/cron-jobs.ts';
import { runNowJob, slotJob } from './job.ts';

const SLOT = new Date('2026-01-01T01:00:00Z');

test('no Job has a selector of its template, which is older than the rule against it: it would count the Pods of others', () => {
  const { spec } = cronJob().spec.jobTemplate;
  const selector = { matchLabels: { app: 'a' } };
  const withSelector = cronJob({ jobTemplate: { spec: { ...spec!, selector, manualSelector: true } } });
  expect(slotJob(withSelector, SLOT)).toEqual(slotJob(cronJob(), SLOT));
  expect(runNowJob(withSelector, 'now')).toEqual(runNowJob(cronJob(), 'now'));
});
