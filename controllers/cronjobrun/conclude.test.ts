/** The status of a CronJobRun after a reconcile, its events, and the next reconcile. */
import { getCondition } from 'controller-runtime/kubernetes';
import { describe, expect, test } from 'vitest';
import type { CronJobRunStatus } from '../../api/v1/cronjobrun-types.ts';
import { assessWorld, backfill, cronJobRun, MORNING, NOON, runToEnd } from '../../test/support/cron-job-runs.ts';
import { at, cronJob } from '../../test/support/cron-jobs.ts';
import { concludeRun, type StartAttempt } from './conclude.ts';
import { findNextStart } from './decide.ts';
import { createRunEvents } from './events.ts';
import type { RunFacts } from './facts.ts';

const stateOf = (status: CronJobRunStatus) => getCondition(status.conditions, 'Complete')?.reason;

describe('the results', () => {
  test('are counted once each, and a failed run makes the CronJobRun fail at its end', () => {
    const { slots, status } = runToEnd(cronJobRun(MORNING), cronJob(), ['Complete', 'Failed', 'Complete']);
    expect(slots).toHaveLength(3);
    expect(status).toMatchObject({ total: 3, succeeded: 2, failed: 1, skipped: 0, active: 0 });
    expect(getCondition(status.conditions, 'Failed')).toMatchObject({
      status: 'True',
      reason: 'RunsFailed',
      message: '2 of 3 succeeded, 1 failed, 0 could not start',
    });
  });

  test('do not change after the end', () => {
    const { status } = runToEnd(cronJobRun(MORNING), cronJob());
    const facts = assessWorld({ run: cronJobRun(MORNING, { status }), now: new Date(at('15:00:00')) });
    expect(findNextStart(facts)).toBeUndefined();
    expect(concludeRun(facts, { kind: 'NotTried' }).status).toBe(status);
  });

  test('the list has the newest 50 Jobs, and the counts have all', () => {
    const run = cronJobRun(backfill('2025-12-29T00:00:00Z', at('00:00:00'), { limit: 100 }));
    const { slots, status } = runToEnd(run, cronJob());
    expect(slots).toHaveLength(72);
    expect(status.jobs).toHaveLength(50);
    expect(status).toMatchObject({ total: 72, succeeded: 72 });
  });

  test('the finished CronJobRun is deleted after ttlSecondsAfterFinished', () => {
    const { status } = runToEnd(cronJobRun(MORNING), cronJob());
    const facts = assessWorld({ run: cronJobRun({ ...MORNING, ttlSecondsAfterFinished: 60 }, { status }) });
    expect(concludeRun(facts, { kind: 'NotTried' }).wakeAt).toEqual(new Date(NOON.getTime() + 60_000));
  });
});

describe('a run that the API server refuses', () => {
  const refused = (facts: RunFacts): StartAttempt => {
    const start = findNextStart(facts);
    if (start === undefined) return { kind: 'NotTried' };
    const failure = { kind: 'Refused', jobName: start.jobName, message: 'exceeded quota' } as const;
    return { kind: 'Tried', start, result: { kind: 'Failed', failure } };
  };

  test('is tried again, and the status says why it has not started', () => {
    const facts = assessWorld({ run: cronJobRun(MORNING) });
    const attempt = refused(facts);
    const { status, mustRetry } = concludeRun(facts, attempt);
    expect(mustRetry).toBe(true);
    expect(stateOf(status)).toBe('FailedCreate');
    expect(status).toMatchObject({ total: 3, skipped: 0, failedStart: { reason: 'Refused', since: at('12:00:00') } });
    expect(createRunEvents({}, status)).toMatchObject([{ reason: 'FailedCreate' }]);
    expect(createRunEvents(status, status)).toEqual([]);
  });

  test('keeps its reason while it waits, and after an attempt without a response', () => {
    const first = assessWorld({ run: cronJobRun(MORNING) });
    const { status } = concludeRun(first, refused(first));
    const facts = assessWorld({ run: cronJobRun(MORNING, { status }) });
    const [start] = facts.remaining;
    const failure = { kind: 'Transient', jobName: start?.jobName ?? '', message: 'timeout', mayExist: true } as const;
    const attempts: readonly StartAttempt[] = [
      { kind: 'Waiting' },
      ...(start ? [{ kind: 'Tried', start, result: { kind: 'Failed', failure } } as const] : []),
    ];
    expect(attempts).toHaveLength(2);
    for (const attempt of attempts) expect(concludeRun(facts, attempt).status.failedStart).toEqual(status.failedStart);
  });

  test('is not tried again in a namespace that is being deleted', () => {
    const facts = assessWorld({ run: cronJobRun(MORNING) });
    const [start = expect.fail('no run')] = facts.remaining;
    const failure = { kind: 'NamespaceTerminating', jobName: start.jobName, message: 'being terminated' } as const;
    const outcome = concludeRun(facts, { kind: 'Tried', start, result: { kind: 'Failed', failure } });
    expect(outcome).toMatchObject({ mustRetry: false, continues: false });
    expect(outcome.status.failedStart).toBeUndefined();
  });

  test('a refused run is skipped after an hour', () => {
    const facts = assessWorld({ run: cronJobRun(MORNING) });
    const { status } = concludeRun(facts, refused(facts));
    const later = assessWorld({ run: cronJobRun(MORNING, { status }), now: new Date(at('13:00:00')) });
    const outcome = concludeRun(later, refused(later));
    expect(outcome.status).toMatchObject({ skipped: 1, lastScheduledTime: at('06:00:00') });
    expect(outcome.status.failedStart).toBeUndefined();
    expect(outcome.continues).toBe(true);
  });
});

describe('the reason in Complete', () => {
  test('is Waiting while the CronJob makes a run wait, and the next reconcile comes within a minute', () => {
    const { status, wakeAt } = concludeRun(assessWorld({ run: cronJobRun(MORNING) }), { kind: 'Waiting' });
    expect(stateOf(status)).toBe('Waiting');
    expect(wakeAt).toEqual(new Date(NOON.getTime() + 60_000));
  });

  test('is Suspended while suspend is true and runs remain', () => {
    const facts = assessWorld({ run: cronJobRun({ ...MORNING, suspend: true }) });
    const { conditions } = concludeRun(facts, { kind: 'NotTried' }).status;
    expect(getCondition(conditions, 'Complete')).toMatchObject({
      reason: 'Suspended',
      message: 'spec.suspend is true; 3 have not started',
    });
  });
});
