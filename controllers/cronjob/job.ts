/** A run, as its Job describes it. new-job.ts creates the Job. */
import type { Job } from '../../api/kubernetes.ts';
import { latest, parseTime, wholeSeconds } from '../../api/time.ts';
import { isStoredValue } from '../../api/v1/annotation-values.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { isRunNowSetLater } from '../../api/v1/field-edits.ts';
import {
  API_VERSION,
  GENERATION_ANNOTATION,
  GROUP,
  INSTANTIATE_ANNOTATION,
  KIND,
  RUN_NOW_ANNOTATION,
  SCHEDULED_AT_ANNOTATION,
  START_TIMEOUT_ANNOTATION,
} from '../../api/v1/groupversion.ts';
import { runNowJobName } from '../../api/v1/job-names.ts';
import { MAX_REASON_LENGTH } from '../../api/v1/recent-lines.ts';

/** A Job, and what the controller knows about its run. */
export interface Run {
  readonly job: Job;
  /** The slot of the run. Absent for a manual run, and for a Job without the annotation. */
  readonly slot?: Date;
  /** What started the run. External: anything but this controller. */
  readonly trigger: 'Schedule' | 'Manual' | 'External';
  readonly state: 'Active' | 'Succeeded' | 'Failed';
  /** When the Job was created; 1970 when the time is unknown. */
  readonly createdAt: Date;
  /** When the Job was started; `undefined` before that, for example while a queue suspends it. */
  readonly startedAt: Date | undefined;
  /** When the run completed or failed. Absent while it is active, and when its conditions have no time. */
  readonly finishedAt?: Date;
  /** Why the run failed, as one word. */
  readonly failureReason?: string;
  /**
   * The message of the Job's Failed condition, cut to the allowed length. For a Job that did not start in time: what its Pods
   * waited for.
   */
  readonly message?: string;
}

/** Why a run failed when the controller ended its Job because no container had started in time. */
const START_TIMEOUT_REASON = 'StartTimeout';

/**
 * UID of the CronJob that controls the Job, if any. The UID, because a CronJob that was deleted and created again does not own the
 * Jobs of the old one.
 */
export function controllingCronJobUid({ metadata }: Pick<Job, 'metadata'>): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner?.kind === KIND && owner.apiVersion.startsWith(`${GROUP}/`) ? owner.uid : undefined;
}

/** The owner reference of the CronJob's Jobs. */
export function controllerReference({ metadata: { name, uid } }: Pick<CronJob, 'metadata'>) {
  return { apiVersion: API_VERSION, kind: KIND, name, uid, controller: true, blockOwnerDeletion: true };
}

/**
 * Whether the CronJob controls the Job. A run that has lost this owner counts as active until it finishes, and is neither changed nor
 * deleted: policies keep the manager from Jobs that no CronJob controls (docs/adr/0020-narrowed-rights.md).
 */
export function isControlledBy({ metadata }: Pick<CronJob, 'metadata'>, job: Job): boolean {
  return controllingCronJobUid(job) === metadata.uid;
}

/** A Job is finished once a `Complete` or `Failed` condition is True; a Job that is being deleted is active until it is gone. */
export function toRun(job: Job): Run {
  const createdAt = wholeSeconds(parseTime(job.metadata.creationTimestamp) ?? UNKNOWN_TIME);
  const run = { job, ...parseOrigin(job), createdAt, startedAt: parseTime(job.status?.startTime) };
  const complete = findTrueCondition(job, 'Complete');
  if (complete) {
    return { ...run, state: 'Succeeded', ...finishedAt(job.status?.completionTime, complete.lastTransitionTime) };
  }
  const failed = findTrueCondition(job, 'Failed');
  if (failed) {
    return {
      ...run,
      state: 'Failed',
      ...finishedAt(failed.lastTransitionTime),
      ...describeFailure(job, failed),
    };
  }
  return { ...run, state: 'Active' };
}

