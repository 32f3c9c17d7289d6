/** What keeps a Pod from running, or from going away, and what to do about it. */
import type { Pod } from 'controller-runtime/kubernetes';
import { formatTime, parseTime } from '../../../api/time.ts';
import { type ContainerStatus, unscheduled, waitingIn } from '../logs/container-logs.ts';
import type { JobEvent } from '../logs/job-events.ts';
import { describing, listed, ownerOf, seeFinalizers } from './holder.ts';
import { finalizerWords } from './job-hold.ts';
import { newestOf } from './newest-event.ts';
import type { Remedy } from './remedy.ts';
import { ended } from './sentences.ts';

export interface PodWait {
  /** Without a full stop. */
  readonly text: string;
  readonly remedy: Remedy;
}

export interface PodSeen {
  readonly pod: Pod;
  /** Of the Pod. Default none. */
  readonly events?: readonly JobEvent[] | undefined;
  readonly now: Date;
}

/** `undefined` when nothing does. */
export function waitOf(seen: PodSeen): PodWait | undefined {
  const phase = seen.pod.status?.phase;
  const isOver = phase === 'Failed' || phase === 'Succeeded';
  return deletionOf(seen) ?? (isOver ? undefined : (lostNode(seen) ?? schedulingOf(seen) ?? containerWait(seen)));
}

/** Set by Kubernetes' own controller of Jobs, on each of its Pods. */
const JOB_TRACKING = 'batch.kubernetes.io/job-tracking';
/** More than a kubelet takes beyond the grace period. */
const LOST_AFTER_MS = 60_000;

function deletionOf({ pod, now }: PodSeen): PodWait | undefined {
  const { name, namespace, deletionTimestamp, finalizers = [] } = pod.metadata;
  const at = parseTime(deletionTimestamp);
  if (at === undefined) return undefined;
  const due = `Its Pod ${name} is being deleted${disruption(pod)}`;
  const others = finalizers.filter((each) => each !== JOB_TRACKING);
  if (others.length > 0) {
    const remedy = seeFinalizers(listed(others.map(ownerOf)), 'pod', name, namespace);
    return { text: `${due}, and kept by ${finalizerWords(others)}`, remedy };
  }
  const isOver = pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded';
  if (isOver && finalizers.includes(JOB_TRACKING)) {
    const remedy = { change: 'wait; if it stays, see whether kube-controller-manager runs' };
    return { text: `${due}, and kept until the controller of Jobs has counted it (finalizer ${JOB_TRACKING})`, remedy };
  }
  if (isOver) return undefined;
  // The time includes the grace period.
  if (now.getTime() - at.getTime() < LOST_AFTER_MS) return { text: due, remedy: { change: 'wait until it has ended' } };
  return {
    text: `${due}, and should have ended by ${formatTime(at)}: ${nodeOf(pod)} does not say that it has`,
    remedy: nodeRemedy(pod),
  };
}

/** Why Kubernetes has ended a Pod, in parentheses; empty when it has not. */
export function disruption({ status }: Pod): string {
  const found = status?.conditions?.find((each) => each.type === 'DisruptionTarget' && each.status === 'True');
  if (found === undefined) return '';
  return ` (${[found.reason, ended(found.message ?? '')].filter((text) => text).join(': ')})`;
}

function nodeOf({ spec }: Pod): string {
  return spec.nodeName === undefined ? 'its node' : `node ${spec.nodeName}`;
}

/** A Pod of a node that is cut off may run on, so nothing here may start it a second time. */
function nodeRemedy({ spec, metadata }: Pod): Remedy {
  const change = 'see whether the node works; if its machine is gone for good, delete the Node, and its Pods go too';
  const { nodeName } = spec;
  return nodeName === undefined
    ? describing('see its events', 'pod', metadata.name, metadata.namespace)
    : describing(change, 'node', nodeName);
}

function lostNode({ pod }: PodSeen): PodWait | undefined {
  const { phase, reason } = pod.status ?? {};
  if (phase !== 'Unknown' && reason !== 'NodeLost') return undefined;
  return { text: `Nothing is known of its Pod ${pod.metadata.name}: ${nodeOf(pod)} is lost`, remedy: nodeRemedy(pod) };
}

