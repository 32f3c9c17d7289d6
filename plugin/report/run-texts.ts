/** The last run of a CronJob and the next one, as a list shows them. */
import { parseTime } from '../../api/time.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { shownDuration } from '../terminal/times.ts';
import { runsOf } from './run-named.ts';

/** Such as `Failed 5m ago (manual)`. `undefined` when there was none. */
export function lastRunText(cronJob: CronJob, now: Date): string | undefined {
  const last = cronJob.status?.lastRun;
  if (last === undefined) return undefined;
  const at = parseTime(last.completionTime ?? last.startTime ?? last.scheduledTime);
  const trigger =
    runsOf(cronJob).find(({ jobName }) => jobName === last.jobName)?.trigger ??
    (last.scheduledTime === undefined ? 'Manual' : 'Schedule');
  const ago = at && `${shownDuration(now.getTime() - at.getTime())} ago`;
  const mark = trigger === 'Schedule' ? undefined : `(${trigger.toLowerCase()})`;
  return [last.result, ago, mark].filter((text) => text !== undefined).join(' ');
}

/** Such as `in 5m`, or `now` for a time that has come. `undefined` when none is scheduled. */
export function nextRunText({ status }: Pick<CronJob, 'status'>, now: Date): string | undefined {
  const next = parseTime(status?.nextScheduleTime);
  if (next === undefined) return undefined;
  const ms = next.getTime() - now.getTime();
  return ms > 0 ? `in ${shownDuration(ms)}` : 'now';
}
