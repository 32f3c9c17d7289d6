/** Computes the events of a CronJobRun from the change of its status. */
import { getCondition } from 'controller-runtime/kubernetes';
import type { CronJobRunStatus } from '../../api/v1/cronjobrun-types.ts';
import { failedStartMessage } from '../cronjob/decide.ts';

export interface RunEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export function runEvents(before: CronJobRunStatus, after: CronJobRunStatus): readonly RunEvent[] {
  return [...failedStartEvents(before, after), ...conditionEvents(before, after)];
}

function failedStartEvents(before: CronJobRunStatus, { failedStart }: CronJobRunStatus): readonly RunEvent[] {
  if (failedStart === undefined || failedStart.jobName === before.failedStart?.jobName) return [];
  return [{ type: 'Warning', reason: 'FailedCreate', message: failedStartMessage(failedStart) }];
}

function conditionEvents(before: CronJobRunStatus, after: CronJobRunStatus): readonly RunEvent[] {
  const accepted = getCondition(after.conditions, 'Accepted');
  const isRefused = accepted?.status === 'False';
  const isNewRefusal = isRefused && getCondition(before.conditions, 'Accepted')?.reason !== accepted.reason;
  const refusals = isNewRefusal
    ? [{ type: 'Warning', reason: accepted.reason, message: accepted.message } as const]
    : [];
  const end = getCondition(after.conditions, 'Complete');
  if (end === undefined || isRefused || after.completionTime === before.completionTime) return refusals;
  return [
    ...refusals,
    { type: end.status === 'True' ? 'Normal' : 'Warning', reason: end.reason, message: end.message },
  ];
}
