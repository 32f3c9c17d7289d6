/** Reports on the Pods of a run: what they wait for, and how their containers ended. */
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
  /** Job of an active run; absent when it could not be read. */
  readonly job?: Job | 'Gone' | undefined;
  /** Events of the Job that could be read. Default: empty. */
  readonly events?: readonly JobEvent[];
  /** Events of {@link podToAskAbout} that could be read. Default: empty. */
  readonly podEvents?: readonly JobEvent[];
  readonly namespace: string;
  readonly now: Date;
}

/** Whether the events of the Job are needed, because it has no Pod with more details. */
export function needsEvents({ result, reason }: ToldRun, pods: readonly Pod[]): boolean {
  return pods.length === 0 && (result === 'Running' || reason === START_TIMEOUT);
}

/** The Pod whose events alone show what it waits for. */
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

/** Puts the hold of the Job first; the wait of its Pods may be more relevant. */
function withHold({ why, remedy }: Hold, told: PodsTold, hasPods: boolean): PodsTold {
  const { jobName, notStarted } = told;
  const ofPods = hasPods ? (notStarted === undefined ? told.sentence : `${capital(notStarted.why)}.`) : '';
  const held = { jobName, isHeld: true, remedy: (hasPods ? told.remedy : undefined) ?? remedy };
  return notStarted === undefined
    ? { ...held, sentence: joined(`It ${why}.`, ofPods) }
    : { ...held, sentence: ofPods, notStarted: { ...notStarted, why: `it ${why}` } };
}

/** Reports what the newest waiting Pod waits for, and how a Pod ended. */
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
  return { sentence: isSilent ? 'Its Pods do not show how its containers ended.' : sentence, ...remedy };
}

/** The report on an active run without a Pod. */
function withoutPod({ jobName: name, createdTime }: ToldRun, { job, events = [], namespace, now }: Seen): Told {
  if (job === 'Gone') {
    const sentence = 'Its Job no longer exists, and no manager has recorded that yet.';
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

const SEE_JOB_CONTROLLER = 'check its events, and that kube-controller-manager runs, which creates Pods';

/** The report on a failed run without a Pod. */
function goneTold({ jobName: name, reason }: ToldRun, { events = [], namespace }: Seen): Told {
  if (reason !== START_TIMEOUT) {
    return { sentence: 'Its Pods no longer exist, so the exit codes of its containers are unknown.', areGone: true };
  }
  const refusal = events.some((each) => each.reason === POD_CREATED) ? undefined : refusalIn(events);
  return {
    sentence: refusal === undefined ? '' : `It never had a Pod: ${refusal}.`,
    areGone: true,
    remedy: describing('check the events of its Job, or increase startTimeoutSeconds', 'job', { name, namespace }),
  };
}

/** The reason of a run that the manager has ended because no container had started. */
const START_TIMEOUT = 'StartTimeout';
/** Event reasons of Kubernetes' Job controller. */
const POD_REFUSED = 'FailedCreate';
const POD_CREATED = 'SuccessfulCreate';

/** Why the Job could not create a Pod, from its newest event. */
function refusalIn(events: readonly JobEvent[]): string | undefined {
  const newest = newestOf(events.filter(({ reason }) => reason === POD_REFUSED));
  return newest && excerpt(newest.message?.replace(/^Error creating: /, ''));
}

/** Longer than a Pod usually takes to start. */
const LONG_MS = 60_000;

/** RFC 3339; `undefined` when the run was created recently. */
function longSince(createdTime: Date | undefined, now: Date): string | undefined {
  const isLong = createdTime !== undefined && now.getTime() - createdTime.getTime() >= LONG_MS;
  return isLong ? formatTime(createdTime) : undefined;
}

function others(count: number): string {
  return count === 0 ? '' : `, and ${count} more of its Pods also ${count === 1 ? 'waits' : 'wait'}`;
}

/** How a Pod or its containers ended with an error. Empty without an error. */
function endOf(pod: Pod): string {
  const { name } = pod.metadata;
  const { status = {} } = pod;
  const exits = statusesOf(status).map((each) => exitOf(each, name));
  const hasFailed = status.phase === 'Failed';
  const by = hasFailed ? disruption(pod) : '';
  const text = joined(by && `Kubernetes terminated its Pod ${name}${by}.`, ...exits);
  if (text !== '' || !hasFailed || status.reason === undefined) return text;
  return `Its Pod ${name} failed: ${reasonText(status.reason, excerpt(status.message))}.`;
}

/** Empty for a container that is running or has succeeded. */
function exitOf({ name, state, lastState }: ContainerStatus, pod: string): string {
  const { exitCode = 0, reason, message = '' } = state?.terminated ?? lastState?.terminated ?? {};
  if (exitCode === 0) return '';
  const why = reason === undefined ? '' : ` (${reason})`;
  return `Container ${name} of its Pod ${pod} ended with exit code ${exitCode}${why}${message === '' ? '' : `: ${excerpt(message)}`}.`;
}
