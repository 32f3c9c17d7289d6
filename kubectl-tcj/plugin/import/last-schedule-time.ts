/** Computes `status.lastScheduleTime` of a source before a revert resumes the source: docs/adr/0034-from-batch-v1.md. */
import type { Job } from 'controller-runtime/kubernetes';
import { findLatest, formatTime, isAfter, parseTime } from '../../../api/time.ts';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { SCHEDULED_AT_ANNOTATION, TAKES_OVER_FROM_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { parseSchedule } from '../../../api/v1/schedule.ts';
import { convertFromBatch } from './convert-cron-job.ts';
import type { ImportContext } from './import-context.ts';
import { filterOwnedJobs, jobs, type SourceCronJob } from './source-cron-job.ts';

/**
 * Returns the last scheduled time that the imported CronJob handled, in RFC 3339. Returns `undefined` if `status.lastScheduleTime`
 * of the source is already later.
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

/** @param ownJobs The Jobs of the imported CronJob. Its status may not list the newest Job yet. */
export function computeLastScheduleTime(
  { metadata, status = {} }: CronJob,
  source: SourceCronJob,
  ownJobs: readonly Job[],
): string | undefined {
  const takeOverTime = metadata.annotations?.[TAKES_OVER_FROM_ANNOTATION];
  const handledTime = findLatest(
    ...[takeOverTime, status.lastScheduleTime, status.handledThrough].map(parseTime),
    ...ownJobs.map((job) => parseTime(job.metadata.annotations?.[SCHEDULED_AT_ANNOTATION])),
  );
  const lastScheduledTime = handledTime && findPreviousScheduledTime(source, handledTime);
  const recordedTime = findLatest(
    parseTime(source.metadata.creationTimestamp),
    parseTime(source.status?.lastScheduleTime),
  );
  return lastScheduledTime && (recordedTime === undefined || isAfter(lastScheduledTime, recordedTime))
    ? formatTime(lastScheduledTime)
    : undefined;
}

/**
 * Returns the last scheduled time of the source at or before `time`. If the schedule is an interval such as `@every 1h`, returns
 * `time`.
 */
function findPreviousScheduledTime(source: SourceCronJob, time: Date): Date | undefined {
  const { schedule: text, timeZone = DEFAULT_TIME_ZONE } = convertFromBatch(source, false).converted.spec;
  const parsed = parseSchedule(text, { timeZone, anchor: time });
  return parsed.kind === 'ok' && parsed.schedule.kind === 'cron' ? parsed.schedule.previous(time) : time;
}
