/** Reports on the Pods of a run: what they wait for, and how their containers ended. */
import type { Pod } from 'controller-runtime/kubernetes';
import type { Job } from '../../../api/kubernetes.ts';
import { formatTime } from '../../../api/time.ts';
import { type ContainerStatus, listContainerLogs, listContainerStatuses } from '../logs/container-logs.ts';
import { findNewestEvent, type JobEvent } from '../logs/job-objects.ts';
import type { PodReport, RunSummary } from './explanation.ts';
import { findHold, type Hold } from './job-hold.ts';
import { CHECK_EVENTS, findPodWait, formatDisruption, isFinished, needsPodEvents } from './pod-wait.ts';
import { createDescribeRemedy } from './remedy.ts';
import { CHECK_MANAGER, capitalize, formatReason, joinSentences, toExcerpt } from './sentences.ts';

export interface PodObservations {
  /** Oldest first. */
  readonly pods: readonly Pod[];
  /** Job of an active run; absent when it could not be read. */
  readonly job?: Job | 'Gone' | undefined;
  /** Events of the Job that could be read. Default: empty. */
  readonly events?: readonly JobEvent[];
  /** Events of {@link findPodNeedingEvents} that could be read. Default: empty. */
  readonly podEvents?: readonly JobEvent[];
  readonly namespace: string;
  readonly now: Date;
}

/** Whether the events of the Job are needed, because it has no Pod with more details. */
export function needsJobEvents({ result, reason }: RunSummary, pods: readonly Pod[]): boolean {
  return pods.length === 0 && (result === 'Running' || reason === START_TIMEOUT);
}

/** The Pod whose events alone show what it waits for. */
export function findPodNeedingEvents(pods: readonly Pod[]): Pod | undefined {
  return pods.findLast(needsPodEvents);
}

export function reportOnPods(run: RunSummary, observations: PodObservations): PodReport {
  const hold = typeof observations.job === 'object' ? findHold(observations.job) : undefined;
  const findings = { jobName: run.jobName, ...describePods(run, observations) };
  return hold === undefined ? findings : addHold(hold, findings, observations.pods.length > 0);
}

type PodFindings = Omit<PodReport, 'jobName'>;

function describePods(run: RunSummary, observations: PodObservations): PodFindings {
  if (observations.pods.length > 0) return describeExistingPods(run, observations);
  return run.result === 'Running' ? describeMissingPod(run, observations) : describeDeletedPods(run, observations);
}

/** Puts the hold of the Job first; the wait of its Pods may be more relevant. */
function addHold({ why, remedy }: Hold, findings: PodReport, hasPods: boolean): PodReport {
  const { jobName, notStarted } = findings;
  const podSentence = hasPods ? (notStarted === undefined ? findings.sentence : `${capitalize(notStarted.why)}.`) : '';
  const base = { jobName, isHeld: true, remedy: (hasPods ? findings.remedy : undefined) ?? remedy };
  return notStarted === undefined
    ? { ...base, sentence: joinSentences(`It ${why}.`, podSentence) }
    : { ...base, sentence: podSentence, notStarted: { ...notStarted, why: `it ${why}` } };
}

/** Reports what the newest waiting Pod waits for, and how a Pod ended. */
function describeExistingPods(
  { result, createdTime }: RunSummary,
  { pods, podEvents, now }: PodObservations,
): PodFindings {
  const podWithEvents = findPodNeedingEvents(pods);
  const waiting = pods
    .map((pod) => findPodWait({ pod, now, events: pod === podWithEvents ? podEvents : undefined }))
    .filter((wait) => wait !== undefined);
  const newest = waiting.at(-1);
  const remedy = newest && { remedy: newest.remedy };
  const why = newest && `${newest.text}${formatOthers(waiting.length - 1)}`;
  const hasStarted = pods.some((pod) => isFinished(pod) || listContainerLogs(pod).some((log) => log.hasStarted));
  const since = hasStarted ? undefined : findOldCreation(createdTime, now);
  if (why !== undefined && since !== undefined) return { sentence: '', notStarted: { since, why }, ...remedy };
  const end = pods.map(describePodEnd).findLast((text) => text !== '');
  const sentence = joinSentences(why && `${capitalize(why)}.`, end);
  const isSilent = sentence === '' && result === 'Failed';
  return { sentence: isSilent ? 'Its Pods do not show how its containers ended.' : sentence, ...remedy };
}

