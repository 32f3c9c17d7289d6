import { expect, test } from 'vitest';
import { assessWorld, cronJobRun, MORNING, runToEnd } from '../../test/support/cron-job-runs.ts';
import { at, buildJob, cronJob } from '../../test/support/cron-jobs.ts';
import { concludeRun } from './conclude.ts';
import { runEvents } from './events.ts';

const NOT_TRIED = { kind: 'NotTried' } as const;

test('a created Job is reported, and a Job that exists already is not', () => {
  const facts = assessWorld({ run: cronJobRun(MORNING) });
  const [start = expect.fail('no run')] = facts.remaining;
  const eventsAfter = (kind: 'Created' | 'Adopted') => {
    const attempt = { kind: 'Tried', start, result: { kind, job: buildJob(at('11:00:00')) } } as const;
    return runEvents({}, concludeRun(facts, attempt).status, attempt);
  };
  expect(eventsAfter('Created')).toEqual([
    { type: 'Normal', reason: 'SuccessfulCreate', message: `Created job ${start.jobName}` },
  ]);
  expect(eventsAfter('Adopted')).toEqual([]);
});

test.each([
  ['Complete', { type: 'Normal', reason: 'Succeeded', message: '1 of 1 succeeded, 0 failed, 0 could not start' }],
  ['Failed', { type: 'Warning', reason: 'RunsFailed', message: '0 of 1 succeeded, 1 failed, 0 could not start' }],
] as const)('the end is reported once: %s', (result, event) => {
  const { status } = runToEnd(cronJobRun({ manual: {} }), cronJob(), [result]);
  expect(runEvents({}, status, NOT_TRIED)).toEqual([event]);
  expect(runEvents(status, status, NOT_TRIED)).toEqual([]);
});
