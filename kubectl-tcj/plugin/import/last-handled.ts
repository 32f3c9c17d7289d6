/** Computes the last scheduled time to report to Kubernetes before it continues the source: docs/adr/0034-from-batch-v1.md. */
import type { Job } from 'controller-runtime/kubernetes';
import { formatTime, isAfter, latest, parseTime } from '../../../api/time.ts';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { SCHEDULED_AT_ANNOTATION, TAKES_OVER_FROM_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { parseSchedule } from '../../../api/v1/schedule.ts';
import type { Context } from './context.ts';
import { convert } from './convert.ts';
import { jobs, jobsOf, type SourceCronJob } from './source.ts';

/**
 * The newest scheduled time that the source must not start again, RFC 3339; `undefined` when Kubernetes would not start such a time
 * by itself.
 */
export async function newLastScheduleTime(
  cronJob: CronJob,
  source: SourceCronJob,
  { client, signal }: Context,
): Promise<string | undefined> {
  const { namespace } = cronJob.metadata;
  return lastScheduleTimeFor(cronJob, source, jobsOf(cronJob, await client.list(jobs, { namespace, signal })));
}

/** Uses the Jobs of our CronJob and its status, which may not include the last Job yet. */
export function lastScheduleTimeFor(
  { metadata, status = {} }: CronJob,
  source: SourceCronJob,
  own: readonly Job[],
): string | undefined {
  const takenOver = metadata.annotations?.[TAKES_OVER_FROM_ANNOTATION];
  const handled = latest(
    ...[takenOver, status.lastScheduleTime, status.handledThrough].map(parseTime),
    ...own.map((job) => parseTime(job.metadata.annotations?.[SCHEDULED_AT_ANNOTATION])),
  );
  const last = handled && scheduledBy(source, handled);
  const known = latest(parseTime(source.metadata.creationTimestamp), parseTime(source.status?.lastScheduleTime));
  return last && (known === undefined || isAfter(last, known)) ? formatTime(last) : undefined;
}

/** The newest scheduled time of the source at or before `time`. An interval counts from any time. */
function scheduledBy(source: SourceCronJob, time: Date): Date | undefined {
  const { schedule: text, timeZone = DEFAULT_TIME_ZONE } = convert(source, false).converted.spec;
  const parsed = parseSchedule(text, { timeZone, anchor: time });
  return parsed.kind === 'ok' && parsed.schedule.kind === 'cron' ? parsed.schedule.previous(time) : time;
}
