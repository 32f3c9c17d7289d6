/** Reports on one run, by the name of its Job: its state, and what it waits for. Uses only the status. */
import { getCondition } from 'controller-runtime/kubernetes';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { RecentRun, RunResult } from '../../../api/v1/recent-lines.ts';
import { describeRun, getRunName } from './sentences.ts';
import { listRuns } from './timeline.ts';

export interface RunReport {
  readonly jobName: string;
  /** The run as the subject of another sentence. */
  readonly name: string;
  readonly result: RunResult;
  readonly sentence: string;
  /** Reason of a failed run. */
  readonly reason?: string | undefined;
  /** When the Job was created. */
  readonly createdTime?: Date;
}

/** `undefined` when the status does not have the run: it has not started, or it is too old. */
export function findRunReport(cronJob: CronJob, jobName: string): RunReport | undefined {
  const listed = listRuns(cronJob).find((run) => run.jobName === jobName);
  if (listed) return reportRun(cronJob, listed);
  // With a recentRunsLimit of 0, or when more runs have started since than the list holds.
  const { active = [], lastRun } = cronJob.status ?? {};
  const name = `Job ${jobName}`;
  if (active.some((job) => job.name === jobName)) {
    return { jobName, name, result: 'Running', sentence: `${name} is running.` };
  }
  if (lastRun?.jobName !== jobName) return undefined;
  const { result, reason } = lastRun;
  return { jobName, name, result, sentence: `${name}: ${result}${reason === undefined ? '' : `, ${reason}`}.`, reason };
}

/** The report on a run in the list of the status. */
export function reportRun(cronJob: CronJob, run: RecentRun): RunReport {
  const { jobName, result, reason, createdTime } = run;
  const name = `${getRunName(cronJob, run)}, Job ${jobName},`;
  return { jobName, name, result, sentence: describeRun(cronJob, run), reason, createdTime };
}

/** The newest active run, even if the status lists no runs. */
export function findActiveRun(cronJob: CronJob): RunReport | undefined {
  const listed = listRuns(cronJob).find(({ result }) => result === 'Running');
  const jobName = listed?.jobName ?? cronJob.status?.active?.at(-1)?.name;
  return jobName === undefined ? undefined : findRunReport(cronJob, jobName);
}

/** Whether its Job could not be created. The manager tries again. */
export function hasFailedStart({ status }: CronJob, jobName: string): boolean {
  return status?.failedStart?.jobName === jobName;
}

/** What keeps a manual run from starting, according to the status. */
export function describeWait(cronJob: CronJob, jobName: string): string {
  const { spec, status = {} } = cronJob;
  if (hasFailedStart(cronJob, jobName)) {
    return `its Job cannot be created: ${getCondition(status.conditions, 'Degraded')?.message ?? status.failedStart?.message}`;
  }
  if (spec.concurrencyPolicy === 'Forbid' && (status.activeCount ?? 0) > 0) {
    const names = (status.active ?? []).map(({ name }) => name).join(', ');
    return `it waits for the active run to end (concurrencyPolicy Forbid): ${names}`;
  }
  return 'no manager has handled the request yet; it starts as soon as one does';
}
