/** Reads the state of a run from its Job. */
import type { Job } from '../../api/kubernetes.ts';
import { findLatest, parseTime, toWholeSeconds } from '../../api/time.ts';
import { isStoredValue } from '../../api/v1/annotation-values.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { wasRunNowSetAfterCreation } from '../../api/v1/field-edits.ts';
import {
  API_VERSION,
  GENERATION_ANNOTATION,
  GROUP,
  INSTANTIATE_ANNOTATION,
  KIND,
  REQUESTED_BY_ANNOTATION,
  RUN_NOW_ANNOTATION,
  SCHEDULED_AT_ANNOTATION,
  START_TIMEOUT_ANNOTATION,
} from '../../api/v1/groupversion.ts';
import { toManualJobName } from '../../api/v1/job-names.ts';
import { MAX_REASON_LENGTH, type RunTrigger } from '../../api/v1/recent-lines.ts';

/** A Job and the state of its run. */
export interface Run {
  readonly job: Job;
  /** Present only with the trigger Schedule. */
  readonly slot?: Date;
  readonly trigger: RunTrigger;
  /** The name of the CronJobRun that requested the run. */
  readonly requestedBy?: string;
  readonly state: 'Active' | 'Succeeded' | 'Failed';
  /** The start of 1970 if the Job has no creation time. */
  readonly createdAt: Date;
  readonly startedAt: Date | undefined;
  /** Absent while the run is active, and if the conditions of the Job have no time. */
  readonly finishedAt?: Date;
  /** The reason of a failure, as one word in CamelCase. */
  readonly failureReason?: string;
  /** The message of the Failed condition. After a start timeout, the message contains the reason that the Pods did not start. */
  readonly message?: string;
}

/** The failure reason after a start timeout. */
const START_TIMEOUT_REASON = 'StartTimeout';

/** Compares owners by UID, because a CronJob that was deleted and created again does not own the Jobs of its predecessor. */
export function getControllingCronJobUid({ metadata }: Pick<Job, 'metadata'>): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner?.kind === KIND && owner.apiVersion.startsWith(`${GROUP}/`) ? owner.uid : undefined;
}

/** The Pods of a finished Job may still be terminating. */
export function hasActivePods({ job, state }: Run): boolean {
  return state === 'Active' || (job.status?.terminating ?? 0) > 0;
}