/** The controller set the deadline that ended the Job, so it knows the reason, unless the Job failed for another reason before. */
function describeFailure({ metadata }: Job, { reason, message }: JobCondition): Pick<Run, 'failureReason' | 'message'> {
  const timeoutMessage = metadata.annotations?.[START_TIMEOUT_ANNOTATION];
  if (timeoutMessage !== undefined && reason === 'DeadlineExceeded') {
    return { failureReason: START_TIMEOUT_REASON, message: timeoutMessage };
  }
  // A client that writes the status of the Job may have written a megabyte.
  const failureReason = reason?.slice(0, MAX_REASON_LENGTH).toWellFormed();
  return { ...(failureReason && { failureReason }), ...(message && { message }) };
}

type JobCondition = NonNullable<NonNullable<Job['status']>['conditions']>[number];

function findTrueCondition(job: Job, type: 'Complete' | 'Failed') {
  return job.status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');
}

/** The first time that can be parsed: a condition may have no time. */
function finishedAt(...times: readonly (string | undefined)[]): { finishedAt?: Date } {
  for (const text of times) {
    const time = parseTime(text);
    if (time !== undefined) return { finishedAt: time };
  }
  return {};
}

function parseOrigin({ metadata: { annotations = {} } }: Job): Pick<Run, 'slot' | 'trigger'> {
  const slot = parseTime(annotations[SCHEDULED_AT_ANNOTATION]);
  if (slot !== undefined) return { trigger: 'Schedule', slot: wholeSeconds(slot) };
  return { trigger: annotations[INSTANTIATE_ANNOTATION] === 'manual' ? 'Manual' : 'External' };
}

/** Earlier than any known time. */
const UNKNOWN_TIME = new Date(0);

/**
 * `metadata.generation` of the CronJob from which the Job was created; NaN when it is unknown, as for Jobs that another client
 * created.
 */
export function parseGeneration({ job: { metadata } }: Run): number {
  return Number(metadata.annotations?.[GENERATION_ANNOTATION] ?? Number.NaN);
}

/** Sources for the last success: the status and the existing Jobs. */
interface Successes {
  readonly status: Pick<CronJobStatus, 'lastSuccessfulTime'>;
  readonly runs: readonly Run[];
}

/** When a run last succeeded; `undefined` before the first success. */
export function findLastSuccess({ status, runs }: Successes): Date | undefined {
  const ends = runs.map(({ state, finishedAt }) => (state === 'Succeeded' ? finishedAt : undefined));
  return latest(parseTime(status.lastSuccessfulTime), ...ends);
}

/** The request in the run-now annotation. */
export type RunNow =
  | { readonly kind: 'None' }
  /** A new value that needs no run, and only has to be recorded in the status. */
  | { readonly kind: 'Handled'; readonly value: string }
  | DueRunNow;

/** A new value whose run has not been started. */
export interface DueRunNow {
  readonly kind: 'Due';
  readonly value: string;
  readonly jobName: string;
  /** Whether this process could not create its Job. */
  readonly hasFailed: boolean;
}

/**
 * A value is handled when its Job exists, even if no status records it: a pass may have crashed in between. A value that was present
 * when the CronJob was created is handled too, so that a restored manifest starts nothing.
 * @param failedJobs Names of the Jobs that this process could not create.
 */
export function assessRunNow(cronJob: CronJob, runs: readonly Run[], failedJobs: readonly string[] = []): RunNow {
  const { metadata, status } = cronJob;
  const value = metadata.annotations?.[RUN_NOW_ANNOTATION];
  if (value === undefined || metadata.deletionTimestamp !== undefined || isStoredValue(value, status?.lastManualRun))
    return { kind: 'None' };
  const jobName = runNowJobName(cronJob, value);
  const isFromCreation = status?.observedGeneration === undefined && !isRunNowSetLater(cronJob);
  const isStarted = runs.some(({ job }) => job.metadata.name === jobName);
  if (isFromCreation || isStarted) return { kind: 'Handled', value };
  return { kind: 'Due', value, jobName, hasFailed: failedJobs.includes(jobName) };
}
