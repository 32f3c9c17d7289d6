/** Reports why the Pods of a run wait and how the containers ended. */
import type { Pod } from 'controller-runtime/kubernetes';
import type { Job } from '../../../api/kubernetes.ts';
import { formatTime } from '../../../api/time.ts';
import { type ContainerStatus, listContainerLogs, listContainerStatuses } from '../logs/container-logs.ts';
import { findNewestEvent, type JobEvent } from '../logs/pods-and-events.ts';
import type { PodReport, RunSummary } from './explanation.ts';
import { findJobBlocker, findJobResult, type JobBlocker, type JobResult } from './job-blocker.ts';
import {
  CHECK_EVENTS_ADVICE,
  FIX_CAUSE_ADVICE,
  findPodWait,
  formatDisruption,
  isFinished,
  needsPodEvents,
} from './pod-wait.ts';
import { createDescribeRemedy } from './remedy.ts';
import { CHECK_MANAGER_ADVICE, capitalize, formatReason, joinSentences, toExcerpt } from './sentences.ts';

export interface PodObservations {
  /** Sorted by creation time, oldest first. */
  readonly pods: readonly Pod[];
  /** The Job of an active run, if the Job could be read. */
  readonly job?: Job | 'Gone' | undefined;
  /** The events of the Job that the user may read. Default: empty. */
  readonly events?: readonly JobEvent[];
  /** The events of the Pod from {@link findPodNeedingEvents}, if the user may read events. Default: empty. */
  readonly podEvents?: readonly JobEvent[];
  readonly namespace: string;
  readonly now: Date;
}

/** Returns whether the Job has no active Pods, so that the report needs the events of the Job. */
export function needsJobEvents({ result, reason }: RunSummary, pods: readonly Pod[]): boolean {
  if (result === 'Running') return pods.every(isFinished);
  return pods.length === 0 && reason === START_TIMEOUT_REASON;
}

/** Returns the newest Pod whose status does not show why the Pod waits, so that the report needs the events of the Pod. */
export function findPodNeedingEvents(pods: readonly Pod[]): Pod | undefined {
  return pods.findLast(needsPodEvents);
}

export function reportOnPods(run: RunSummary, observations: PodObservations): PodReport {
  const job = typeof observations.job === 'object' ? observations.job : undefined;
  const result = job && findJobResult(job);
  if (result !== undefined) return reportUnrecordedResult(run, result, observations.pods);
  const blocker = job && findJobBlocker(job);
  const podReport = { jobName: run.jobName, ...describePods(run, observations) };
  return blocker === undefined ? podReport : addJobBlocker(blocker, podReport, observations.pods.length > 0);
}

/** Reports a Job that has ended although the status of the CronJob lists the run as active. */
function reportUnrecordedResult(
  { jobName }: RunSummary,
  { description, hasFailed }: JobResult,
  pods: readonly Pod[],
): PodReport {
  const sentence = `Its Job ${description}, but no manager has recorded it yet.`;
  const failures = hasFailed ? pods.map(describePodFailure) : [];
  return {
    jobName,
    sentence: joinSentences(
      sentence,
      failures.findLast((text) => text !== ''),
    ),
    isJobBlocked: true,
    remedy: { change: CHECK_MANAGER_ADVICE },
  };
}

type PodFindings = Omit<PodReport, 'jobName'>;

function describePods(run: RunSummary, observations: PodObservations): PodFindings {
  if (observations.pods.length > 0) return addRefusedPod(run, observations, describeExistingPods(run, observations));
  return run.result === 'Running' ? describeMissingPod(run, observations) : describeDeletedPods(run, observations);
}

