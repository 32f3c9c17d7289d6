import { describe, expect, test } from 'vitest';
import { SCHEDULED_TIMESTAMP_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { type JobMetadata, RunTimes } from './run-times.ts';

const DUE = new Date('2026-01-01T12:00:00Z');

function createJob(owner: string, uid = `job of ${owner}`, scheduledTime = '2026-01-01T13:00:00+01:00'): JobMetadata {
  const annotations = { [SCHEDULED_TIMESTAMP_ANNOTATION]: scheduledTime };
  return { uid, annotations, ownerReferences: [{ uid: owner }] };
}

/** Time this many milliseconds after the scheduled time. */
function afterDue(ms: number): number {
  return DUE.getTime() + ms;
}

describe('a scheduled time', () => {
  test('has the first event of each Job and status, in any time zone of the annotation', () => {
    const ledger = new RunTimes();
    expect(ledger.recordJob(createJob('b'), afterDue(2000))).toBe(true);
    expect(ledger.recordJob(createJob('a'), afterDue(1000))).toBe(true);
    expect(ledger.recordJob(createJob('a'), afterDue(9000))).toBe(false);
    ledger.recordStatus('a', '2026-01-01T12:00:00Z', afterDue(3000));
    ledger.recordStatus('a', '2026-01-01T12:00:00Z', afterDue(4000));
    ledger.recordStatus('b', undefined, afterDue(4000));
    expect(ledger.computeTick(DUE, ['a', 'b'])).toEqual({
      jobSeconds: [1, 2],
      statusSeconds: [3],
      missed: 0,
      doubled: 0,
    });
    expect([ledger.jobCount, ledger.statusCount]).toEqual([2, 1]);
  });

  test('is missed for CronJobs without a Job of that time', () => {
    const ledger = new RunTimes();
    ledger.recordJob(createJob('a', 'earlier', '2026-01-01T11:59:00Z'), afterDue(1000));
    ledger.recordJob(createJob('stranger'), afterDue(1000));
    expect(ledger.computeTick(DUE, ['a', 'b'])).toMatchObject({ jobSeconds: [], missed: 2, doubled: 0 });
  });

  test('is doubled by a second Job', () => {
    const ledger = new RunTimes();
    ledger.recordJob(createJob('a', 'one'), afterDue(1000));
    ledger.recordJob(createJob('a', 'two'), afterDue(2000));
    expect(ledger.computeTick(DUE, ['a'])).toMatchObject({ jobSeconds: [1], missed: 0, doubled: 1 });
  });
});
