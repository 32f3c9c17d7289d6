/**
 * Computes the keys of `status.reported`. Each key identifies a problem or a waiting run. The controller sends an event only for a
 * new key.
 */
import { hash } from 'node:crypto';
import { getCondition } from 'controller-runtime/kubernetes';
import type { CronJobStatus, FailedStart } from './cronjob-types.ts';

/** The reasons of the condition Degraded that the controller reports with an event. */
const REPORTED_REASONS = ['UnparseableSchedule', 'UnknownTimeZone', 'NeverFires', 'ClockSkew'] as const;
export type Fault = (typeof REPORTED_REASONS)[number];

/**
 * The fields of a spec that identify a fault. The controller reports a fault again after a change of a field that
 * identifies the fault.
 */
interface FaultCause {
  readonly schedule: string;
  readonly timeZone: string;
  readonly hasZeroDeadline: boolean;
}

/** Returns the fault and the message of the condition Degraded, or `undefined` if there is no fault. */
export function findReportedFault(
  status: CronJobStatus,
): { readonly fault: Fault; readonly message: string } | undefined {
  const degradedCondition = getCondition(status.conditions, 'Degraded');
  if (degradedCondition === undefined) return undefined;
  const fault = REPORTED_REASONS.find((each) => each === degradedCondition.reason);
  return fault && { fault, message: degradedCondition.message };
}

const ZERO_DEADLINE_KEY = 'NeverFires/startingDeadlineSeconds';

/** Returns true if an event has reported a starting deadline of 0. */
export function hasReportedZeroDeadline(keys: readonly string[] = []): boolean {
  return keys.includes(ZERO_DEADLINE_KEY);
}

export function toFaultKey(fault: Fault, { schedule, timeZone, hasZeroDeadline }: FaultCause): string {
  switch (fault) {
    case 'UnparseableSchedule':
      return `${fault}/${toShortHash(schedule)}`;
    case 'UnknownTimeZone':
      return `${fault}/${toShortHash(timeZone)}`;
    case 'NeverFires':
      return hasZeroDeadline ? ZERO_DEADLINE_KEY : `${fault}/${toShortHash(schedule)}`;
    // The key does not name the field that is ahead of the clock, because after each run it can be another field.
    case 'ClockSkew':
      return fault;
  }
}

export function toFailedStartKey({ jobName, reason, message = '' }: FailedStart): string {
  return `${toFailedStartPrefix(jobName)}${toShortHash(`${reason}/${message}`)}`;
}

function toFailedStartPrefix(jobName: string): string {
  return `FailedStart/${jobName}/`;
}

/** Returns the keys that report a failed start of one of the Jobs. */
export function filterFailedStartKeys(jobNames: readonly string[], keys: readonly string[]): readonly string[] {
  return keys.filter((key) => jobNames.some((jobName) => key.startsWith(toFailedStartPrefix(jobName))));
}

const SHORT_HASH_LENGTH = 9;

/** @param text A string, or any other type if the cluster has a different CRD for this kind. */
function toShortHash(text: unknown): string {
  return hash('sha256', String(text)).slice(0, SHORT_HASH_LENGTH);
}

const WAITING_PREFIX = 'JobAlreadyActive/';

/** Returns the key for a Job that waits until the active Jobs finish. */
export function toWaitingKey(jobName: string): string {
  return `${WAITING_PREFIX}${jobName}`;
}

export function getWaitingJobNames({ reported = [] }: Pick<CronJobStatus, 'reported'>): readonly string[] {
  return reported.filter((key) => key.startsWith(WAITING_PREFIX)).map((key) => key.slice(WAITING_PREFIX.length));
}
