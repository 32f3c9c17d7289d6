/** Finds the reason that a Pod cannot start or cannot be deleted, and the remedy. */
import type { Pod } from 'controller-runtime/kubernetes';
import { formatTime, parseTime } from '../../../api/time.ts';
import {
  type ContainerStatus,
  findUnschedulableReason,
  findWaitingReason,
  listContainerStatuses,
} from '../logs/container-logs.ts';
import { findNewestEvent, type JobEvent } from '../logs/pods-and-events.ts';
import { adviseOnFinalizers, adviseOnOwners, formatFinalizers } from './job-blocker.ts';
import { createDescribeRemedy, createKubectlRemedy, type Remedy } from './remedy.ts';
import { formatReason, toExcerpt } from './sentences.ts';

export interface PodWait {
  /** A clause such as `its Pod a is Pending`. */
  readonly description: string;
  readonly remedy: Remedy;
}

interface PodInput {
  readonly pod: Pod;
  /** Events of the Pod. Default: empty. */
  readonly events?: readonly JobEvent[] | undefined;
  readonly now: Date;
}

/** Returns `undefined` if the Pod does not wait. */
export function findPodWait({ pod, events = [], now }: PodInput): PodWait | undefined {
  const deletionWait = findPodDeletion(pod, now);
  if (deletionWait !== undefined || isFinished(pod)) return deletionWait;
  return (
    findLostNode(pod) ?? findSchedulingWait(pod) ?? findWaitingContainer(pod, events) ?? findRemainingContainer(pod)
  );
}

