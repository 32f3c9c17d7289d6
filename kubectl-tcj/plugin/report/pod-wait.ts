/** Finds what keeps a Pod from running or from being deleted, and the remedy. */
import type { Pod } from 'controller-runtime/kubernetes';
import { formatTime, parseTime } from '../../../api/time.ts';
import { type ContainerStatus, statusesOf, unscheduled, waitingIn } from '../logs/container-logs.ts';
import { type JobEvent, newestOf } from '../logs/job-objects.ts';
import { finalizerWords, seeFinalizers, seeOwners } from './job-hold.ts';
import { describing, type Remedy, withKubectl } from './remedy.ts';
import { excerpt, reasonText } from './sentences.ts';

export interface PodWait {
  /** A part of a sentence, such as `its Pod a is Pending`. */
  readonly text: string;
  readonly remedy: Remedy;
}

interface PodSeen {
  readonly pod: Pod;
  /** Events of the Pod. Default: empty. */
  readonly events?: readonly JobEvent[] | undefined;
  readonly now: Date;
}

/** `undefined` when nothing holds the Pod. */
export function waitOf({ pod, events = [], now }: PodSeen): PodWait | undefined {
  const deletion = deletionOf(pod, now);
  if (deletion !== undefined || isOver(pod)) return deletion;
  return lostNode(pod) ?? schedulingOf(pod) ?? containerWait(pod, events);
}

