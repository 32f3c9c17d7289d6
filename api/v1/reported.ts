/**
 * The keys of `status.reported`: lasting problems and waiting runs that events have reported. An event is sent when its key is new.
 * No code depends on the text of a message.
 */
import { hash } from 'node:crypto';
import { getCondition } from 'controller-runtime/kubernetes';
import type { CronJobStatus, FailedStart } from './cronjob-types.ts';

/** Faults of the spec or the clock. Each is reported when the Degraded condition begins to show it. */
const FAULTS = ['UnparseableSchedule', 'UnknownTimeZone', 'NeverFires', 'ClockSkew'] as const;
export type Fault = (typeof FAULTS)[number];

/** The part of a spec that distinguishes faults: with another value, the fault is reported again. */
interface Cause {
  readonly schedule: string;
  readonly timeZone: string;
  readonly hasZeroDeadline: boolean;
}

/** The fault that the Degraded condition shows, and its message; `undefined` if it shows no fault. */
export function findReportableFault(
  status: CronJobStatus,
): { readonly fault: Fault; readonly message: string } | undefined {
  const degraded = getCondition(status.conditions, 'Degraded');
  if (degraded === undefined) return undefined;
  const fault = FAULTS.find((each) => each === degraded.reason);
  return fault && { fault, message: degraded.message };
}

const ZERO_DEADLINE = 'NeverFires/startingDeadlineSeconds';

/** Whether the deadline was 0 when the status with these keys was stored. */
export function isZeroDeadlineReported(keys: readonly string[] = []): boolean {
  return keys.includes(ZERO_DEADLINE);
}

export function faultKey(fault: Fault, { schedule, timeZone, hasZeroDeadline }: Cause): string {
  switch (fault) {
    case 'UnparseableSchedule':
      return `${fault}/${digest(schedule)}`;
    case 'UnknownTimeZone':
      return `${fault}/${digest(timeZone)}`;
    case 'NeverFires':
      return hasZeroDeadline ? ZERO_DEADLINE : `${fault}/${digest(schedule)}`;
    // Without details: the field with a time ahead may change with each run, and the problem is the same.
    case 'ClockSkew':
      return fault;
  }
}

export function failedStartKey({ jobName, reason, message = '' }: FailedStart): string {
  return `${failedStartPrefix(jobName)}${digest(`${reason}/${message}`)}`;
}

/** The prefix of all keys of a Job that could not be started. */
function failedStartPrefix(jobName: string): string {
  return `FailedStart/${jobName}/`;
}

/** The keys that report a failed start of one of these Jobs. */
export function filterFailedStartKeys(jobNames: readonly string[], keys: readonly string[]): readonly string[] {
  return keys.filter((key) => jobNames.some((jobName) => key.startsWith(failedStartPrefix(jobName))));
}

const DIGEST_LENGTH = 9;

/** @param text Any type: a status from another CRD may have any value here. */
function digest(text: unknown): string {
  return hash('sha256', String(text)).slice(0, DIGEST_LENGTH);
}

const WAITING = 'JobAlreadyActive/';

/** The key of `status.reported` for a Job that waits until the active Jobs have ended. */
export function waitingKey(jobName: string): string {
  return `${WAITING}${jobName}`;
}

/** Names of the Jobs that wait. */
export function waitingJobNames({ reported = [] }: Pick<CronJobStatus, 'reported'>): readonly string[] {
  return reported.filter((key) => key.startsWith(WAITING)).map((key) => key.slice(WAITING.length));
}
