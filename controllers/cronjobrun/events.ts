/** Computes the events of a CronJobRun from the change of its status. */
import { getCondition } from 'controller-runtime/kubernetes';
import type { CronJobRunStatus } from '../../api/v1/cronjobrun-types.ts';
import { formatFailedStart } from '../cronjob/decide.ts';

export interface RunEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export function createRunEvents(oldStatus: CronJobRunStatus, newStatus: CronJobRunStatus): readonly RunEvent[] {
  return [...createFailedStartEvents(oldStatus, newStatus), ...createConditionEvents(oldStatus, newStatus)];
}

function createFailedStartEvents(oldStatus: CronJobRunStatus, { failedStart }: CronJobRunStatus): readonly RunEvent[] {
  if (failedStart === undefined || failedStart.jobName === oldStatus.failedStart?.jobName) return [];
  return [{ type: 'Warning', reason: 'FailedCreate', message: formatFailedStart(failedStart) }];
}

function createConditionEvents(oldStatus: CronJobRunStatus, newStatus: CronJobRunStatus): readonly RunEvent[] {
  const accepted = getCondition(newStatus.conditions, 'Accepted');
  const isRefused = accepted?.status === 'False';
  const isNewRefusal = isRefused && getCondition(oldStatus.conditions, 'Accepted')?.reason !== accepted.reason;
  const refusals = isNewRefusal
    ? [{ type: 'Warning', reason: accepted.reason, message: accepted.message } as const]
    : [];
  const end = getCondition(newStatus.conditions, 'Complete');
  if (end === undefined || isRefused || newStatus.completionTime === oldStatus.completionTime) return refusals;
  return [
    ...refusals,
    { type: end.status === 'True' ? 'Normal' : 'Warning', reason: end.reason, message: end.message },
  ];
}