function schedulingOf({ pod }: PodSeen): PodWait | undefined {
  const { name, namespace } = pod.metadata;
  const gates = (pod.spec.schedulingGates ?? []).map((gate) => gate.name);
  if (gates.length > 0) {
    const words = `the scheduling ${gates.length === 1 ? 'gate' : 'gates'} ${listed(gates)}`;
    const change = `see that ${listed([...new Set(gates.map(ownerOf))])} works, which removes it`;
    return { text: `Its Pod ${name} waits for ${words}`, remedy: describing(change, 'pod', name, namespace) };
  }
  const refused = unscheduled(pod.status ?? {});
  if (refused === undefined) return undefined;
  const change = `make room, and it starts by itself; if it asks for what no node has, ${ANEW}`;
  return {
    text: `Its Pod ${name} is not scheduled: ${ended(refused)}`,
    remedy: describing(change, 'pod', name, namespace),
  };
}

/** No advice to delete the Job: its scheduled time would not run again. */
const ANEW = 'correct spec.jobTemplate for the next runs, as this Job keeps the old one';
const IMAGE = `see that the image exists and may be pulled, and it starts by itself; if its name is wrong, ${ANEW}`;
const MISSING = 'create what is missing, and it starts by itself';

/** By the reason for which a container waits. Others: see the events. */
const CHANGES: Readonly<Record<string, string>> = {
  ...{ ErrImagePull: IMAGE, ImagePullBackOff: IMAGE, RegistryUnavailable: IMAGE, ErrImageNeverPull: IMAGE },
  InvalidImageName: ANEW,
  ...{ CreateContainerConfigError: MISSING, CreateContainerError: 'see its events', ContainerCreating: MISSING },
};

function containerWait({ pod, events = [] }: PodSeen): PodWait | undefined {
  const { metadata, status = {} } = pod;
  const { initContainerStatuses = [], containerStatuses = [] } = status;
  const waiting = [...initContainerStatuses, ...containerStatuses].filter((each) => waitingIn(each) !== undefined);
  // The others wait for the init containers.
  const first = waiting.find(({ state }) => state?.waiting?.reason !== 'PodInitializing');
  if (first !== undefined) return waitOfContainer(first, pod, events);
  const see = (change: string) => describing(change, 'pod', metadata.name, metadata.namespace);
  const init = initContainerStatuses.find(({ state }) => state?.running !== undefined);
  if (waiting.length > 0 && init) {
    return {
      text: `Its Pod ${metadata.name} waits for its init container ${init.name}`,
      remedy: see('see its events'),
    };
  }
  const isUnknown = initContainerStatuses.length + containerStatuses.length === 0;
  if (!isUnknown || status.phase !== 'Pending') return undefined;
  return { text: `Its Pod ${metadata.name} waits: Pending${eventWords(events)}`, remedy: see('see its events') };
}

function waitOfContainer(found: ContainerStatus, { metadata }: Pod, events: readonly JobEvent[]): PodWait {
  const { reason = '', message } = found.state?.waiting ?? {};
  const told = message === undefined ? eventWords(events) : '';
  const isMounting = reason !== 'ContainerCreating' || told !== '';
  const change = (isMounting ? CHANGES[reason] : undefined) ?? 'see its events';
  return {
    text: `Container ${found.name} of its Pod ${metadata.name} waits: ${ended(waitingIn(found) ?? '')}${told}`,
    remedy: describing(change, 'pod', metadata.name, metadata.namespace),
  };
}

/** Whether only the events of the Pod say what it waits for, such as a Secret that is mounted. */
export function needsPodEvents({ metadata, status = {} }: Pod): boolean {
  const { phase, initContainerStatuses = [], containerStatuses = [] } = status;
  if (phase !== 'Pending' || metadata.deletionTimestamp !== undefined || unscheduled(status) !== undefined)
    return false;
  const statuses = [...initContainerStatuses, ...containerStatuses];
  const isCreating = ({ state }: ContainerStatus) =>
    state?.waiting?.reason === 'ContainerCreating' || state?.waiting?.reason === 'PodInitializing';
  return statuses.every(isCreating);
}

/** The newest trouble with its volumes, its network or its image. */
function eventWords(events: readonly JobEvent[]): string {
  const newest = newestOf(events.filter(({ type }) => type === 'Warning'));
  return newest === undefined ? '' : `: ${ended([newest.reason, newest.message].filter((text) => text).join(': '))}`;
}