/** Puts the reason that the Job is blocked before the description of the Pods. */
function addJobBlocker({ description, remedy }: JobBlocker, podReport: PodReport, hasPods: boolean): PodReport {
  const { jobName, startDelay } = podReport;
  const podDescription = hasPods
    ? startDelay === undefined
      ? podReport.sentence
      : `${capitalize(startDelay.cause)}.`
    : '';
  const report = { jobName, isJobBlocked: true, remedy: (hasPods ? podReport.remedy : undefined) ?? remedy };
  return startDelay === undefined
    ? { ...report, sentence: joinSentences(`It ${description}.`, podDescription) }
    : { ...report, sentence: podDescription, startDelay: { ...startDelay, cause: `it ${description}` } };
}

/** Removes the containers of `kubectl debug`, which show nothing about the run. */
function withoutDebugContainers(pod: Pod): Pod {
  return { ...pod, spec: { ...pod.spec, ephemeralContainers: [] } };
}

/** Describes the newest waiting Pod and the newest failed Pod. */
function describeExistingPods(
  { result, createdTime }: RunSummary,
  { pods, podEvents, now }: PodObservations,
): PodFindings {
  const podWithEvents = findPodNeedingEvents(pods);
  const podWaits = pods
    .map((pod) => findPodWait({ pod, now, events: pod === podWithEvents ? podEvents : undefined }))
    .filter((wait) => wait !== undefined);
  const newestWait = podWaits.at(-1);
  const failedPod = pods.findLast((pod) => describePodFailure(pod) !== '');
  const hasLogs = pods.some((pod) => listContainerLogs(withoutDebugContainers(pod)).some((log) => log.hasStarted));
  const remedy = newestWait
    ? { remedy: newestWait.remedy }
    : failedPod && !hasLogs && { remedy: createDescribeRemedy(CHECK_EVENTS_ADVICE, 'pod', failedPod.metadata) };
  const cause = newestWait && `${newestWait.description}${formatOtherPods(podWaits.length - 1)}`;
  const hasStarted = hasLogs || pods.some(isFinished);
  const delayStart = hasStarted ? undefined : findDelayStart(createdTime, now);
  if (cause !== undefined && delayStart !== undefined)
    return { sentence: '', startDelay: { since: delayStart, cause }, ...remedy };
  const sentence = joinSentences(cause && `${capitalize(cause)}.`, failedPod && describePodFailure(failedPod));
  const isUnexplained = sentence === '' && result === 'Failed';
  return { sentence: isUnexplained ? 'The Pods do not show how the containers ended.' : sentence, ...remedy };
}

/** Puts the reason that no Pod replaces the ended Pods before the description of the Pods. */
function addRefusedPod(run: RunSummary, observations: PodObservations, findings: PodFindings): PodFindings {
  const { pods, events = [], namespace } = observations;
  const creationError = needsJobEvents(run, pods) ? findCreationError(events) : undefined;
  if (creationError === undefined) return findings;
  return {
    sentence: joinSentences(`It has no active Pod: ${creationError}.`, findings.sentence),
    remedy: createDescribeRemedy(FIX_CAUSE_ADVICE, 'job', { name: run.jobName, namespace }),
  };
}

function describeMissingPod(
  { jobName: name, createdTime }: RunSummary,
  { job, events = [], namespace, now }: PodObservations,
): PodFindings {
  if (job === 'Gone') {
    const sentence = 'The Job no longer exists, and no manager has recorded its deletion yet.';
    return { sentence, isJobBlocked: true, remedy: { change: CHECK_MANAGER_ADVICE } };
  }
  const creationError = findCreationError(events);
  const cause = creationError === undefined ? '' : `: ${creationError}`;
  const hasCreatedPod = events.some(({ reason }) => reason === POD_CREATED);
  const delayStart = hasCreatedPod ? undefined : findDelayStart(createdTime, now);
  const unexplainedAdvice = delayStart === undefined ? CHECK_EVENTS_ADVICE : CHECK_JOB_CONTROLLER_ADVICE;
  const advice = creationError === undefined ? unexplainedAdvice : FIX_CAUSE_ADVICE;
  const remedy = createDescribeRemedy(advice, 'job', { name, namespace });
  return delayStart === undefined
    ? { sentence: `It has no Pod ${hasCreatedPod ? 'now' : 'yet'}${cause}.`, remedy }
    : { sentence: '', startDelay: { since: delayStart, cause: `it has no Pod${cause}` }, remedy };
}