export function isFinished({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded';
}

/** The finalizer that the Kubernetes Job controller adds to each Pod. */
const JOB_TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';
/** A working kubelet deletes a Pod within one minute after the grace period. */
const MAX_POD_DELETION_MS = 60_000;

function findPodDeletion(pod: Pod, now: Date): PodWait | undefined {
  const { name, deletionTimestamp, finalizers = [] } = pod.metadata;
  const deletionTime = parseTime(deletionTimestamp);
  if (deletionTime === undefined) return undefined;
  const deletionClause = `its Pod ${name} is being deleted${formatDisruption(pod)}`;
  const otherFinalizers = finalizers.filter((each) => each !== JOB_TRACKING_FINALIZER);
  if (otherFinalizers.length > 0) {
    const remedy = adviseOnFinalizers(otherFinalizers, 'pod', pod.metadata);
    return { description: `${deletionClause} and waits for ${formatFinalizers(otherFinalizers)}`, remedy };
  }
  if (isFinished(pod)) {
    if (!finalizers.includes(JOB_TRACKING_FINALIZER)) return undefined;
    const remedy = { change: 'wait; if it remains, check that kube-controller-manager runs' };
    return {
      description: `${deletionClause} and waits until the Job controller counts it (finalizer ${JOB_TRACKING_FINALIZER})`,
      remedy,
    };
  }
  // `deletionTimestamp` includes the grace period.
  if (now.getTime() - deletionTime.getTime() < MAX_POD_DELETION_MS)
    return { description: deletionClause, remedy: { change: 'wait until it ends' } };
  return {
    description: `${deletionClause} and should have ended by ${formatTime(deletionTime)}, but ${formatNode(pod)} does not confirm it`,
    remedy: adviseOnNode(pod),
  };
}

/** Returns the reason that Kubernetes terminated the Pod, in parentheses, or an empty string. */
export function formatDisruption({ status }: Pod): string {
  const disruption = status?.conditions?.find((each) => each.type === 'DisruptionTarget' && each.status === 'True');
  return disruption === undefined ? '' : ` (${formatReason(disruption.reason, toExcerpt(disruption.message))})`;
}

function formatNode({ spec }: Pod): string {
  return spec.nodeName === undefined ? 'its node' : `node ${spec.nodeName}`;
}

/** A Pod on a disconnected node may still run, so the remedy must not start a second Pod. */
function adviseOnNode({ spec, metadata }: Pod): Remedy {
  const { nodeName } = spec;
  if (nodeName === undefined) return createDescribeRemedy(CHECK_EVENTS_ADVICE, 'pod', metadata);
  const advice =
    'check whether the node works; if its machine no longer exists, delete the Node object, which also deletes its Pods';
  return createKubectlRemedy(advice, 'describe', 'node', nodeName);
}

export const CHECK_EVENTS_ADVICE = 'check its events';

function findLostNode(pod: Pod): PodWait | undefined {
  const { phase, reason } = pod.status ?? {};
  if (phase !== 'Unknown' && reason !== 'NodeLost') return undefined;
  return {
    description: `the state of its Pod ${pod.metadata.name} is unknown: ${formatNode(pod)} is lost`,
    remedy: adviseOnNode(pod),
  };
}

function findSchedulingWait({ metadata, spec, status = {} }: Pod): PodWait | undefined {
  const { name } = metadata;
  const gates = (spec.schedulingGates ?? []).map((gate) => gate.name);
  if (gates.length > 0) {
    const gateNames = `the scheduling ${gates.length === 1 ? 'gate' : 'gates'} ${gates.join(' and ')}`;
    return {
      description: `its Pod ${name} waits for ${gateNames}`,
      remedy: createDescribeRemedy(adviseOnOwners(gates), 'pod', metadata),
    };
  }
  const unschedulableReason = findUnschedulableReason(status);
  if (unschedulableReason === undefined) return undefined;
  return {
    description: `its Pod ${name} is not scheduled: ${toExcerpt(unschedulableReason)}`,
    remedy: createDescribeRemedy(formatFixAdvice(', such as too few resources or a missing volume'), 'pod', metadata),
  };
}

/** Does not suggest deleting the Job, because the manager does not create a deleted Job again. */
const FIX_TEMPLATE_ADVICE = 'correct spec.jobTemplate for the next runs (this Job keeps the old template)';
const FIX_IMAGE_ADVICE = `make sure that the image exists and can be pulled, then it starts by itself; if its name is wrong, ${FIX_TEMPLATE_ADVICE}`;

/** @param examples The causes that are frequent. Only the message can tell the cause, which is often not a missing object. */
function formatFixAdvice(examples: string): string {
  return `fix the cause${examples}, then it starts by itself; if the template is wrong, ${FIX_TEMPLATE_ADVICE}`;
}

/** The advice for a problem whose cause is in a message of Kubernetes. */
export const FIX_CAUSE_ADVICE = formatFixAdvice('');

/** The advice for each reason of the `waiting` state of a container. */
const ADVICE_BY_WAITING_REASON: ReadonlyMap<string, string> = new Map([
  ['ErrImagePull', FIX_IMAGE_ADVICE],
  ['ImagePullBackOff', FIX_IMAGE_ADVICE],
  ['RegistryUnavailable', FIX_IMAGE_ADVICE],
  ['ErrImageNeverPull', FIX_IMAGE_ADVICE],
  ['InvalidImageName', FIX_TEMPLATE_ADVICE],
  ['CreateContainerConfigError', FIX_CAUSE_ADVICE],
  ['ContainerCreating', FIX_CAUSE_ADVICE],
  ['PodInitializing', FIX_CAUSE_ADVICE],
]);

/** The reasons of a container that has not been created. Only an event shows the problem. */
const CREATING_REASONS: readonly string[] = ['ContainerCreating', 'PodInitializing'];

function findWaitingContainer(pod: Pod, events: readonly JobEvent[]): PodWait | undefined {
  const { metadata, status = {} } = pod;
  const { name } = metadata;
  const statuses = listContainerStatuses(status);
  const waitingContainers = statuses.filter((each) => findWaitingReason(each) !== undefined);
  // Containers with the reason PodInitializing wait for the init containers.
  const waitingContainer = waitingContainers.find(({ state }) => state?.waiting?.reason !== 'PodInitializing');
  if (waitingContainer !== undefined) return describeWaitingContainerState(waitingContainer, metadata, events);
  const initContainer = waitingContainers.length > 0 ? findUnfinishedInitContainer(pod) : undefined;
  // Until the volumes are mounted and the image is pulled, the reason of the first init container is also PodInitializing.
  if (initContainer?.state?.waiting !== undefined)
    return describeWaitingContainerState(initContainer, metadata, events);
  const remedy = createDescribeRemedy(CHECK_EVENTS_ADVICE, 'pod', metadata);
  if (initContainer !== undefined)
    return { description: `its Pod ${name} waits for its init container ${initContainer.name}`, remedy };
  if (statuses.length > 0 || status.phase !== 'Pending') return undefined;
  return { description: `its Pod ${name} is Pending${formatNewestWarning(events)}`, remedy };
}

/** Returns the first init container for which the next container waits. A sidecar that has started delays no container. */
function findUnfinishedInitContainer({ spec, status = {} }: Pod): ContainerStatus | undefined {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const sidecarNames = new Set(sidecars.map(({ name }) => name));
  return status.initContainerStatuses?.find(({ name, state, started }) =>
    sidecarNames.has(name) ? started !== true : state?.terminated?.exitCode !== 0,
  );
}

/** Finds a container that keeps the Pod running after another container of the template has ended, such as a proxy. */
function findRemainingContainer({ metadata, spec, status = {} }: Pod): PodWait | undefined {
  const { name, namespace } = metadata;
  const { containerStatuses = [], initContainerStatuses = [] } = status;
  const endedContainer = containerStatuses.find(
    // A failed container with the policy OnFailure restarts.
    ({ state }) => state?.terminated?.exitCode === 0 || (state?.terminated && spec.restartPolicy === 'Never'),
  );
  if (endedContainer === undefined) return undefined;
  const isRunning = ({ state }: ContainerStatus) => state?.running !== undefined;
  const container = containerStatuses.find(isRunning);
  const sidecar = initContainerStatuses.find(isRunning);
  const remaining = container ?? sidecar;
  if (remaining === undefined) return undefined;
  const advice =
    container === undefined
      ? 'wait; Kubernetes ends it within terminationGracePeriodSeconds'
      : `if container ${remaining.name} should end with the others, move it to initContainers with restartPolicy Always (a sidecar)`;
  return {
    description: `${container === undefined ? 'sidecar' : 'container'} ${remaining.name} of its Pod ${name} still runs after container ${endedContainer.name} has ended`,
    remedy: createKubectlRemedy(advice, 'logs', name, '-n', namespace, '-c', remaining.name),
  };
}

function describeWaitingContainerState(
  containerStatus: ContainerStatus,
  metadata: Pod['metadata'],
  events: readonly JobEvent[],
): PodWait {
  const { reason = '', message } = containerStatus.state?.waiting ?? {};
  const warning = message === undefined ? formatNewestWarning(events) : '';
  const isUnexplained = CREATING_REASONS.includes(reason) && warning === '';
  const advice = (isUnexplained ? undefined : ADVICE_BY_WAITING_REASON.get(reason)) ?? CHECK_EVENTS_ADVICE;
  return {
    description: `container ${containerStatus.name} of its Pod ${metadata.name} is waiting: ${toExcerpt(findWaitingReason(containerStatus))}${warning}`,
    remedy: createDescribeRemedy(advice, 'pod', metadata),
  };
}

/** Returns whether only the events of the Pod show the problem, for example a missing Secret. */
export function needsPodEvents({ metadata, status = {} }: Pod): boolean {
  const isPending = status.phase === 'Pending' && metadata.deletionTimestamp === undefined;
  if (!isPending || findUnschedulableReason(status) !== undefined) return false;
  return listContainerStatuses(status).every(({ state }) => CREATING_REASONS.includes(state?.waiting?.reason ?? ''));
}

/** Returns the newest warning of the Pod's events, for example about a volume or an image. */
function formatNewestWarning(events: readonly JobEvent[]): string {
  const newestWarning = findNewestEvent(events.filter(({ type }) => type === 'Warning'));
  return newestWarning === undefined ? '' : `: ${toExcerpt(formatReason(newestWarning.reason, newestWarning.message))}`;
}
