/** Finds what keeps a Pod from running or from being deleted, and the remedy. */
import type { Pod } from 'controller-runtime/kubernetes';
import { formatTime, parseTime } from '../../../api/time.ts';
import {
  type ContainerStatus,
  findUnschedulableReason,
  findWaitingReason,
  listContainerStatuses,
} from '../logs/container-logs.ts';
import { findNewestEvent, type JobEvent } from '../logs/job-objects.ts';
import { adviseOnFinalizers, adviseOnOwners, formatFinalizers } from './job-hold.ts';
import { createDescribeRemedy, createKubectlRemedy, type Remedy } from './remedy.ts';
import { formatReason, toExcerpt } from './sentences.ts';

export interface PodWait {
  /** A part of a sentence, such as `its Pod a is Pending`. */
  readonly text: string;
  readonly remedy: Remedy;
}

interface PodInput {
  readonly pod: Pod;
  /** Events of the Pod. Default: empty. */
  readonly events?: readonly JobEvent[] | undefined;
  readonly now: Date;
}

/** `undefined` when nothing holds the Pod. */
export function findPodWait({ pod, events = [], now }: PodInput): PodWait | undefined {
  const deletion = findPodDeletion(pod, now);
  if (deletion !== undefined || isFinished(pod)) return deletion;
  return findLostNode(pod) ?? findSchedulingWait(pod) ?? findContainerWait(pod, events);
}

export function isFinished({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded';
}

/** A finalizer that Kubernetes' own Job controller sets on each of its Pods. */
const JOB_TRACKING = 'batch.kubernetes.io/job-tracking';
/** Longer than a kubelet takes after the grace period. */
const LOST_AFTER_MS = 60_000;

function findPodDeletion(pod: Pod, now: Date): PodWait | undefined {
  const { name, deletionTimestamp, finalizers = [] } = pod.metadata;
  const at = parseTime(deletionTimestamp);
  if (at === undefined) return undefined;
  const due = `its Pod ${name} is being deleted${formatDisruption(pod)}`;
  const others = finalizers.filter((each) => each !== JOB_TRACKING);
  if (others.length > 0) {
    const remedy = adviseOnFinalizers(others, 'pod', pod.metadata);
    return { text: `${due} and waits for ${formatFinalizers(others)}`, remedy };
  }
  if (isFinished(pod)) {
    if (!finalizers.includes(JOB_TRACKING)) return undefined;
    const remedy = { change: 'wait; if it remains, check that kube-controller-manager runs' };
    return { text: `${due} and waits until the Job controller counts it (finalizer ${JOB_TRACKING})`, remedy };
  }
  // The time includes the grace period.
  if (now.getTime() - at.getTime() < LOST_AFTER_MS) return { text: due, remedy: { change: 'wait until it ends' } };
  return {
    text: `${due} and should have ended by ${formatTime(at)}, but ${formatNode(pod)} does not confirm it`,
    remedy: adviseOnNode(pod),
  };
}

/** Why Kubernetes has ended a Pod, in parentheses; empty for any other Pod. */
export function formatDisruption({ status }: Pod): string {
  const found = status?.conditions?.find((each) => each.type === 'DisruptionTarget' && each.status === 'True');
  return found === undefined ? '' : ` (${formatReason(found.reason, toExcerpt(found.message))})`;
}

function formatNode({ spec }: Pod): string {
  return spec.nodeName === undefined ? 'its node' : `node ${spec.nodeName}`;
}

/** A Pod on a disconnected node may still run, so the remedy must not start it a second time. */
function adviseOnNode({ spec, metadata }: Pod): Remedy {
  const { nodeName } = spec;
  if (nodeName === undefined) return createDescribeRemedy(CHECK_EVENTS, 'pod', metadata);
  const change =
    'check whether the node works; if its machine no longer exists, delete the Node object, which also deletes its Pods';
  return createKubectlRemedy(change, 'describe', 'node', nodeName);
}

export const CHECK_EVENTS = 'check its events';

function findLostNode(pod: Pod): PodWait | undefined {
  const { phase, reason } = pod.status ?? {};
  if (phase !== 'Unknown' && reason !== 'NodeLost') return undefined;
  return {
    text: `the state of its Pod ${pod.metadata.name} is unknown: ${formatNode(pod)} is lost`,
    remedy: adviseOnNode(pod),
  };
}

function findSchedulingWait({ metadata, spec, status = {} }: Pod): PodWait | undefined {
  const { name } = metadata;
  const gates = (spec.schedulingGates ?? []).map((gate) => gate.name);
  if (gates.length > 0) {
    const words = `the scheduling ${gates.length === 1 ? 'gate' : 'gates'} ${gates.join(' and ')}`;
    return {
      text: `its Pod ${name} waits for ${words}`,
      remedy: createDescribeRemedy(adviseOnOwners(gates), 'pod', metadata),
    };
  }
  const refused = findUnschedulableReason(status);
  if (refused === undefined) return undefined;
  const change = `free resources or add a node, then it starts by itself; if no node can fit it, ${FIX_TEMPLATE}`;
  return {
    text: `its Pod ${name} is not scheduled: ${toExcerpt(refused)}`,
    remedy: createDescribeRemedy(change, 'pod', metadata),
  };
}

/** Does not advise to delete the Job: its scheduled time would not run again. */
const FIX_TEMPLATE = 'correct spec.jobTemplate for the next runs (this Job keeps the old template)';
const FIX_IMAGE = `make sure that the image exists and can be pulled, then it starts by itself; if its name is wrong, ${FIX_TEMPLATE}`;
const CREATE_MISSING = 'create the missing object, then it starts by itself';

/** Remedies by the waiting reason of a container. For other reasons, see the events. */
const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['ErrImagePull', FIX_IMAGE],
  ['ImagePullBackOff', FIX_IMAGE],
  ['RegistryUnavailable', FIX_IMAGE],
  ['ErrImageNeverPull', FIX_IMAGE],
  ['InvalidImageName', FIX_TEMPLATE],
  ['CreateContainerConfigError', CREATE_MISSING],
  ['ContainerCreating', CREATE_MISSING],
]);

