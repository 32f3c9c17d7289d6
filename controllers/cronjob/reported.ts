/**
 * What people have been told and still holds, as keys: an event is sent when its key is new. Texts for people can be worded anew:
 * nothing depends on them, but for the reading of a status that version 0.1.0 stored.
 */
import { hash } from 'node:crypto';
import { getCondition } from 'controller-runtime/kubernetes';
import type { CronJobStatus, FailedStart } from '../../api/v1/cronjob-types.ts';

/** Faults that are states: they are told when the Degraded condition begins to say so. */
const FAULTS = ['UnparseableSchedule', 'UnknownTimeZone', 'NeverFires', 'ClockSkew'] as const;
export type Fault = (typeof FAULTS)[number];

/** What of a spec makes a fault another one. */
interface Cause {
  readonly schedule: string;
  readonly timeZone: string;
  readonly hasZeroDeadline: boolean;
}

/** The fault that the Degraded condition shows, if it shows one, and what it says of it. */
export function shownFault(status: CronJobStatus): { readonly fault: Fault; readonly message: string } | undefined {
  const { reason, message = '' } = getCondition(status.conditions, 'Degraded') ?? {};
  const fault = FAULTS.find((each) => each === reason);
  return fault && { fault, message };
}

export function faultKey(fault: Fault, { schedule, timeZone, hasZeroDeadline }: Cause): string {
  switch (fault) {
    case 'UnparseableSchedule':
      return `${fault}/${digest(schedule)}`;
    case 'UnknownTimeZone':
      return `${fault}/${digest(timeZone)}`;
    case 'NeverFires':
      return `${fault}/${hasZeroDeadline ? 'startingDeadlineSeconds' : digest(schedule)}`;
    // Which time is ahead may change with each run; the clocks differ all the same.
    case 'ClockSkew':
      return fault;
  }
}

export function waitingKey(jobName: string): string {
  return `JobAlreadyActive/${jobName}`;
}

export function failedStartKey({ jobName, reason, message = '' }: FailedStart): string {
  return `${failedStartPrefix(jobName)}${digest(`${reason}/${message}`)}`;
}

/** What all keys of a Job begin with that could not be started. */
function failedStartPrefix(jobName: string): string {
  return `FailedStart/${jobName}/`;
}

/** Of the keys, those of starts that failed of one of the Jobs. */
export function failedStartKeysOf(jobNames: readonly string[], keys: readonly string[]): readonly string[] {
  return keys.filter((key) => jobNames.some((jobName) => key.startsWith(failedStartPrefix(jobName))));
}

const DIGEST_LENGTH = 9;

/** A status from another CRD may have anything in the place of a text. */
function digest(text: unknown): string {
  return hash('sha256', String(text)).slice(0, DIGEST_LENGTH);
}

/**
 * The status with what version 0.1.0 kept in the messages of conditions alone, in the words it had. A status of today that reports
 * something has it as keys, and one that reports nothing has no such message.
 */
export function withMemoryOfMessages(status: CronJobStatus): CronJobStatus {
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