const CHECK_JOB_CONTROLLER_ADVICE = 'check its events, and that kube-controller-manager runs, which creates Pods';

function describeDeletedPods(
  { jobName: name, reason }: RunSummary,
  { events = [], namespace }: PodObservations,
): PodFindings {
  if (reason !== START_TIMEOUT_REASON) {
    return {
      sentence: 'The Pods no longer exist, so the exit codes of the containers are unknown.',
      arePodsDeleted: true,
    };
  }
  const createError = events.some((each) => each.reason === POD_CREATED) ? undefined : findCreationError(events);
  return {
    sentence: createError === undefined ? '' : `It never had a Pod: ${createError}.`,
    arePodsDeleted: true,
    remedy: createDescribeRemedy('check the events of its Job, or increase startTimeoutSeconds', 'job', {
      name,
      namespace,
    }),
  };
}

/** The failure reason if no container starts within `startTimeoutSeconds`. */
const START_TIMEOUT_REASON = 'StartTimeout';
/** Event reasons of the Kubernetes Job controller. */
const POD_CREATION_FAILED = 'FailedCreate';
const POD_CREATED = 'SuccessfulCreate';

/** Returns the message of the newest event about a failure to create a Pod, unless the Job controller has created a Pod later. */
function findCreationError(events: readonly JobEvent[]): string | undefined {
  const newestEvent = findNewestEvent(
    events.filter(({ reason }) => reason === POD_CREATION_FAILED || reason === POD_CREATED),
  );
  if (newestEvent?.reason !== POD_CREATION_FAILED) return undefined;
  return toExcerpt(newestEvent.message?.replace(/^Error creating: /, ''));
}

/** Pods usually start within one minute. */
const MIN_START_DELAY_MS = 60_000;

/** Returns the creation time of the Job in RFC 3339 format, or `undefined` if the Job is recent. */
function findDelayStart(createdTime: Date | undefined, now: Date): string | undefined {
  const isDelayed = createdTime !== undefined && now.getTime() - createdTime.getTime() >= MIN_START_DELAY_MS;
  return isDelayed ? formatTime(createdTime) : undefined;
}

function formatOtherPods(count: number): string {
  return count === 0 ? '' : `, and ${count} more of its Pods also ${count === 1 ? 'waits' : 'wait'}`;
}

/** Describes the failure of a Pod or its containers. Returns an empty string without a failure. */
function describePodFailure(pod: Pod): string {
  const { name } = pod.metadata;
  const { status = {} } = pod;
  const containerFailures = listContainerStatuses(status).map((each) => describeContainerFailure(each, name));
  const hasFailed = status.phase === 'Failed';
  const disruption = hasFailed ? formatDisruption(pod) : '';
  const text = joinSentences(disruption && `Kubernetes terminated its Pod ${name}${disruption}.`, ...containerFailures);
  if (text !== '' || !hasFailed || status.reason === undefined) return text;
  return `Its Pod ${name} failed: ${formatReason(status.reason, toExcerpt(status.message))}.`;
}

/** Returns an empty string for a container that is running or has succeeded. */
function describeContainerFailure({ name, state, lastState }: ContainerStatus, podName: string): string {
  const { exitCode = 0, reason, message = '' } = state?.terminated ?? lastState?.terminated ?? {};
  if (exitCode === 0) return '';
  const reasonText = reason === undefined ? '' : ` (${reason})`;
  return `Container ${name} of its Pod ${podName} ended with exit code ${exitCode}${reasonText}${message === '' ? '' : `: ${toExcerpt(message)}`}.`;
}
