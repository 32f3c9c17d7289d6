/** Formats the last run and the next run of a CronJob for lists. */
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { parseRecentRun, type RunTrigger } from '../../../api/v1/recent-lines.ts';
import { formatDuration } from '../terminal/format-time.ts';

/** Returns a text such as `Failed 5m ago (manual)` or `Running for 5m`. Returns `undefined` before the first run. */
export function formatLastRun(cronJob: CronJob, now: Date): string | undefined {
  const lastRun = cronJob.status?.lastRun;
  if (lastRun === undefined) return undefined;
  const time = parseTime(lastRun.completionTime ?? lastRun.startTime ?? lastRun.scheduledTime);
  const trigger =
    findTrigger(cronJob, lastRun.jobName) ?? (lastRun.scheduledTime === undefined ? 'Manual' : 'Schedule');
  const duration = time && formatDuration(now.getTime() - time.getTime());
  const age = duration && (lastRun.result === 'Running' ? `for ${duration}` : `${duration} ago`);
  const triggerNote = trigger === 'Schedule' ? undefined : `(${trigger.toLowerCase()})`;
  return [lastRun.result, age, triggerNote].filter((text) => text !== undefined).join(' ');
}

/** Parses only one line of `status.recentRuns`, because a page shows thousands of CronJobs. */
function findTrigger({ status }: CronJob, jobName: string): RunTrigger | undefined {
  const line = status?.recentRuns?.find((each) => each.includes(` ${jobName} `));
  const run = line === undefined ? undefined : parseRecentRun(line);
  return run?.jobName === jobName ? run.trigger : undefined;
}

/** Returns a text such as `in 5m`, or `now` for a past time. Returns `undefined` if no run is scheduled. */
export function formatNextRun({ status }: Pick<CronJob, 'status'>, now: Date): string | undefined {
  const nextScheduleTime = parseTime(status?.nextScheduleTime);
  if (nextScheduleTime === undefined) return undefined;
  const ms = nextScheduleTime.getTime() - now.getTime();
  return ms > 0 ? `in ${formatDuration(ms)}` : 'now';
}
