/** `spec.startTimeoutSeconds`: which active Jobs must have started by now, and what a Job that has not is given to end it. */
import type { Pod } from 'controller-runtime/kubernetes';
import type { Job } from '../../api/kubernetes.ts';
import { isAfter, parseTime } from '../../api/time.ts';
import { START_TIMEOUT_ANNOTATION } from '../../api/v1/groupversion.ts';
import { asText } from '../../api/v1/recent-lines.ts';
import type { Failure } from './decide.ts';
import type { Facts } from './facts.ts';
import { isControlledBy } from './job.ts';

/** A start that may still be waited for, as far as the Job tells. */
interface OpenStart {
  readonly job: Job;
  /** When its timeout passes. */
  readonly deadline: Date;
}

/** A Job that the pass has ended, because no container of it had started in time. */
export interface EndedStart {
  readonly jobName: string;
  /** That of {@link timeoutMessage}. */
  readonly message: string;
}

/** What became of the checks of a pass. */
export interface StartsChecked {
  readonly ended: readonly EndedStart[];
  /** The check that was refused, if it is the first since checks last worked: an event reports it once. */
  readonly failure?: Pick<Failure, 'jobName' | 'message'>;
  /** Wait until the next checks, in milliseconds, when some are left. */
  readonly againAfterMs?: number;
}

export const NO_STARTS_CHECKED: StartsChecked = { ended: [] };

type StartFacts = Pick<Facts, 'cronJob' | 'runs' | 'now'>;

/** The Jobs whose start timeout has passed, oldest first. Their Pods say whether they have started. */
export function jobsToCheck(facts: StartFacts): readonly Job[] {
  return openStarts(facts)
    .filter(({ deadline }) => !isAfter(deadline, facts.now))
    .toSorted((left, right) => left.deadline.getTime() - right.deadline.getTime())
    .map(({ job }) => job);
}

/** When the next timeout passes; `undefined` when none will, as things are. */
export function nextStartCheck(facts: StartFacts): Date | undefined {
  let next: Date | undefined;
  for (const { deadline } of openStarts(facts)) {
    if (isAfter(deadline, facts.now) && (next === undefined || isAfter(next, deadline))) next = deadline;
  }
  return next;
}

/** None without a timeout, nor of a CronJob that is being deleted. */
function openStarts({ cronJob, runs }: StartFacts): readonly OpenStart[] {
  const { startTimeoutSeconds: seconds } = cronJob.spec;
  if (seconds === undefined || cronJob.metadata.deletionTimestamp !== undefined) return [];
  return runs
    .filter(({ state, job }) => state === 'Active' && isControlledBy(cronJob, job) && mayWait(job))
    .map(({ job }) => openStart(job, seconds))
    .filter((start) => start !== undefined);
}

function openStart(job: Job, seconds: number): OpenStart | undefined {
  const started = parseTime(job.status?.startTime);
  const deadline = new Date((started?.getTime() ?? Number.NaN) + seconds * 1000);
  // No start, or a timeout that another CRD let in and that no clock reaches.
  return Number.isNaN(deadline.getTime()) ? undefined : { job, deadline };
}

/** Kubernetes' own. Another controller's Jobs have times and counts of its own. */
const JOB_CONTROLLER = 'kubernetes.io/job-controller';
/** True while the time of the last start is one from before the suspension, and once the end has begun. */
const NOT_WAITING: readonly string[] = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'];

/** Whether a Job may still wait for its first container, as far as the Job itself tells. */
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

/** As long as the status keeps messages, in characters. */
const MAX_MESSAGE_LENGTH = 256;

/** Why a Job is ended, for the event and the status, on one line: the Pods, and what they say, are gone when somebody looks. */
export function timeoutMessage(seconds: number, pods: readonly Pod[]): string {
  const message = `no container started within ${seconds} seconds; ${obstacleOf(pods)}`;
  return asText(message).slice(0, MAX_MESSAGE_LENGTH).toWellFormed();
}

/** Why none of these Pods has started, in the words of the first that says why. */
function obstacleOf(pods: readonly Pod[]): string {
  if (pods.length === 0) return 'it has no Pod';
  const [said] = pods.flatMap(({ metadata: { name }, status = {} }) => {
    const unscheduled = (status.conditions ?? []).filter(
      (each) => each.type === 'PodScheduled' && each.status === 'False',
    );
    const { initContainerStatuses = [], containerStatuses = [] } = status;
    const waiting = [...initContainerStatuses, ...containerStatuses].map(({ state }) => state?.waiting);
    return [...unscheduled, ...waiting]
      .filter((cause) => cause?.reason !== undefined && cause.reason !== 'PodInitializing')
      .map((cause) => [`Pod ${name}`, cause?.reason, cause?.message].filter((part) => part).join(': '));
  });
  return said ?? 'its Pods do not say why';
}

/**
 * The merge patch that ends a Job: the Job controller fails it, and its Pods end. A deadline of its own that is earlier stays. Answered by
 * 409 when the Job is another one by now, or has changed.
 * @param message For the annotation, which tells this end from one by the Job's own deadline.
 */
export function endOf({ metadata: { uid, resourceVersion }, spec }: Job, seconds: number, message: string): EndPatch {
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
