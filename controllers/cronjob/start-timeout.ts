/** Implements `spec.startTimeoutSeconds`: finds the Jobs that should have started, and computes the patch that ends such a Job. */
import type { Pod } from 'controller-runtime/kubernetes';
import type { Job } from '../../api/kubernetes.ts';
import { isAfter, parseTime } from '../../api/time.ts';
import { START_TIMEOUT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { toTerminalText } from '../../api/v1/recent-lines.ts';
import type { StartFailure } from './decide.ts';
import type { Facts } from './facts.ts';
import { isBeingDeleted, isControlledBy } from './job.ts';

/** A Job that may not have started a container yet. */
interface PendingStart {
  readonly job: Job;
  readonly deadline: Date;
}

/** A Job that the reconcile has ended. */
export interface EndedJob {
  readonly jobName: string;
  /** See {@link formatStartTimeout}. */
  readonly message: string;
}

export interface StartCheckResult {
  readonly ended: readonly EndedJob[];
  /** The failed check. Absent for repeated failures, so that the controller sends one event for all of them. */
  readonly failure?: Pick<StartFailure, 'jobName' | 'message'>;
  /** Wait before the remaining checks, in milliseconds. Absent if no check remains. */
  readonly continueAfterMs?: number;
}

export const EMPTY_START_CHECK_RESULT: StartCheckResult = { ended: [] };

type StartFacts = Pick<Facts, 'cronJob' | 'runs' | 'now'>;

/** Returns the Jobs whose start timeout has passed, oldest first. */
export function listJobsToCheck(facts: StartFacts): readonly Job[] {
  return listPendingStarts(facts)
    .filter(({ deadline }) => !isAfter(deadline, facts.now))
    .toSorted((left, right) => left.deadline.getTime() - right.deadline.getTime())
    .map(({ job }) => job);
}

/** Returns when the next start timeout passes. */
export function findNextStartCheck(facts: StartFacts): Date | undefined {
  let next: Date | undefined;
  for (const { deadline } of listPendingStarts(facts)) {
    if (isAfter(deadline, facts.now) && (next === undefined || isAfter(next, deadline))) next = deadline;
  }
  return next;
}

function listPendingStarts({ cronJob, runs }: StartFacts): readonly PendingStart[] {
  const { startTimeoutSeconds: seconds } = cronJob.spec;
  if (seconds === undefined || isBeingDeleted(cronJob)) return [];
  return runs
    .filter(
      ({ state, job }) =>
        state === 'Active' && isControlledBy(cronJob, job) && !isBeingDeleted(job) && mayWaitForStart(job),
    )
    .map(({ job }) => toPendingStart(job, seconds))
    .filter((start) => start !== undefined);
}

function toPendingStart(job: Job, seconds: number): PendingStart | undefined {
  const startTime = parseTime(job.status?.startTime);
  const deadline = new Date((startTime?.getTime() ?? Number.NaN) + seconds * 1000);
  // The result is NaN if the Job has no start time, or if another CRD allowed a timeout beyond the range of a Date.
  return Number.isNaN(deadline.getTime()) ? undefined : { job, deadline };
}

/**
 * The name of Kubernetes' Job controller. A Job whose `managedBy` names a different controller is not checked, because that
 * controller may set the times and counts of the status differently.
 */
const JOB_CONTROLLER = 'kubernetes.io/job-controller';
/** While one of these conditions is True, the Job starts no container. */
const NO_START_CONDITIONS: readonly string[] = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'];

function mayWaitForStart({ metadata, spec, status = {} }: Job): boolean {
  const { suspend, managedBy = JOB_CONTROLLER } = spec;
  const { ready = 0, succeeded = 0, failed = 0, conditions = [] } = status;
  if (metadata.annotations?.[START_TIMEOUT_ANNOTATION] !== undefined) return false;
  if (suspend === true || managedBy !== JOB_CONTROLLER) return false;
  if (conditions.some((each) => NO_START_CONDITIONS.includes(each.type) && each.status === 'True')) return false;
  return ready === 0 && succeeded === 0 && failed === 0;
}

/** Whether a container of the Pod, init containers included, has ever started. */
export function hasStartedContainer({ status = {} }: Pod): boolean {
  const { initContainerStatuses = [], containerStatuses = [] } = status;
  return [...initContainerStatuses, ...containerStatuses].some(
    ({ state, lastState, restartCount }) =>
      state?.running !== undefined ||
      state?.terminated !== undefined ||
      lastState?.terminated !== undefined ||
      restartCount > 0,
  );
}

const MAX_MESSAGE_LENGTH = 256;

/**
 * Returns the message for the event and the status. The message contains the reason that the Pods did not start, because the Pods
 * will be deleted.
 */
export function formatStartTimeout(seconds: number, pods: readonly Pod[]): string {
  const message = `no container started within ${seconds} seconds; ${describeObstacle(pods)}`;
  return toTerminalText(message).slice(0, MAX_MESSAGE_LENGTH).toWellFormed();
}

function describeObstacle(pods: readonly Pod[]): string {
  if (pods.length === 0) return 'it has no Pod';
  const [firstReason] = pods.flatMap(({ metadata: { name }, status = {} }) => {
    const unscheduledConditions = (status.conditions ?? []).filter(
      (each) => each.type === 'PodScheduled' && each.status === 'False',
    );
    const { initContainerStatuses = [], containerStatuses = [] } = status;
    const waitingStates = [...initContainerStatuses, ...containerStatuses].map(({ state }) => state?.waiting);
    return [...unscheduledConditions, ...waitingStates]
      .filter((cause) => cause?.reason !== undefined && cause.reason !== 'PodInitializing')
      .map((cause) => [`Pod ${name}`, cause?.reason, cause?.message].filter((part) => part).join(': '));
  });
  return firstReason ?? 'its Pods do not say why';
}

/**
 * Returns the merge patch that makes the Job controller fail the Job. The API server responds with 409 if the Job has changed.
 * @param message Value of the annotation that distinguishes a start timeout from the deadline of the template.
 */
export function buildEndJobPatch({ metadata: { uid, resourceVersion }, spec }: Job, seconds: number, message: string) {
  const timeout = Math.max(0, Math.floor(seconds));
  const activeDeadlineSeconds = Math.min(spec.activeDeadlineSeconds ?? timeout, timeout);
  return {
    metadata: { uid, resourceVersion, annotations: { [START_TIMEOUT_ANNOTATION]: message } },
    spec: { activeDeadlineSeconds },
  };
}
