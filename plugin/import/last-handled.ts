/** Up to which scheduled time one of ours, which is suspended, has run or given up everything. */
import { formatTime, latest, parseTime } from '../../api/time.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { SCHEDULED_AT_ANNOTATION, TAKES_OVER_FROM_ANNOTATION } from '../../api/v1/groupversion.ts';
import type { Context } from './context.ts';
import { jobs, jobsOf, type SourceCronJob } from './source.ts';

/** RFC 3339. The Jobs count beside the status, which may not have been written for the last one. */
export async function lastHandled(
  cronJob: CronJob,
  source: SourceCronJob,
  { client, signal }: Context,
): Promise<string | undefined> {
  const { namespace, annotations } = cronJob.metadata;
  const own = jobsOf(cronJob, await client.list(jobs, { namespace, signal }));
  const { lastScheduleTime, handledThrough } = cronJob.status ?? {};
  const time = latest(
    ...[
      source.status?.lastScheduleTime,
      annotations?.[TAKES_OVER_FROM_ANNOTATION],
      lastScheduleTime,
      handledThrough,
    ].map(parseTime),
    ...own.map(({ metadata }) => parseTime(metadata.annotations?.[SCHEDULED_AT_ANNOTATION])),
  );
  return time && formatTime(time);
}