/** The report on an active run without a Pod. */
function describeMissingPod(
  { jobName: name, createdTime }: RunSummary,
  { job, events = [], namespace, now }: PodObservations,
): PodFindings {
  if (job === 'Gone') {
    const sentence = 'Its Job no longer exists, and no manager has recorded that yet.';
    return { sentence, isHeld: true, remedy: { change: CHECK_MANAGER } };
  }
  const refusal = findCreateError(events);
  const cause = refusal === undefined ? '' : `: ${refusal}`;
  const hadPod = events.some(({ reason }) => reason === POD_CREATED);
  const since = hadPod ? undefined : findOldCreation(createdTime, now);
  const isUnexplained = since !== undefined && refusal === undefined;
  const remedy = createDescribeRemedy(isUnexplained ? CHECK_JOB_CONTROLLER : CHECK_EVENTS, 'job', { name, namespace });
  return since === undefined
    ? { sentence: `It has no Pod ${hadPod ? 'now' : 'yet'}${cause}.`, remedy }
    : { sentence: '', notStarted: { since, why: `it has no Pod${cause}` }, remedy };
}

const CHECK_JOB_CONTROLLER = 'check its events, and that kube-controller-manager runs, which creates Pods';

/** The report on a failed run without a Pod. */
function describeDeletedPods(
  { jobName: name, reason }: RunSummary,
  { events = [], namespace }: PodObservations,
): PodFindings {
  if (reason !== START_TIMEOUT) {
    return { sentence: 'Its Pods no longer exist, so the exit codes of its containers are unknown.', areGone: true };
  }
  const refusal = events.some((each) => each.reason === POD_CREATED) ? undefined : findCreateError(events);
  return {
    sentence: refusal === undefined ? '' : `It never had a Pod: ${refusal}.`,
    areGone: true,
    remedy: createDescribeRemedy('check the events of its Job, or increase startTimeoutSeconds', 'job', {
      name,
      namespace,
    }),
  };
}

/** The reason of a run that the manager has ended because no container had started. */
const START_TIMEOUT = 'StartTimeout';
/** Event reasons of Kubernetes' Job controller. */
const POD_REFUSED = 'FailedCreate';
const POD_CREATED = 'SuccessfulCreate';

/** Why the Job could not create a Pod, from its newest event. */
function findCreateError(events: readonly JobEvent[]): string | undefined {
  const newest = findNewestEvent(events.filter(({ reason }) => reason === POD_REFUSED));
  return newest && toExcerpt(newest.message?.replace(/^Error creating: /, ''));
}

/** Longer than a Pod usually takes to start. */
const LONG_MS = 60_000;

/** RFC 3339; `undefined` when the run was created recently. */
function findOldCreation(createdTime: Date | undefined, now: Date): string | undefined {
  const isLong = createdTime !== undefined && now.getTime() - createdTime.getTime() >= LONG_MS;
  return isLong ? formatTime(createdTime) : undefined;
}

function formatOthers(count: number): string {
  return count === 0 ? '' : `, and ${count} more of its Pods also ${count === 1 ? 'waits' : 'wait'}`;
}

/** How a Pod or its containers ended with an error. Empty without an error. */
function describePodEnd(pod: Pod): string {
  const { name } = pod.metadata;
  const { status = {} } = pod;
  const exits = listContainerStatuses(status).map((each) => describeContainerExit(each, name));
  const hasFailed = status.phase === 'Failed';
  const by = hasFailed ? formatDisruption(pod) : '';
  const text = joinSentences(by && `Kubernetes terminated its Pod ${name}${by}.`, ...exits);
  if (text !== '' || !hasFailed || status.reason === undefined) return text;
  return `Its Pod ${name} failed: ${formatReason(status.reason, toExcerpt(status.message))}.`;
}

/** Empty for a container that is running or has succeeded. */
function describeContainerExit({ name, state, lastState }: ContainerStatus, pod: string): string {
  const { exitCode = 0, reason, message = '' } = state?.terminated ?? lastState?.terminated ?? {};
  if (exitCode === 0) return '';
  const why = reason === undefined ? '' : ` (${reason})`;
  return `Container ${name} of its Pod ${pod} ended with exit code ${exitCode}${why}${message === '' ? '' : `: ${toExcerpt(message)}`}.`;
}