function findContainerWait({ metadata, status = {} }: Pod, events: readonly JobEvent[]): PodWait | undefined {
  const { name } = metadata;
  const { initContainerStatuses = [] } = status;
  const statuses = listContainerStatuses(status);
  const waiting = statuses.filter((each) => findWaitingReason(each) !== undefined);
  // The other containers wait for the init containers.
  const first = waiting.find(({ state }) => state?.waiting?.reason !== 'PodInitializing');
  if (first !== undefined) return describeContainerWait(first, metadata, events);
  const init = initContainerStatuses.find(({ state }) => state?.running !== undefined);
  const remedy = createDescribeRemedy(CHECK_EVENTS, 'pod', metadata);
  if (waiting.length > 0 && init) return { text: `its Pod ${name} waits for its init container ${init.name}`, remedy };
  if (statuses.length > 0 || status.phase !== 'Pending') return undefined;
  return { text: `its Pod ${name} is Pending${formatNewestWarning(events)}`, remedy };
}

function describeContainerWait(
  found: ContainerStatus,
  metadata: Pod['metadata'],
  events: readonly JobEvent[],
): PodWait {
  const { reason = '', message } = found.state?.waiting ?? {};
  const warning = message === undefined ? formatNewestWarning(events) : '';
  const isUnexplained = reason === 'ContainerCreating' && warning === '';
  const change = (isUnexplained ? undefined : REMEDIES.get(reason)) ?? CHECK_EVENTS;
  return {
    text: `container ${found.name} of its Pod ${metadata.name} is waiting: ${toExcerpt(findWaitingReason(found))}${warning}`,
    remedy: createDescribeRemedy(change, 'pod', metadata),
  };
}

/** Whether only the events of the Pod show what it waits for, such as a mounted Secret. */
export function needsPodEvents({ metadata, status = {} }: Pod): boolean {
  const isOpen = status.phase === 'Pending' && metadata.deletionTimestamp === undefined;
  if (!isOpen || findUnschedulableReason(status) !== undefined) return false;
  return listContainerStatuses(status).every(({ state }) =>
    ['ContainerCreating', 'PodInitializing'].includes(state?.waiting?.reason ?? ''),
  );
}

/** The newest problem with its volumes, its network or its image. */
function formatNewestWarning(events: readonly JobEvent[]): string {
  const newest = findNewestEvent(events.filter(({ type }) => type === 'Warning'));
  return newest === undefined ? '' : `: ${toExcerpt(formatReason(newest.reason, newest.message))}`;
}
