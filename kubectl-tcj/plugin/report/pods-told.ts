/** What the Pods of a run tell: what they wait for, and how their containers ended. */
import type { Pod } from 'controller-runtime/kubernetes';
import type { Job } from '../../../api/kubernetes.ts';
import { formatTime } from '../../../api/time.ts';
import { type ContainerStatus, containerLogsOf } from '../logs/container-logs.ts';
import type { JobEvent } from '../logs/job-events.ts';
import { describing } from './holder.ts';
import { type Hold, holdOf } from './job-hold.ts';
import { newestOf } from './newest-event.ts';
import { disruption, needsPodEvents, waitOf } from './pod-wait.ts';
import { ended } from './sentences.ts';
import type { PodsTold, ToldRun } from './told-run.ts';

export interface Seen {
  /** Oldest first. */
  readonly pods: readonly Pod[];
  /** Of a run that is active; absent where it could not be had. */
  readonly job?: Job | 'Gone' | undefined;
  /** Of its Job, those that could be had. Default none. */
  readonly events?: readonly JobEvent[];
  /** Of {@link podToAskAbout}, those that could be had. Default none. */
  readonly podEvents?: readonly JobEvent[];
  readonly namespace: string;
  readonly now: Date;
}

/** Whether the events of its Job tell more: it has no Pod that could. */
export function needsEvents({ result, reason }: ToldRun, pods: readonly Pod[]): boolean {
  return pods.length === 0 && (result === 'Running' || reason === START_TIMEOUT);
}

/** The Pod of which only its events tell what it waits for. */
export function podToAskAbout(pods: readonly Pod[]): Pod | undefined {
  return pods.findLast(needsPodEvents);
}

export function podsTold(run: ToldRun, seen: Seen): PodsTold {
  const { result } = run;
  const hold = typeof seen.job === 'object' ? holdOf(seen.job) : undefined;
  const told =
    seen.pods.length > 0 ? byPods(run, seen) : result === 'Running' ? withoutPod(run, seen) : goneTold(run, seen);
  return hold === undefined ? told : withHold(hold, told, seen.pods.length > 0);
}

