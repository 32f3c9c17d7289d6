import { describe, expect, test } from 'vitest';
import { SCHEDULED_TIMESTAMP_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { Ledger, type SeenJob } from './ledger.ts';

const DUE = new Date('2026-01-01T12:00:00Z');

function jobOf(owner: string, uid = `job of ${owner}`, scheduledTime = '2026-01-01T13:00:00+01:00'): SeenJob {
  const annotations = { [SCHEDULED_TIMESTAMP_ANNOTATION]: scheduledTime };
  return { uid, annotations, ownerReferences: [{ uid: owner }] };
}

/** Time this many milliseconds after the scheduled time. */
function later(ms: number): number {
  return DUE.getTime() + ms;
}

describe('a scheduled time', () => {
  test('has the first sight of each Job and status, whatever the zone of the annotation', () => {
    const ledger = new Ledger();
    expect(ledger.job(jobOf('b'), later(2000))).toBe(true);
    expect(ledger.job(jobOf('a'), later(1000))).toBe(true);
    expect(ledger.job(jobOf('a'), later(9000))).toBe(false);
    ledger.status('a', '2026-01-01T12:00:00Z', later(3000));
    ledger.status('a', '2026-01-01T12:00:00Z', later(4000));
    ledger.status('b', undefined, later(4000));
    expect(ledger.tick(DUE, ['a', 'b'])).toEqual({ jobSeconds: [1, 2], statusSeconds: [3], missed: 0, doubled: 0 });
    expect([ledger.jobCount, ledger.statusCount]).toEqual([2, 1]);
  });

  test('misses CronJobs without a Job of their own, of that time', () => {
    const ledger = new Ledger();
    ledger.job(jobOf('a', 'earlier', '2026-01-01T11:59:00Z'), later(1000));
    ledger.job(jobOf('stranger'), later(1000));
    expect(ledger.tick(DUE, ['a', 'b'])).toMatchObject({ jobSeconds: [], missed: 2, doubled: 0 });
  });

  test('is doubled by a second Job', () => {
    const ledger = new Ledger();
    ledger.job(jobOf('a', 'one'), later(1000));
    ledger.job(jobOf('a', 'two'), later(2000));
    expect(ledger.tick(DUE, ['a'])).toMatchObject({ jobSeconds: [1], missed: 0, doubled: 1 });
  });
});