export function isOver({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded';
}

/** A finalizer that Kubernetes' own Job controller sets on each of its Pods. */
const JOB_TRACKING = 'batch.kubernetes.io/job-tracking';
/** Longer than a kubelet takes after the grace period. */
const LOST_AFTER_MS = 60_000;

function deletionOf(pod: Pod, now: Date): PodWait | undefined {
  const { name, deletionTimestamp, finalizers = [] } = pod.metadata;
  const at = parseTime(deletionTimestamp);
  if (at === undefined) return undefined;
  const due = `its Pod ${name} is being deleted${disruption(pod)}`;
  const others = finalizers.filter((each) => each !== JOB_TRACKING);
  if (others.length > 0) {
    const remedy = seeFinalizers(others, 'pod', pod.metadata);
    return { text: `${due} and waits for ${finalizerWords(others)}`, remedy };
  }
  if (isOver(pod)) {
    if (!finalizers.includes(JOB_TRACKING)) return undefined;
    const remedy = { change: 'wait; if it remains, check that kube-controller-manager runs' };
    return { text: `${due} and waits until the Job controller counts it (finalizer ${JOB_TRACKING})`, remedy };
  }
  // The time includes the grace period.
  if (now.getTime() - at.getTime() < LOST_AFTER_MS) return { text: due, remedy: { change: 'wait until it ends' } };
  return {
    text: `${due} and should have ended by ${formatTime(at)}, but ${nodeOf(pod)} does not confirm it`,
    remedy: nodeRemedy(pod),
  };
}

/** Why Kubernetes has ended a Pod, in parentheses; empty for any other Pod. */
export function disruption({ status }: Pod): string {
  const found = status?.conditions?.find((each) => each.type === 'DisruptionTarget' && each.status === 'True');
  return found === undefined ? '' : ` (${reasonText(found.reason, excerpt(found.message))})`;
}

function nodeOf({ spec }: Pod): string {
  return spec.nodeName === undefined ? 'its node' : `node ${spec.nodeName}`;
}

/** A Pod on a disconnected node may still run, so the remedy must not start it a second time. */
function nodeRemedy({ spec, metadata }: Pod): Remedy {
  const { nodeName } = spec;
  if (nodeName === undefined) return describing(SEE_EVENTS, 'pod', metadata);
  const change =
    'check whether the node works; if its machine no longer exists, delete the Node object, which also deletes its Pods';
  return withKubectl(change, 'describe', 'node', nodeName);
}

export const SEE_EVENTS = 'check its events';

function lostNode(pod: Pod): PodWait | undefined {
  const { phase, reason } = pod.status ?? {};
  if (phase !== 'Unknown' && reason !== 'NodeLost') return undefined;
  return {
    text: `the state of its Pod ${pod.metadata.name} is unknown: ${nodeOf(pod)} is lost`,
    remedy: nodeRemedy(pod),
  };
}

function schedulingOf({ metadata, spec, status = {} }: Pod): PodWait | undefined {
  const { name } = metadata;
  const gates = (spec.schedulingGates ?? []).map((gate) => gate.name);
  if (gates.length > 0) {
    const words = `the scheduling ${gates.length === 1 ? 'gate' : 'gates'} ${gates.join(' and ')}`;
    return { text: `its Pod ${name} waits for ${words}`, remedy: describing(seeOwners(gates), 'pod', metadata) };
  }
  const refused = unscheduled(status);
  if (refused === undefined) return undefined;
  const change = `free resources or add a node, then it starts by itself; if no node can fit it, ${ANEW}`;
  return { text: `its Pod ${name} is not scheduled: ${excerpt(refused)}`, remedy: describing(change, 'pod', metadata) };
}

/** Does not advise to delete the Job: its scheduled time would not run again. */
const ANEW = 'correct spec.jobTemplate for the next runs (this Job keeps the old template)';
const IMAGE = `make sure that the image exists and can be pulled, then it starts by itself; if its name is wrong, ${ANEW}`;
const MISSING = 'create the missing object, then it starts by itself';

/** Remedies by the waiting reason of a container. For other reasons, see the events. */
const CHANGES: ReadonlyMap<string, string> = new Map([
  ['ErrImagePull', IMAGE],
  ['ImagePullBackOff', IMAGE],
  ['RegistryUnavailable', IMAGE],
  ['ErrImageNeverPull', IMAGE],
  ['InvalidImageName', ANEW],
  ['CreateContainerConfigError', MISSING],
  ['ContainerCreating', MISSING],
]);

function containerWait({ metadata, status = {} }: Pod, events: readonly JobEvent[]): PodWait | undefined {
  const { name } = metadata;
  const { initContainerStatuses = [] } = status;
  const statuses = statusesOf(status);
  const waiting = statuses.filter((each) => waitingIn(each) !== undefined);
  // The other containers wait for the init containers.
  const first = waiting.find(({ state }) => state?.waiting?.reason !== 'PodInitializing');
  if (first !== undefined) return waitOfContainer(first, metadata, events);
  const init = initContainerStatuses.find(({ state }) => state?.running !== undefined);
  const remedy = describing(SEE_EVENTS, 'pod', metadata);
  if (waiting.length > 0 && init) return { text: `its Pod ${name} waits for its init container ${init.name}`, remedy };
  if (statuses.length > 0 || status.phase !== 'Pending') return undefined;
  return { text: `its Pod ${name} is Pending${eventWords(events)}`, remedy };
}

function waitOfContainer(found: ContainerStatus, metadata: Pod['metadata'], events: readonly JobEvent[]): PodWait {
  const { reason = '', message } = found.state?.waiting ?? {};
  const told = message === undefined ? eventWords(events) : '';
  const isUnexplained = reason === 'ContainerCreating' && told === '';
  const change = (isUnexplained ? undefined : CHANGES.get(reason)) ?? SEE_EVENTS;
  return {
    text: `container ${found.name} of its Pod ${metadata.name} is waiting: ${excerpt(waitingIn(found))}${told}`,
    remedy: describing(change, 'pod', metadata),
  };
}

/** Whether only the events of the Pod show what it waits for, such as a mounted Secret. */
export function needsPodEvents({ metadata, status = {} }: Pod): boolean {
  const isOpen = status.phase === 'Pending' && metadata.deletionTimestamp === undefined;
  if (!isOpen || unscheduled(status) !== undefined) return false;
  return statusesOf(status).every(({ state }) =>
    ['ContainerCreating', 'PodInitializing'].includes(state?.waiting?.reason ?? ''),
  );
}

/** The newest problem with its volumes, its network or its image. */
function eventWords(events: readonly JobEvent[]): string {
  const newest = newestOf(events.filter(({ type }) => type === 'Warning'));
  return newest === undefined ? '' : `: ${excerpt(reasonText(newest.reason, newest.message))}`;
}
