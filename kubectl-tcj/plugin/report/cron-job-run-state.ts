/** Describes the progress of a CronJobRun. All data comes from the status of the CronJobRun. */
import { getCondition, isConditionTrue } from 'controller-runtime/kubernetes';
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { CronJobRun, RequestedJob } from '../../../api/v1/cronjobrun-types.ts';
import { createRunReport, describeConcurrencyWait, NOT_HANDLED_REASON, type RunReport } from './run-report.ts';

export type CronJobRunState =
  | { readonly kind: 'Ended'; readonly hasFailed: boolean; readonly message: string }
  /** `isBlocked`: a run of the CronJobRun cannot start yet, because the run waits or a user must act. */
  | { readonly kind: 'Open'; readonly isBlocked: boolean; readonly message: string };

/** @param cronJob The current CronJob, which explains why a run waits. */
export function describeCronJobRun({ status = {} }: CronJobRun, cronJob: CronJob): CronJobRunState {
  const { conditions } = status;
  const [complete, accepted] = [getCondition(conditions, 'Complete'), getCondition(conditions, 'Accepted')];
  const hasFailed = isConditionTrue(conditions, 'Failed');
  const message = complete?.message ?? '';
  if (hasFailed || complete?.status === 'True') return { kind: 'Ended', hasFailed, message };
  if (accepted?.status === 'False')
    return { kind: 'Open', isBlocked: true, message: `it is not accepted: ${accepted.message}` };
  if (complete === undefined) return { kind: 'Open', isBlocked: true, message: NOT_HANDLED_REASON };
  switch (complete.reason) {
    case 'FailedCreate':
      return {
        kind: 'Open',
        isBlocked: true,
        message: `its Job cannot be created: ${status.failedStart?.message ?? message}`,
      };
    case 'Waiting':
      return { kind: 'Open', isBlocked: true, message: describeConcurrencyWait(cronJob) ?? message };
    default:
      return { kind: 'Open', isBlocked: complete.reason !== 'Running', message };
  }
}

/** Returns whether the manager refuses the CronJobRun, or failed to create a Job. */
export function hasBlockedStart({ status = {} }: CronJobRun): boolean {
  return status.failedStart !== undefined || getCondition(status.conditions, 'Accepted')?.status === 'False';
}

/** Returns `undefined` if the CronJobRun has not started the Job. */
export function findRequestedRunReport(run: CronJobRun, cronJob: CronJob, jobName: string): RunReport | undefined {
  const job = run.status?.jobs?.find(({ name }) => name === jobName);
  return job && createRunReport(cronJob, toRecentRun(run, job));
}

function toRecentRun({ metadata, status }: CronJobRun, job: RequestedJob): Parameters<typeof createRunReport>[1] {
  const { name: jobName, result, reason, message, scheduledTime } = job;
  const [startTime, completionTime] = [parseTime(job.startTime), parseTime(job.completionTime)];
  const acceptedTime = parseTime(status?.startTime) ?? parseTime(metadata.creationTimestamp);
  return {
    jobName,
    result,
    reason,
    message,
    trigger: scheduledTime === undefined ? 'Manual' : 'Backfill',
    createdTime: startTime ?? acceptedTime ?? new Date(0),
    startTime,
    completionTime,
  };
}
