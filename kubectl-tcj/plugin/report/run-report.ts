/** Describes one run of a CronJob. All data comes from the status of the CronJob. */

import { getCondition } from 'controller-runtime/kubernetes';
import { canRunWait, formatWaitRule } from '../../../api/v1/concurrency.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { RecentRun, RunResult } from '../../../api/v1/recent-lines.ts';
import { describeRun, getRunName } from './sentences.ts';
import { findPodWaitMessage, listRuns } from './timeline.ts';

export interface RunReport {
  readonly jobName: string;
  /** The subject of a sentence about the run, such as `Job a-1`. */
  readonly subject: string;
  readonly result: RunResult;
  readonly sentence: string;
  readonly reason?: string | undefined;
  readonly createdTime?: Date;
}

/** Returns `undefined` if the status does not list the run, because the run is too old or has not started. */
export function findRunReport(cronJob: CronJob, jobName: string): RunReport | undefined {
  const listedRun = listRuns(cronJob).find((run) => run.jobName === jobName);
  if (listedRun) return createRunReport(cronJob, listedRun);
  // `recentRuns` lacks the run if recentRunsLimit is 0 or if many newer runs have started.
  const { active = [], lastRun } = cronJob.status ?? {};
  const subject = `Job ${jobName}`;
  if (active.some((job) => job.name === jobName)) {
    return { jobName, subject, result: 'Running', sentence: `${subject} is running.` };
  }
  if (lastRun?.jobName !== jobName) return undefined;
  const { result, reason } = lastRun;
  return {
    jobName,
    subject,
    result,
    sentence: `${subject}: ${result}${reason === undefined ? '' : `, ${reason}`}.`,
    reason,
  };
}

export function createRunReport(cronJob: CronJob, run: RecentRun): RunReport {
  const { jobName, result, reason, createdTime } = run;
  const subject = `${getRunName(cronJob, run)}, Job ${jobName},`;
  return { jobName, subject, result, sentence: describeRun(cronJob, run), reason, createdTime };
}

/** Returns the newest active run, even if `status.recentRuns` is empty. */
export function findActiveRun(cronJob: CronJob): RunReport | undefined {
  const listedRun = listRuns(cronJob).find(({ result }) => result === 'Running');
  const jobName = listedRun?.jobName ?? cronJob.status?.active?.at(-1)?.name;
  return jobName === undefined ? undefined : findRunReport(cronJob, jobName);
}

/** Returns whether the manager failed to create the Job. The manager retries. */
export function hasFailedStart({ status }: CronJob, jobName: string): boolean {
  return status?.failedStart?.jobName === jobName;
}

/** Describes what a manual run waits for, according to the status. */
export function describeManualRunWait(cronJob: CronJob, jobName: string): string {
  const { status = {} } = cronJob;
  if (hasFailedStart(cronJob, jobName)) {
    return `its Job cannot be created: ${status.failedStart?.message ?? getCondition(status.conditions, 'Degraded')?.message}`;
  }
  return describeConcurrencyWait(cronJob) ?? NOT_HANDLED_REASON;
}

export const NOT_HANDLED_REASON = 'no manager has handled the request yet; the run starts as soon as a manager does';

/** Describes the active run that makes a new run wait. Returns `undefined` if no run has to wait. */
export function describeConcurrencyWait(cronJob: CronJob): string | undefined {
  const { spec, status = {} } = cronJob;
  const podWaitMessage = findPodWaitMessage(cronJob);
  if (podWaitMessage !== undefined) return `it waits: ${podWaitMessage}`;
  if (!canRunWait(spec) || (status.activeCount ?? 0) === 0) return undefined;
  const names = (status.active ?? []).map(({ name }) => name).join(', ');
  return `it waits for the active run to end (${formatWaitRule(spec)}): ${names}`;
}
