/** Laws of manual runs. */
import type { Job } from '../../../api/kubernetes.ts';
import { isStoredValue } from '../../../api/v1/annotation-values.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { toManualJobName } from '../../../api/v1/job-names.ts';
import { getJobName, hasMaxRuns, type ModelState } from '../state.ts';

/** A value that the CronJob was created with does not start a run. */
export function checkUnrequestedRun(
  { cronJob, scenario: { runNow } }: ModelState,
  { metadata: { name } }: Job,
): readonly string[] {
  if (cronJob === undefined || runNow === undefined || name !== toManualJobName(cronJob, runNow)) return [];
  return [`${name} starts without a request since the creation of the CronJob`];
}

/** The status does not record a value as handled when its run has not started. */
export function checkHandledValue({ createCounts, scenario }: ModelState, cronJob: CronJob): readonly string[] {
  const value = cronJob.status?.lastManualRun;
  if (value === undefined || value === scenario.runNow || createCounts[getManualRunId(cronJob, value)] !== undefined)
    return [];
  return [`lastManualRun is ${value}, but its run was never created`];
}

/** The newest value has started, or waits for an active run, also with Skip. */
export function checkMissingManualRun(
  { createCounts, jobs, scenario }: ModelState,
  cronJob: CronJob,
): readonly string[] {
  const value = cronJob.metadata.annotations?.[RUN_NOW_ANNOTATION];
  if (value === undefined || value === scenario.runNow || createCounts[getManualRunId(cronJob, value)] !== undefined)
    return [];
  return hasMaxRuns(jobs, cronJob) ? [] : [`the manual run ${value} has not started`];
}

/** Whether this CronJob shows that the manual run need not start any more: it has started, or the annotation now requests another one. */
export function isManualRunHandled(cronJob: CronJob, runId: string): boolean {
  const value = cronJob.metadata.annotations?.[RUN_NOW_ANNOTATION];
  if (value === undefined || toManualJobName(cronJob, value) !== getJobName(runId)) return true;
  return isStoredValue(value, cronJob.status?.lastManualRun);
}

function getManualRunId(cronJob: CronJob, value: string): string {
  return `${cronJob.metadata.uid}/${toManualJobName(cronJob, value)}`;
}
