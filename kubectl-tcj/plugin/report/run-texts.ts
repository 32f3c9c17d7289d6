/** Texts for the last run of a CronJob and its next run, as a list shows them. */
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { parseRecentRun, type RunTrigger } from '../../../api/v1/recent-lines.ts';
import { formatDuration } from '../terminal/times.ts';

/** Such as `Failed 5m ago (manual)`, or `Running for 5m`. `undefined` before the first run. */
export function formatLastRun(cronJob: CronJob, now: Date): string | undefined {
  const last = cronJob.status?.lastRun;
  if (last === undefined) return undefined;
  const at = parseTime(last.completionTime ?? last.startTime ?? last.scheduledTime);
  const trigger = findTrigger(cronJob, last.jobName) ?? (last.scheduledTime === undefined ? 'Manual' : 'Schedule');
  const took = at && formatDuration(now.getTime() - at.getTime());
  const ago = took && (last.result === 'Running' ? `for ${took}` : `${took} ago`);
  const mark = trigger === 'Schedule' ? undefined : `(${trigger.toLowerCase()})`;
  return [last.result, ago, mark].filter((text) => text !== undefined).join(' ');
}

/** Parses only one line of the list, because a page shows thousands of CronJobs. */
function findTrigger({ status }: CronJob, jobName: string): RunTrigger | undefined {
  const line = status?.recentRuns?.find((each) => each.includes(` ${jobName} `));
  const run = line === undefined ? undefined : parseRecentRun(line);
  return run?.jobName === jobName ? run.trigger : undefined;
}

/** Such as `in 5m`, or `now` for a time that has come. `undefined` without a scheduled run. */
export function formatNextRun({ status }: Pick<CronJob, 'status'>, now: Date): string | undefined {
  const next = parseTime(status?.nextScheduleTime);
  if (next === undefined) return undefined;
  const ms = next.getTime() - now.getTime();
  return ms > 0 ? `in ${formatDuration(ms)}` : 'now';
}
