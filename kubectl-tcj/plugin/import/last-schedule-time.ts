/** Computes the last scheduled time to report to Kubernetes before it continues the source: docs/adr/0034-from-batch-v1.md. */
import type { Job } from 'controller-runtime/kubernetes';
import { formatTime, isAfter, latest, parseTime } from '../../../api/time.ts';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { SCHEDULED_AT_ANNOTATION, TAKES_OVER_FROM_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { parseSchedule } from '../../../api/v1/schedule.ts';
import type { ImportContext } from './context.ts';
import { convert } from './convert.ts';
import { filterOwnedJobs, jobs, type SourceCronJob } from './source.ts';

/**
 * The newest scheduled time that the source must not start again, RFC 3339; `undefined` when Kubernetes would not start such a time
 * by itself.
 */
export async function findLastScheduleTime(
  cronJob: CronJob,
  source: SourceCronJob,
  { client, signal }: ImportContext,
): Promise<string | undefined> {
  const { namespace } = cronJob.metadata;
  return computeLastScheduleTime(
    cronJob,
    source,
    filterOwnedJobs(cronJob, await client.list(jobs, { namespace, signal })),
  );
}

/** Uses the Jobs of our CronJob and its status, which may not include the last Job yet. */
export function computeLastScheduleTime(
  { metadata, status = {} }: CronJob,
  source: SourceCronJob,
  own: readonly Job[],
): string | undefined {
  const takenOver = metadata.annotations?.[TAKES_OVER_FROM_ANNOTATION];
  const handled = latest(
    ...[takenOver, status.lastScheduleTime, status.handledThrough].map(parseTime),
    ...own.map((job) => parseTime(job.metadata.annotations?.[SCHEDULED_AT_ANNOTATION])),
  );
  const last = handled && findScheduledTime(source, handled);
  const recorded = latest(parseTime(source.metadata.creationTimestamp), parseTime(source.status?.lastScheduleTime));
  return last && (recorded === undefined || isAfter(last, recorded)) ? formatTime(last) : undefined;
}

/** The newest scheduled time of the source at or before `time`. An interval counts from any time. */
function findScheduledTime(source: SourceCronJob, time: Date): Date | undefined {
  const { schedule: text, timeZone = DEFAULT_TIME_ZONE } = convert(source, false).converted.spec;
  const parsed = parseSchedule(text, { timeZone, anchor: time });
  return parsed.kind === 'ok' && parsed.schedule.kind === 'cron' ? parsed.schedule.previous(time) : time;
}
