/**
 * The keys of `status.reported`: lasting problems that events have reported. An event is sent when its key is new. No code depends on
 * the text of a message, except to read a status that version 0.1.0 stored.
 */
import { hash } from 'node:crypto';
import { getCondition } from 'controller-runtime/kubernetes';
import type { CronJobStatus, FailedStart } from '../../api/v1/cronjob-types.ts';
import { waitingKey } from '../../api/v1/waiting-jobs.ts';

/** Faults of the spec or the clock. Each is reported when the Degraded condition begins to show it. */
const FAULTS = ['UnparseableSchedule', 'UnknownTimeZone', 'NeverFires', 'ClockSkew'] as const;
export type Fault = (typeof FAULTS)[number];

/** The part of a spec that distinguishes one fault from the next: with another value, it is reported again. */
interface Cause {
  readonly schedule: string;
  readonly timeZone: string;
  readonly hasZeroDeadline: boolean;
}

/** The fault that the Degraded condition shows, and its message; `undefined` if it shows none. */
export function shownFault(status: CronJobStatus): { readonly fault: Fault; readonly message: string } | undefined {
  const { reason, message = '' } = getCondition(status.conditions, 'Degraded') ?? {};
  const fault = FAULTS.find((each) => each === reason);
  return fault && { fault, message };
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
    // No details: which time is ahead may change with each run, and the problem is the same.
    case 'ClockSkew':
      return fault;
  }
}

export function failedStartKey({ jobName, reason, message = '' }: FailedStart): string {
  return `${failedStartPrefix(jobName)}${digest(`${reason}/${message}`)}`;
}

/** The beginning of all keys of a Job that could not be started. */
function failedStartPrefix(jobName: string): string {
  return `FailedStart/${jobName}/`;
}

/** Those of the keys that report a failed start of one of the Jobs. */
export function failedStartKeysOf(jobNames: readonly string[], keys: readonly string[]): readonly string[] {
  return keys.filter((key) => jobNames.some((jobName) => key.startsWith(failedStartPrefix(jobName))));
}

const DIGEST_LENGTH = 9;

/** @param text Of any type: a status from another CRD may have anything here. */
function digest(text: unknown): string {
  return hash('sha256', String(text)).slice(0, DIGEST_LENGTH);
}

/**
 * The status with the keys that version 0.1.0 did not store yet. They are read from the messages of its conditions, which is where that
 * version kept them. A status of this version that has no keys has no such message either.
 */
export function withKeysFromMessages(status: CronJobStatus): CronJobStatus {
  if (status.reported !== undefined) return status;
  const shown = shownFault(status);
  const failedStart = failedStartIn(status);
  const reported = [
    ...(shown ? [faultKey(shown.fault, causeIn(status, shown.message))] : []),
    ...(failedStart ? [failedStartKey(failedStart)] : []),
    ...waitingIn(status).map(waitingKey),
  ];
  return reported.length === 0 ? status : { ...status, reported, ...(failedStart && { failedStart }) };
}

function causeIn({ effectiveSchedule }: CronJobStatus, message: string): Cause {
  const { schedule = '', timeZone = '' } = effectiveSchedule ?? {};
  return { schedule, timeZone, hasZeroDeadline: message.startsWith('spec.startingDeadlineSeconds: ') };
}

function failedStartIn(status: CronJobStatus): FailedStart | undefined {
  const { reason, message = '' } = getCondition(status.conditions, 'Degraded') ?? {};
  if (reason !== 'FailedCreate' || !/^Error (creat|delet)ing job \S+: /.test(message)) return undefined;
  const nameAt = 'Error creating job '.length;
  const nameEnd = message.indexOf(': ', nameAt);
  const jobName = message.slice(nameAt, nameEnd);
  const answer = message.slice(nameEnd + ': '.length);
  if (message.startsWith('Error deleting ')) return { jobName, reason: 'DeleteFailed', message: answer };
  const isTaken = answer === 'a Job of that name exists and belongs to something else; delete it';
  return isTaken ? { jobName, reason: 'JobNameTaken' } : { jobName, reason: 'Refused', message: answer };
}

/** Names of the Jobs that wait. */
function waitingIn(status: CronJobStatus): readonly string[] {
  const { message = '' } = getCondition(status.conditions, 'Progressing') ?? {};
  const [, names] = /; (.+) will start after that /.exec(message) ?? [];
  return names?.split(', then ') ?? [];
}
