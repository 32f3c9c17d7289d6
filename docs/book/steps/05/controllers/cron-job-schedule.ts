/** The times of a schedule: pure functions, which tests call without a clock. */
import type { Schedule } from 'kubernetes-cron-schedule';
import type { CronJob } from '../api/v1/cron-job-types.ts';

/** With more missed times, an error is more likely than a long outage, for example a wrong clock. */
const MAX_MISSED = 100;

export type MissedRun =
  | { readonly kind: 'none' }
  | { readonly kind: 'missed'; readonly scheduledTime: Date }
  | { readonly kind: 'too-many' };

/** Returns the newest scheduled time that has passed, after the last run and within the deadline. */
export function findMissedRun(cronJob: CronJob, schedule: Schedule, now: Date): MissedRun {
  const { lastScheduleTime = cronJob.metadata.creationTimestamp } = cronJob.status ?? {};
  const { startingDeadlineSeconds = Number.POSITIVE_INFINITY } = cronJob.spec;
  const earliestMs = Math.max(Date.parse(lastScheduleTime), now.getTime() - startingDeadlineSeconds * 1000);
  if (earliestMs > now.getTime()) return { kind: 'none' };
  const missed = schedule.between(new Date(earliestMs), now, { limit: MAX_MISSED + 1 });
  if (missed.length > MAX_MISSED) return { kind: 'too-many' };
  const scheduledTime = missed.at(-1);
  return scheduledTime === undefined ? { kind: 'none' } : { kind: 'missed', scheduledTime };
}
