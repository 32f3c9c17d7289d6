import { parseSchedule } from 'kubernetes-cron-schedule';
import { expect, test } from 'vitest';
import { findFreeMinute, formatNotDue, formatOnce } from './minutes.ts';

/** Next time of the schedule, in UTC. */
function nextAfter(schedule: string, time: Date): Date | undefined {
  const parsed = parseSchedule(schedule);
  if (parsed.kind !== 'ok') throw new Error(schedule);
  return parsed.schedule.next(time);
}

test.each([
  { count: 100, now: '2026-01-01T12:00:30Z', want: '2026-01-01T12:01:00.000Z' },
  { count: 1000, now: '2026-01-01T12:00:30Z', want: '2026-01-01T12:02:00.000Z' },
  { count: 10_000, now: '2026-12-31T23:58:00Z', want: '2027-01-01T00:01:00.000Z' },
])(
  '$count CronJobs that are created from $now on are due at $want, and then not for a year',
  ({ count, now, want }) => {
    const due = findFreeMinute(count, 1, new Date(now));
    expect(due.toISOString()).toBe(want);
    expect(nextAfter(formatOnce(due), new Date(now))).toEqual(due);
    const next = nextAfter(formatOnce(due), due);
    expect(next?.getUTCFullYear()).toBe(due.getUTCFullYear() + 1);
  },
);

test.each(['2026-01-31T12:00:00Z', '2026-08-31T23:59:59Z'])(
  '%s is months before the schedule that is not due',
  (now) => {
    const MONTH_MS = 30 * 24 * 3_600_000;
    const next = nextAfter(formatNotDue(new Date(now)), new Date(now))?.getTime() ?? 0;
    expect(next - Date.parse(now)).toBeGreaterThan(4 * MONTH_MS);
  },
);
