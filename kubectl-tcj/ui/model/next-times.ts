/** Lists the next scheduled times of a CronJob. */
import { isAfter, parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { parseCronJobSchedule } from '../../plugin/report/cron-job-schedule.ts';
import { findNoStartCause } from '../../plugin/report/no-start-cause.ts';
import { describeNextRun } from '../../plugin/report/sentences.ts';
import { getInactiveUntilMs } from './timeline-marks.ts';

export interface NextTimes {
  readonly times: readonly Date[];
  /** A sentence that says why there are no next times. */
  readonly reason?: string;
}

const MAX_TIMES = 5;

/** Returns `undefined` for an invalid schedule. */
export function listNextTimes(cronJob: CronJob, now: Date): NextTimes | undefined {
  const schedule = parseCronJobSchedule(cronJob);
  if (schedule === undefined) return undefined;
  const inactiveUntilMs = getInactiveUntilMs(cronJob, now);
  const end = parseTime(cronJob.spec.endTime);
  if (end !== undefined && !isAfter(end, now)) return { times: [], reason: describeNextRun(cronJob, now) };
  if (inactiveUntilMs === Number.POSITIVE_INFINITY)
    return { times: [], reason: 'No run starts until you resume the CronJob.' };
  // A run can start exactly at the end of the suspension.
  const from = inactiveUntilMs === undefined ? now : new Date(inactiveUntilMs - 1);
  const cause = findNoStartCause(cronJob, now, from);
  return cause === undefined ? { times: schedule.take(MAX_TIMES, from) } : { times: [], reason: cause.sentence };
}
