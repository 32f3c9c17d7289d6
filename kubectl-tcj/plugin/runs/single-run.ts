/** Requests one run with a CronJobRun. */
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../../../api/v1/cronjobrun-types.ts';
import { toRequestedJobName } from '../../../api/v1/job-names.ts';
import { CommandError } from '../command.ts';
import { createCronJobRun, type NewCronJobRun, reloadCronJobRun } from '../cron-job-runs.ts';
import { reloadCronJob } from '../cron-jobs.ts';
import { describeCronJobRun, findRequestedRunReport, hasBlockedStart } from '../report/cron-job-run-state.ts';
import type { RequestedRun, RunProgress } from './requested-run.ts';
import type { RunContext } from './run-context.ts';

/** A requested run with the CronJobRun that the command prints. */
export interface SingleRun extends RequestedRun {
  readonly request: CronJobRun;
}

/** The CronJobRun of a single run is deleted a day after the run ends. */
export const SINGLE_RUN_TTL_SECONDS = 86_400;

/** @param slot The scheduled time of the run, or `undefined` for a manual run. */
export async function requestSingleRun(
  cronJob: CronJob,
  { slot, ...request }: NewCronJobRun & { readonly slot?: Date | undefined },
  context: RunContext,
): Promise<SingleRun> {
  const spec = { ...request.spec, ttlSecondsAfterFinished: SINGLE_RUN_TTL_SECONDS };
  const created = await createCronJobRun(cronJob, { ...request, spec }, context);
  const jobName = toRequestedJobName(created, slot);
  const readProgress = () => readSingleRun(created, cronJob, jobName, context);
  return { cronJob, jobName, request: created, readProgress };
}

async function readSingleRun(
  cronJobRun: CronJobRun,
  cronJob: CronJob,
  jobName: string,
  context: RunContext,
): Promise<RunProgress> {
  const run = await reloadCronJobRun(cronJobRun, context);
  const report = findRequestedRunReport(run, cronJob, jobName);
  if (report !== undefined) return { kind: 'Started', report };
  const state = describeCronJobRun(run, await reloadCronJob(cronJob, context));
  if (state.kind === 'Ended') throw new CommandError(`CronJobRun ${run.metadata.name} failed: ${state.message}`);
  return { kind: 'NotStarted', reason: state.message, hasFailedStart: hasBlockedStart(run) };
}