/** What holds the Job comes first; what its Pods wait for may be more to the point. */
function withHold({ why, remedy }: Hold, told: PodsTold, hasPods: boolean): PodsTold {
  const { jobName, notStarted } = told;
  const ofPods = hasPods ? (notStarted === undefined ? told.sentence : `${capital(notStarted.why)}.`) : '';
  const held = { jobName, isHeld: true, remedy: (hasPods ? told.remedy : undefined) ?? remedy };
  if (notStarted !== undefined) {
    return { ...held, sentence: ofPods, notStarted: { since: notStarted.since, why: `it ${why}` } };
  }
  return { ...held, sentence: [`It ${why}.`, ofPods].filter((text) => text !== '').join(' ') };
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** What the newest Pod that waits tells, and how one ended. */
function byPods(run: ToldRun, { pods, podEvents, now }: Seen): PodsTold {
  const { jobName, result, createdTime } = run;
  const waiting = pods.flatMap((pod) => {
    const wait = waitOf({ pod, now, events: pod === podToAskAbout(pods) ? podEvents : undefined });
    return wait === undefined ? [] : [wait];
  });
  const newest = waiting.at(-1);
  const remedy = newest && { remedy: newest.remedy };
  const waits = newest && `${newest.text}${others(waiting.length - 1)}`;
  const hasStarted = pods.some((pod) => !isOpen(pod) || containerLogsOf(pod).some((log) => log.hasStarted));
  const since = hasStarted ? undefined : longSince(createdTime, now);
  if (waits !== undefined && since !== undefined) {
    const why = `${waits.slice(0, 1).toLowerCase()}${waits.slice(1)}`;
    return { jobName, sentence: '', notStarted: { since, why }, ...remedy };
  }
  const texts = [waits === undefined ? '' : `${waits}.`, endOf(pods)].filter((text) => text !== '');
  return {
    jobName,
    sentence: texts.join(' ') || (result === 'Failed' ? 'Its Pods do not tell how its containers ended.' : ''),
    ...remedy,
  };
}

function isOpen({ status }: Pod): boolean {
  return status?.phase !== 'Failed' && status?.phase !== 'Succeeded';
}

/** A run that is active. */
function withoutPod({ jobName, createdTime }: ToldRun, { job, events = [], namespace, now }: Seen): PodsTold {
  if (job === 'Gone') return { jobName, sentence: JOB_IS_GONE, isHeld: true, remedy: { change: SEE_MANAGER } };
  const refusal = refusalIn(events);
  const cause = refusal === undefined ? '' : `: ${refusal}`;
  const hadPod = events.some(({ reason }) => reason === POD_CREATED);
  const since = hadPod ? undefined : longSince(createdTime, now);
  const isUnexplained = since !== undefined && refusal === undefined;
  const remedy = describing(isUnexplained ? SEE_JOB_CONTROLLER : 'see its events', 'job', jobName, namespace);
  return since === undefined
    ? { jobName, sentence: `It has no Pod ${hadPod ? 'now' : 'yet'}${cause}.`, remedy }
    : { jobName, sentence: '', notStarted: { since, why: `it has no Pod${cause}` }, remedy };
}

const JOB_IS_GONE = 'Its Job is gone, and no manager has noted that yet.';
const SEE_MANAGER = 'see whether the manager runs, and whether it watches this namespace';
const SEE_JOB_CONTROLLER = 'see its events, and whether kube-controller-manager runs, which creates Pods';

/** A run that has failed. */
function goneTold({ jobName, reason }: ToldRun, { events = [], namespace }: Seen): PodsTold {
  if (reason !== START_TIMEOUT) return { jobName, sentence: PODS_ARE_GONE, areGone: true };
  const refusal = events.some((each) => each.reason === POD_CREATED) ? undefined : refusalIn(events);
  return {
    jobName,
    sentence: refusal === undefined ? '' : `It never had a Pod: ${refusal}.`,
    areGone: true,
    remedy: {
      ...describing('see the events of its Job, or raise startTimeoutSeconds', 'job', jobName, namespace),
    },
  };
}

/** The reason of a run that the manager has ended because none of its containers had started. */
const START_TIMEOUT = 'StartTimeout';
/** Reasons of events of Kubernetes' controller of Jobs. */
const POD_REFUSED = 'FailedCreate';
const POD_CREATED = 'SuccessfulCreate';
const PODS_ARE_GONE = 'The exit codes of its containers are no longer known: its Pods are gone.';

/** Why the Job could create no Pod, as it said last. */
function refusalIn(events: readonly JobEvent[]): string | undefined {
  const newest = newestOf(events.filter(({ reason }) => reason === POD_REFUSED));
  return newest && ended((newest.message ?? '').replace(/^Error creating: /, ''));
}

/** More than a Pod takes to start as a rule. */
const LONG_MS = 60_000;

/** RFC 3339; `undefined` where it is not long. */
function longSince(createdTime: Date | undefined, now: Date): string | undefined {
  if (createdTime === undefined || now.getTime() - createdTime.getTime() < LONG_MS) return undefined;
  return formatTime(createdTime);
}

function others(count: number): string {
  return count === 0 ? '' : `, and ${count} more of its Pods ${count === 1 ? 'waits' : 'wait'} too`;
}

/** How the newest Pod ended that did so with an error. */
function endOf(pods: readonly Pod[]): string {
  return (
    pods
      .toReversed()
      .map(endOfPod)
      .find((text) => text !== '') ?? ''
  );
}

function endOfPod(pod: Pod): string {
  const { name } = pod.metadata;
  const { phase, reason, message = '', initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const exits = [...initContainerStatuses, ...containerStatuses].map((each) => exitOf(each, name));
  const by = phase === 'Failed' ? disruption(pod) : '';
  const texts = [by === '' ? '' : `Kubernetes has ended its Pod ${name}${by}.`, ...exits].filter((text) => text !== '');
  if (texts.length > 0) return texts.join(' ');
  if (phase !== 'Failed' || reason === undefined) return '';
  return `Its Pod ${name} failed: ${[reason, ended(message)].filter((text) => text).join(': ')}.`;
}

/** Empty for a container that has not ended, or ended well. */
function exitOf({ name, state, lastState }: ContainerStatus, pod: string): string {
  const { exitCode = 0, reason, message = '' } = state?.terminated ?? lastState?.terminated ?? {};
  if (exitCode === 0) return '';
  const why = reason === undefined ? '' : ` (${reason})`;
  return `Container ${name} of its Pod ${pod} ended with exit code ${exitCode}${why}${message === '' ? '' : `: ${ended(message)}`}.`;
}
