/** What the Pods of a run tell: what they wait for, and how their containers ended. */
import type { Pod } from 'controller-runtime/kubernetes';
import type { Job } from '../../../api/kubernetes.ts';
import { formatTime } from '../../../api/time.ts';
import { type ContainerStatus, containerLogsOf, statusesOf } from '../logs/container-logs.ts';
import { type JobEvent, newestOf } from '../logs/job-objects.ts';
import type { PodsTold, ToldRun } from './answer.ts';
import { type Hold, holdOf } from './job-hold.ts';
import { disruption, isOver, needsPodEvents, SEE_EVENTS, waitOf } from './pod-wait.ts';
import { describing } from './remedy.ts';
import { capital, excerpt, joined, reasonText, SEE_MANAGER } from './sentences.ts';

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
  const hold = typeof seen.job === 'object' ? holdOf(seen.job) : undefined;
  const told = { jobName: run.jobName, ...toldOf(run, seen) };
  return hold === undefined ? told : withHold(hold, told, seen.pods.length > 0);
}

type Told = Omit<PodsTold, 'jobName'>;

function toldOf(run: ToldRun, seen: Seen): Told {
  if (seen.pods.length > 0) return byPods(run, seen);
  return run.result === 'Running' ? withoutPod(run, seen) : goneTold(run, seen);
}

/** What holds the Job comes first; what its Pods wait for may be more to the point. */
function withHold({ why, remedy }: Hold, told: PodsTold, hasPods: boolean): PodsTold {
  const { jobName, notStarted } = told;
  const ofPods = hasPods ? (notStarted === undefined ? told.sentence : `${capital(notStarted.why)}.`) : '';
  const held = { jobName, isHeld: true, remedy: (hasPods ? told.remedy : undefined) ?? remedy };
  return notStarted === undefined
    ? { ...held, sentence: joined(`It ${why}.`, ofPods) }
    : { ...held, sentence: ofPods, notStarted: { ...notStarted, why: `it ${why}` } };
}

/** What the newest Pod that waits tells, and how one ended. */
function byPods({ result, createdTime }: ToldRun, { pods, podEvents, now }: Seen): Told {
  const asked = podToAskAbout(pods);
  const waiting = pods
    .map((pod) => waitOf({ pod, now, events: pod === asked ? podEvents : undefined }))
    .filter((wait) => wait !== undefined);
  const newest = waiting.at(-1);
  const remedy = newest && { remedy: newest.remedy };
  const why = newest && `${newest.text}${others(waiting.length - 1)}`;
  const hasStarted = pods.some((pod) => isOver(pod) || containerLogsOf(pod).some((log) => log.hasStarted));
  const since = hasStarted ? undefined : longSince(createdTime, now);
  if (why !== undefined && since !== undefined) return { sentence: '', notStarted: { since, why }, ...remedy };
  const end = pods.map(endOf).findLast((text) => text !== '');
  const sentence = joined(why && `${capital(why)}.`, end);
  const isSilent = sentence === '' && result === 'Failed';
  return { sentence: isSilent ? 'Its Pods do not tell how its containers ended.' : sentence, ...remedy };
}

/** A run that is active. */
function withoutPod({ jobName: name, createdTime }: ToldRun, { job, events = [], namespace, now }: Seen): Told {
  if (job === 'Gone') {
    const sentence = 'Its Job is gone, and no manager has noted that yet.';
    return { sentence, isHeld: true, remedy: { change: SEE_MANAGER } };
  }
  const refusal = refusalIn(events);
  const cause = refusal === undefined ? '' : `: ${refusal}`;
  const hadPod = events.some(({ reason }) => reason === POD_CREATED);
  const since = hadPod ? undefined : longSince(createdTime, now);
  const isUnexplained = since !== undefined && refusal === undefined;
  const remedy = describing(isUnexplained ? SEE_JOB_CONTROLLER : SEE_EVENTS, 'job', { name, namespace });
  return since === undefined
    ? { sentence: `It has no Pod ${hadPod ? 'now' : 'yet'}${cause}.`, remedy }
    : { sentence: '', notStarted: { since, why: `it has no Pod${cause}` }, remedy };
}

const SEE_JOB_CONTROLLER = 'see its events, and whether kube-controller-manager runs, which creates Pods';

/** A run that has failed. */
function goneTold({ jobName: name, reason }: ToldRun, { events = [], namespace }: Seen): Told {
  if (reason !== START_TIMEOUT) {
    return { sentence: 'The exit codes of its containers are no longer known: its Pods are gone.', areGone: true };
  }
  const refusal = events.some((each) => each.reason === POD_CREATED) ? undefined : refusalIn(events);
  return {
    sentence: refusal === undefined ? '' : `It never had a Pod: ${refusal}.`,
    areGone: true,
    remedy: describing('see the events of its Job, or raise startTimeoutSeconds', 'job', { name, namespace }),
  };
}

/** The reason of a run that the manager has ended because none of its containers had started. */
const START_TIMEOUT = 'StartTimeout';
/** Reasons of events of Kubernetes' controller of Jobs. */
const POD_REFUSED = 'FailedCreate';
const POD_CREATED = 'SuccessfulCreate';

/** Why the Job could create no Pod, as it said last. */
function refusalIn(events: readonly JobEvent[]): string | undefined {
  const newest = newestOf(events.filter(({ reason }) => reason === POD_REFUSED));
  return newest && excerpt(newest.message?.replace(/^Error creating: /, ''));
}

/** More than a Pod takes to start as a rule. */
const LONG_MS = 60_000;

/** RFC 3339; `undefined` where it is not long. */
function longSince(createdTime: Date | undefined, now: Date): string | undefined {
  const isLong = createdTime !== undefined && now.getTime() - createdTime.getTime() >= LONG_MS;
  return isLong ? formatTime(createdTime) : undefined;
}

function others(count: number): string {
  return count === 0 ? '' : `, and ${count} more of its Pods ${count === 1 ? 'waits' : 'wait'} too`;
}

/** How a Pod ended, or its containers, with an error. Empty when none did. */
function endOf(pod: Pod): string {
  const { name } = pod.metadata;
  const { status = {} } = pod;
  const exits = statusesOf(status).map((each) => exitOf(each, name));
  const hasFailed = status.phase === 'Failed';
  const by = hasFailed ? disruption(pod) : '';
  const text = joined(by && `Kubernetes has ended its Pod ${name}${by}.`, ...exits);
  if (text !== '' || !hasFailed || status.reason === undefined) return text;
  return `Its Pod ${name} failed: ${reasonText(status.reason, excerpt(status.message))}.`;
}

/** Empty for a container that has not ended, or ended well. */
function exitOf({ name, state, lastState }: ContainerStatus, pod: string): string {
  const { exitCode = 0, reason, message = '' } = state?.terminated ?? lastState?.terminated ?? {};
  if (exitCode === 0) return '';
  const why = reason === undefined ? '' : ` (${reason})`;
  return `Container ${name} of its Pod ${pod} ended with exit code ${exitCode}${why}${message === '' ? '' : `: ${excerpt(message)}`}.`;
}
