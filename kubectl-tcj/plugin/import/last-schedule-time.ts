/** Computes `status.lastScheduleTime` of a source before a revert resumes the source: docs/adr/0034-from-batch-v1.md. */
import type { Job } from 'controller-runtime/kubernetes';
import type { Schedule } from 'kubernetes-cron-schedule';
import { findLatest, formatTime, isAfter, parseTime } from '../../../api/time.ts';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { SCHEDULED_AT_ANNOTATION, TAKES_OVER_FROM_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { parseSchedule } from '../../../api/v1/schedule.ts';
import { hasZeroDeadline } from '../../../api/v1/start-changes.ts';
import { getScheduleStart } from '../../../api/v1/timetable.ts';
import { parseCronJobSchedule } from '../report/cron-job-schedule.ts';
import { convertFromBatch } from './convert-cron-job.ts';
import type { ImportContext } from './import-context.ts';
import { filterOwnedJobs, jobs, type SourceCronJob } from './source-cron-job.ts';

/**
 * Returns the last scheduled time, in RFC 3339, whose run the source must not start, because the imported CronJob has handled or
 * excluded the time. Returns `undefined` if `status.lastScheduleTime` of the source is already later.
 */
export async function findLastScheduleTime(
  cronJob: CronJob,
  source: SourceCronJob,
  { client, clock, signal }: ImportContext,
): Promise<string | undefined> {
  const { namespace } = cronJob.metadata;
  return computeLastScheduleTime(cronJob, source, {
    ownJobs: filterOwnedJobs(cronJob, await client.list(jobs, { namespace, signal })),
    now: clock.now(),
  });
}

interface LastRunInput {
  /** The Jobs of the imported CronJob. The status of the CronJob may not list the newest Job yet. */
  readonly ownJobs: readonly Job[];
  readonly now: Date;
}

export function computeLastScheduleTime(
  cronJob: CronJob,
  source: SourceCronJob,
  { ownJobs, now }: LastRunInput,
): string | undefined {
  const { metadata, status = {} } = cronJob;
  const takeOverTime = metadata.annotations?.[TAKES_OVER_FROM_ANNOTATION];
  const handledTime = findLatest(
    ...[takeOverTime, status.lastScheduleTime, status.handledThrough].map(parseTime),
    ...ownJobs.map((job) => parseTime(job.metadata.annotations?.[SCHEDULED_AT_ANNOTATION])),
  );
  const recordedTime = findLatest(
    parseTime(source.metadata.creationTimestamp),
    parseTime(source.status?.lastScheduleTime),
  );
  const startedThrough = findLatest(handledTime, recordedTime);
  const lastScheduledTime = findLatest(
    handledTime && findPreviousScheduledTime(source, handledTime),
    startedThrough && findUnwantedTime(cronJob, source, { after: startedThrough, now }),
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
  const schedule = parseSourceSchedule(source, time);
  return schedule?.kind === 'cron' ? schedule.previous(time) : time;
}

/** @param anchor The time at which the first interval of `@every` starts. */
function parseSourceSchedule(source: SourceCronJob, anchor: Date): Schedule | undefined {
  const { schedule, timeZone = DEFAULT_TIME_ZONE } = convertFromBatch(source, false).converted.spec;
  const parsed = parseSchedule(schedule, { timeZone, anchor });
  return parsed.kind === 'ok' ? parsed.schedule : undefined;
}

/**
 * Returns the newest scheduled time of the source if the imported CronJob has no run at this time, for example because of `endTime`
 * or `exclude`. Without this time in `status.lastScheduleTime` of the source, Kubernetes would start a run for the time immediately
 * after the revert.
 */
function findUnwantedTime(
  cronJob: CronJob,
  source: SourceCronJob,
  { after, now }: { readonly after: Date; readonly now: Date },
): Date | undefined {
  const schedule = parseSourceSchedule(source, after);
  const time = schedule?.previous(now);
  if (time === undefined || !isAfter(time, after)) return undefined;
  const ownTime = hasZeroDeadline(cronJob.spec) ? undefined : parseCronJobSchedule(cronJob)?.previous(time);
  if (ownTime === undefined || !isAfter(ownTime, getScheduleStart(cronJob) ?? after)) return time;
  // The `@every` intervals of the source and the imported CronJob start at different times.
  const isWanted = schedule?.kind === 'every' ? isAfter(ownTime, after) : ownTime.getTime() === time.getTime();
  return isWanted ? undefined : time;
}