export function isBeingDeleted({ metadata }: Pick<Job | CronJob, 'metadata'>): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function createControllerReference({ metadata: { name, uid } }: Pick<CronJob, 'metadata'>) {
  return { apiVersion: API_VERSION, kind: KIND, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The manager may only change and delete Jobs that a CronJob controls: docs/adr/0020-narrowed-permissions.md. */
export function isControlledBy({ metadata }: Pick<CronJob, 'metadata'>, job: Job): boolean {
  return getControllingCronJobUid(job) === metadata.uid;
}

/** A Job that is being deleted is active until it no longer exists. */
export function toRun(job: Job): Run {
  const createdAt = toWholeSeconds(parseTime(job.metadata.creationTimestamp) ?? UNKNOWN_TIME);
  const run = { job, ...parseTrigger(job), createdAt, startedAt: parseTime(job.status?.startTime) };
  const completeCondition = findTrueCondition(job, 'Complete');
  if (completeCondition) {
    return {
      ...run,
      state: 'Succeeded',
      ...pickFinishTime(job.status?.completionTime, completeCondition.lastTransitionTime),
    };
  }
  const failedCondition = findTrueCondition(job, 'Failed');
  if (failedCondition) {
    return {
      ...run,
      state: 'Failed',
      ...pickFinishTime(failedCondition.lastTransitionTime),
      ...describeFailure(job, failedCondition),
    };
  }
  return { ...run, state: 'Active' };
}

function describeFailure({ metadata }: Job, { reason, message }: JobCondition): Pick<Run, 'failureReason' | 'message'> {
  const timeoutMessage = metadata.annotations?.[START_TIMEOUT_ANNOTATION];
  if (timeoutMessage !== undefined && reason === 'DeadlineExceeded') {
    return { failureReason: START_TIMEOUT_REASON, message: timeoutMessage };
  }
  // Another client may have written a reason of any length.
  const failureReason = reason?.slice(0, MAX_REASON_LENGTH).toWellFormed();
  return { ...(failureReason && { failureReason }), ...(message && { message }) };
}

type JobCondition = NonNullable<NonNullable<Job['status']>['conditions']>[number];

function findTrueCondition(job: Job, type: 'Complete' | 'Failed') {
  return job.status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');
}

function pickFinishTime(...times: readonly (string | undefined)[]): { finishedAt?: Date } {
  for (const text of times) {
    const time = parseTime(text);
    if (time !== undefined) return { finishedAt: time };
  }
  return {};
}

function parseTrigger({ metadata: { annotations = {} } }: Job): Pick<Run, 'slot' | 'trigger' | 'requestedBy'> {
  const slot = parseTime(annotations[SCHEDULED_AT_ANNOTATION]);
  const requestedBy = annotations[REQUESTED_BY_ANNOTATION];
  // A run of a CronJobRun is not the run of the slot, because the schedule also starts a run for the same slot.
  if (requestedBy !== undefined) return { trigger: slot === undefined ? 'Manual' : 'Backfill', requestedBy };
  if (slot !== undefined) return { trigger: 'Schedule', slot: toWholeSeconds(slot) };
  return { trigger: annotations[INSTANTIATE_ANNOTATION] === 'manual' ? 'Manual' : 'External' };
}

/** Stands for an unknown time, and is earlier than any known time. */
const UNKNOWN_TIME = new Date(0);

/**
 * Returns the generation of the CronJob from which the Job was created; NaN if the Job does not record the generation.
 */
export function parseGeneration({ job: { metadata } }: Run): number {
  return Number(metadata.annotations?.[GENERATION_ANNOTATION] ?? Number.NaN);
}

export function findLastSuccess(status: CronJobStatus, runs: readonly Run[]): Date | undefined {
  const successTimes = runs.map(({ state, finishedAt }) => (state === 'Succeeded' ? finishedAt : undefined));
  return findLatest(parseTime(status.lastSuccessfulTime), ...successTimes);
}

/** The state of the request in the run-now annotation. */
export type RunNow =
  | { readonly kind: 'None' }
  /** The value is new and needs no run. The status must record the value. */
  | { readonly kind: 'Handled'; readonly value: string }
  | DueRunNow;

/** The value is new and needs a run. */
export interface DueRunNow {
  readonly kind: 'Due';
  readonly value: string;
  readonly jobName: string;
  /** Whether an attempt to create the Job has failed. */
  readonly hasFailed: boolean;
}

/**
 * A value of run-now is handled if its Job exists, because a reconcile may have crashed before it stored the status. A value
 * that the CronJob had at its creation is also handled, so that a restored manifest starts nothing.
 * @param failedJobs Names of the Jobs that this process could not create.
 */
export function assessRunNow(cronJob: CronJob, runs: readonly Run[], failedJobs: readonly string[] = []): RunNow {
  const { metadata, status } = cronJob;
  const value = metadata.annotations?.[RUN_NOW_ANNOTATION];
  if (value === undefined || isBeingDeleted(cronJob) || isStoredValue(value, status?.lastManualRun))
    return { kind: 'None' };
  const jobName = toManualJobName(cronJob, value);
  const isFromCreation = status?.observedGeneration === undefined && !wasRunNowSetAfterCreation(cronJob);
  const isStarted = runs.some(({ job }) => job.metadata.name === jobName);
  if (isFromCreation || isStarted) return { kind: 'Handled', value };
  return { kind: 'Due', value, jobName, hasFailed: failedJobs.includes(jobName) };
}
