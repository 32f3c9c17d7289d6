/** Builds the CronJobRun that repeats a run. */
import type { SpecInputOf } from 'controller-runtime/schema';
import { formatTime, isAfter, parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../../../api/v1/cronjobrun-types.ts';
import { parseRequestedSlot, parseSlotJobName } from '../../../api/v1/job-names.ts';
import type { RecentRun, RunResult, RunTrigger } from '../../../api/v1/recent-lines.ts';
import { formatLocalTime } from './sentences.ts';
import { buildTimeline, findEntry, listRuns, type Timeline } from './timeline.ts';

/** The spec of a CronJobRun to create. */
export type NewRunSpec = SpecInputOf<typeof CronJobRun>;

/** A retry, or the reason that the run cannot be repeated. */
export type RetryRequest =
  | {
      readonly kind: 'ok';
      readonly spec: NewRunSpec;
      readonly jobName: string;
      /** The scheduled time of the run to repeat. `undefined` for a manual run. */
      readonly slot?: Date;
      /** The name of the CronJobRun that requested the original run. */
      readonly requestedBy?: string | undefined;
      /** The predicate of a sentence about the CronJob. */
      readonly predicate: string;
    }
  | { readonly kind: 'invalid'; readonly message: string };

/** @param jobName The Job of the run. Default: the newest failed run of the schedule. */
export function createRetryRequest(cronJob: CronJob, jobName?: string): RetryRequest {
  const run = jobName === undefined ? findNewestFailedRun(cronJob) : findRun(cronJob, jobName);
  return run === undefined
    ? {
        kind: 'invalid',
        message: jobName === undefined ? describeMissingFailedRun(cronJob) : describeUnknownRun(cronJob, jobName),
      }
    : createRetryRequestForRun(cronJob, run);
}

interface RetryTarget extends Pick<RecentRun, 'jobName' | 'scheduledTime' | 'requestedBy'> {
  readonly trigger: RunTrigger;
  /** `Unlisted`: the status does not list the run. */
  readonly result: RunResult | 'Unlisted';
}

function findNewestFailedRun(cronJob: CronJob): RetryTarget | undefined {
  const listedRun = listRuns(cronJob).find(({ trigger, result }) => trigger === 'Schedule' && result === 'Failed');
  if (listedRun !== undefined) return listedRun;
  const lastRun = findLastRun(cronJob);
  return lastRun?.trigger === 'Schedule' && lastRun.result === 'Failed' ? lastRun : undefined;
}

/** The status has the last run even if `recentRunsLimit` is 0. */
function findLastRun({ status }: CronJob): RetryTarget | undefined {
  if (status?.lastRun === undefined) return undefined;
  const { jobName, result } = status.lastRun;
  const scheduledTime = parseTime(status.lastRun.scheduledTime);
  if (scheduledTime !== undefined) return { jobName, result, scheduledTime, trigger: 'Schedule' };
  return { jobName, result, trigger: parseRequestedSlot(jobName) === undefined ? 'Manual' : 'Backfill' };
}

function findRun(cronJob: CronJob, jobName: string): RetryTarget | undefined {
  const timeline = buildTimeline(cronJob);
  const entry = timeline.entries.find((each) => each.kind === 'Run' && each.run.jobName === jobName);
  if (entry?.kind === 'Run') return entry.run;
  const lastRun = findLastRun(cronJob);
  if (lastRun?.jobName === jobName) return lastRun;
  const scheduledTime = parseSlotJobName(cronJob, jobName);
  if (scheduledTime === undefined || !mayHavePassed(timeline, scheduledTime)) return undefined;
  return { jobName, scheduledTime, trigger: 'Schedule', result: 'Unlisted' };
}

/** Returns whether the slot was skipped, or is older than the entries of the status. */
function mayHavePassed(timeline: Timeline, slot: Date): boolean {
  const { completeSince } = timeline;
  return findEntry(timeline, slot)?.kind === 'Skip' || (completeSince !== undefined && isAfter(completeSince, slot));
}

function createRetryRequestForRun(
  cronJob: CronJob,
  { jobName, trigger, result, scheduledTime, requestedBy }: RetryTarget,
): RetryRequest {
  if (result === 'Running') return { kind: 'invalid', message: `Job ${jobName} is still running; wait until it ends` };
  if (trigger === 'External') {
    const message = `another client created Job ${jobName}, so only that client can repeat it; kubectl tcj run starts a run now`;
    return { kind: 'invalid', message };
  }
  const slot = scheduledTime ?? parseRequestedSlot(jobName);
  const request = slot === undefined ? { manual: {} } : { scheduledTime: formatTime(slot) };
  return {
    kind: 'ok',
    spec: { cronJobName: cronJob.metadata.name, ...request },
    jobName,
    ...(slot && { slot }),
    requestedBy,
    predicate:
      slot === undefined ? `repeats manual run ${jobName}` : `repeats the run of ${formatLocalTime(cronJob, slot)}`,
  };
}

function describeMissingFailedRun(cronJob: CronJob): string {
  const { completeSince } = buildTimeline(cronJob);
  const since = completeSince === undefined ? '' : ` since ${formatLocalTime(cronJob, completeSince)}`;
  return `no run of the schedule has failed${since}; to repeat another run, use --run`;
}

const MAX_SUGGESTED_RUNS = 5;

function describeUnknownRun(cronJob: CronJob, jobName: string): string {
  const names = listRuns(cronJob).map((run) => run.jobName);
  const suggestion =
    names.length === 0 ? '' : `; the most recent runs are ${names.slice(0, MAX_SUGGESTED_RUNS).join(', ')}`;
  return `run ${jobName} not found${suggestion}`;
}
