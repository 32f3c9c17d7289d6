/** `spec.startTimeoutSeconds`: which active Jobs must have started by now, and the patch that ends a Job that has not. */
import type { Pod } from 'controller-runtime/kubernetes';
import type { Job } from '../../api/kubernetes.ts';
import { isAfter, parseTime } from '../../api/time.ts';
import { START_TIMEOUT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { asText } from '../../api/v1/recent-lines.ts';
import type { Failure } from './decide.ts';
import type { Facts } from './facts.ts';
import { isControlledBy } from './job.ts';

/** A Job that may still wait for its start, according to the Job alone. */
interface PendingStart {
  readonly job: Job;
  /** When the timeout of the Job passes. */
  readonly deadline: Date;
}

/** A Job that the pass has ended, because none of its containers had started in time. */
export interface EndedStart {
  readonly jobName: string;
  /** The message of {@link timeoutMessage}. */
  readonly message: string;
}

/** The results of the checks of a pass. */
export interface StartCheckResult {
  readonly ended: readonly EndedStart[];
  /** The refused check, if it is the first since checks last worked: an event reports it once. */
  readonly failure?: Pick<Failure, 'jobName' | 'message'>;
  /** Wait until the remaining checks, in milliseconds; absent when no checks remain. */
  readonly againAfterMs?: number;
}

export const NO_START_CHECKS: StartCheckResult = { ended: [] };

type StartFacts = Pick<Facts, 'cronJob' | 'runs' | 'now'>;

/** The Jobs whose start timeout has passed, oldest first. Their Pods show whether they have started. */
export function jobsToCheck(facts: StartFacts): readonly Job[] {
  return pendingStarts(facts)
    .filter(({ deadline }) => !isAfter(deadline, facts.now))
    .toSorted((left, right) => left.deadline.getTime() - right.deadline.getTime())
    .map(({ job }) => job);
}

/** When the next timeout passes; `undefined` when no Job has a timeout ahead. */
export function nextStartCheck(facts: StartFacts): Date | undefined {
  let next: Date | undefined;
  for (const { deadline } of pendingStarts(facts)) {
    if (isAfter(deadline, facts.now) && (next === undefined || isAfter(next, deadline))) next = deadline;
  }
  return next;
}

/** Empty without a timeout, and for a CronJob that is being deleted. */
function pendingStarts({ cronJob, runs }: StartFacts): readonly PendingStart[] {
  const { startTimeoutSeconds: seconds } = cronJob.spec;
  if (seconds === undefined || cronJob.metadata.deletionTimestamp !== undefined) return [];
  return runs
    .filter(({ state, job }) => state === 'Active' && isControlledBy(cronJob, job) && mayWait(job))
    .map(({ job }) => toPendingStart(job, seconds))
    .filter((start) => start !== undefined);
}

function toPendingStart(job: Job, seconds: number): PendingStart | undefined {
  const started = parseTime(job.status?.startTime);
  const deadline = new Date((started?.getTime() ?? Number.NaN) + seconds * 1000);
  // The Job has no start time, or another CRD allowed a timeout that exceeds a Date.
  return Number.isNaN(deadline.getTime()) ? undefined : { job, deadline };
}

/** Kubernetes' own controller. Jobs of another controller have their own times and counts. */
const JOB_CONTROLLER = 'kubernetes.io/job-controller';
/** True while the last start time is from before the suspension, and after the end has begun. */
const NOT_WAITING: readonly string[] = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'];

/** Whether a Job may still wait for its first container, according to the Job alone. */
function mayWait({ metadata, spec, status = {} }: Job): boolean {
  const { suspend, managedBy = JOB_CONTROLLER } = spec;
  const { ready = 0, succeeded = 0, failed = 0, conditions = [] } = status;
  if (metadata.deletionTimestamp !== undefined) return false;
  if (metadata.annotations?.[START_TIMEOUT_ANNOTATION] !== undefined) return false;
  if (suspend === true || managedBy !== JOB_CONTROLLER) return false;
  if (conditions.some((each) => NOT_WAITING.includes(each.type) && each.status === 'True')) return false;
  return ready === 0 && succeeded === 0 && failed === 0;
}

/** Whether any container of the Pod has started, init containers included: it runs, has ended, or was restarted. */
export function hasStarted({ status = {} }: Pod): boolean {
  const { initContainerStatuses = [], containerStatuses = [] } = status;
  return [...initContainerStatuses, ...containerStatuses].some(
    ({ state, lastState, restartCount }) =>
      state?.running !== undefined ||
      state?.terminated !== undefined ||
      lastState?.terminated !== undefined ||
      restartCount > 0,
  );
}

/** Maximum length of a message in the status, in characters. */
const MAX_MESSAGE_LENGTH = 256;

/** Why a Job is ended, on one line, for the event and the status: the Pods and their messages are gone when a user looks. */
export function timeoutMessage(seconds: number, pods: readonly Pod[]): string {
  const message = `no container started within ${seconds} seconds; ${describeObstacle(pods)}`;
  return asText(message).slice(0, MAX_MESSAGE_LENGTH).toWellFormed();
}

/** Why none of these Pods has started, as the first Pod with a reason reports it. */
function describeObstacle(pods: readonly Pod[]): string {
  if (pods.length === 0) return 'it has no Pod';
  const [firstReason] = pods.flatMap(({ metadata: { name }, status = {} }) => {
    const unscheduled = (status.conditions ?? []).filter(
      (each) => each.type === 'PodScheduled' && each.status === 'False',
    );
    const { initContainerStatuses = [], containerStatuses = [] } = status;
    const waiting = [...initContainerStatuses, ...containerStatuses].map(({ state }) => state?.waiting);
    return [...unscheduled, ...waiting]
      .filter((cause) => cause?.reason !== undefined && cause.reason !== 'PodInitializing')
      .map((cause) => [`Pod ${name}`, cause?.reason, cause?.message].filter((part) => part).join(': '));
  });
  return firstReason ?? 'its Pods do not say why';
}

/**
 * The merge patch that ends a Job: the Job controller fails the Job and ends its Pods. An earlier deadline of the Job stays. The
 * API server responds with 409 when the Job was replaced or has changed.
 * @param message For the annotation that distinguishes this end from the Job's own deadline.
 */
export function endJobPatch(
  { metadata: { uid, resourceVersion }, spec }: Job,
  seconds: number,
  message: string,
): EndPatch {
  const timeout = Math.max(0, Math.floor(seconds));
  const activeDeadlineSeconds = Math.min(spec.activeDeadlineSeconds ?? timeout, timeout);
  return {
    metadata: { uid, resourceVersion, annotations: { [START_TIMEOUT_ANNOTATION]: message } },
    spec: { activeDeadlineSeconds },
  };
}

interface EndPatch {
  readonly metadata: {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly activeDeadlineSeconds: number };
}
