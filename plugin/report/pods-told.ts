/** What the Pods of a run tell: what they wait for, and how their containers ended. */
import type { Pod } from 'controller-runtime/kubernetes';
import { formatTime, parseTime } from '../../api/time.ts';
import { commandLine } from '../command-line.ts';
import { type ContainerStatus, containerLogsOf, unscheduled, waitingIn } from '../logs/container-logs.ts';
import type { JobEvent } from '../logs/job-events.ts';
import type { Remedy } from './remedy.ts';
import type { PodsTold, ToldRun } from './told-run.ts';

export interface Seen {
  /** Oldest first. */
  readonly pods: readonly Pod[];
  /** Of its Job, those that could be had. Default none. */
  readonly events?: readonly JobEvent[];
  readonly namespace: string;
  readonly now: Date;
}

/** Whether the events of its Job tell more: it has no Pod that could. */
export function needsEvents({ result, reason }: ToldRun, pods: readonly Pod[]): boolean {
  return pods.length === 0 && (result === 'Running' || reason === START_TIMEOUT);
}

export function podsTold(run: ToldRun, seen: Seen): PodsTold {
  if (seen.pods.length === 0) return run.result === 'Running' ? withoutPod(run, seen) : goneTold(run, seen);
  const { pods, namespace, now } = seen;
  const { jobName, result, createdTime } = run;
  const open = pods.filter(({ status }) => status?.phase !== 'Failed' && status?.phase !== 'Succeeded');
  const waiting = open.flatMap((pod) => {
    const waits = waitOf(pod);
    return waits === undefined ? [] : [{ name: pod.metadata.name, waits }];
  });
  const newest = waiting.at(-1);
  const remedy = newest && { remedy: seeEvents('pod', newest.name, namespace) };
  const waits = newest && `${newest.waits}${others(waiting.length - 1)}`;
  const hasStarted =
    open.length < pods.length || pods.some((pod) => containerLogsOf(pod).some((log) => log.hasStarted));
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

/** A run that is active. */
function withoutPod({ jobName, createdTime }: ToldRun, { events = [], namespace, now }: Seen): PodsTold {
  const remedy = seeEvents('job', jobName, namespace);
  const refusal = refusalIn(events);
  const cause = refusal === undefined ? '' : `: ${refusal}`;
  const hadPod = events.some(({ reason }) => reason === POD_CREATED);
  const since = hadPod ? undefined : longSince(createdTime, now);
  return since === undefined
    ? { jobName, sentence: `It has no Pod ${hadPod ? 'now' : 'yet'}${cause}.`, remedy }
    : { jobName, sentence: '', notStarted: { since, why: `it has no Pod${cause}` }, remedy };
}

/** A run that has failed. */
function goneTold({ jobName, reason }: ToldRun, { events = [], namespace }: Seen): PodsTold {
  if (reason !== START_TIMEOUT) return { jobName, sentence: PODS_ARE_GONE, areGone: true };
  const refusal = events.some((each) => each.reason === POD_CREATED) ? undefined : refusalIn(events);
  return {
    jobName,
    sentence: refusal === undefined ? '' : `It never had a Pod: ${refusal}.`,
    areGone: true,
    remedy: {
      ...seeEvents('job', jobName, namespace),
      change: 'see the events of its Job, or raise startTimeoutSeconds',
    },
  };
}

/** The reason of a run that the manager has ended because none of its containers had started. */
const START_TIMEOUT = 'StartTimeout';
/** Reasons of events of Kubernetes' controller of Jobs. */
const POD_REFUSED = 'FailedCreate';
const POD_CREATED = 'SuccessfulCreate';
const PODS_ARE_GONE = 'The exit codes of its containers are no longer known: its Pods are gone.';

function seeEvents(kind: 'pod' | 'job', name: string, namespace: string): Remedy {
  const line = commandLine(['kubectl', 'describe', kind, name, '-n', namespace]);
  return { change: 'see its events', command: { kind: 'Other', line } };
}

/** Why the Job could create no Pod, as it said last. */
function refusalIn(events: readonly JobEvent[]): string | undefined {
  const timeOf = ({ lastTimestamp, eventTime }: JobEvent) => parseTime(lastTimestamp ?? eventTime)?.getTime() ?? 0;
  const newest = events
    .filter(({ reason }) => reason === POD_REFUSED)
    .toSorted((left, right) => timeOf(left) - timeOf(right))
    .at(-1);
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

/** What keeps a Pod from running; `undefined` when nothing does. */
function waitOf({ metadata: { name }, status = {} }: Pod): string | undefined {
  const refused = unscheduled(status);
  if (refused !== undefined) return `Its Pod ${name} is not scheduled: ${ended(refused)}`;
  const { initContainerStatuses = [], containerStatuses = [] } = status;
  const waiting = [...initContainerStatuses, ...containerStatuses].filter((each) => waitingIn(each) !== undefined);
  // The others wait for the init containers.
  const first = waiting.find(({ state }) => state?.waiting?.reason !== 'PodInitializing');
  if (first !== undefined) return `Container ${first.name} of its Pod ${name} waits: ${ended(waitingIn(first) ?? '')}`;
  const init = initContainerStatuses.find(({ state }) => state?.running !== undefined);
  if (waiting.length > 0 && init) return `Its Pod ${name} waits for its init container ${init.name}`;
  const isUnknown = initContainerStatuses.length + containerStatuses.length === 0;
  return isUnknown && status.phase === 'Pending' ? `Its Pod ${name} waits: Pending` : undefined;
}

/** How the newest Pod ended that did so with an error. */
function endOf(pods: readonly Pod[]): string {
  for (const { metadata, status = {} } of pods.toReversed()) {
    const statuses = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
    const texts = statuses.map((each) => exitOf(each, metadata.name)).filter((text) => text !== '');
    if (texts.length > 0) return texts.join(' ');
    if (status.phase === 'Failed' && status.reason !== undefined) {
      return `Its Pod ${metadata.name} failed: ${[status.reason, ended(status.message ?? '')].filter((text) => text).join(': ')}.`;
    }
  }
  return '';
}

/** Empty for a container that has not ended, or ended well. */
function exitOf({ name, state, lastState }: ContainerStatus, pod: string): string {
  const { exitCode = 0, reason, message = '' } = state?.terminated ?? lastState?.terminated ?? {};
  if (exitCode === 0) return '';
  const why = reason === undefined ? '' : ` (${reason})`;
  return `Container ${name} of its Pod ${pod} ended with exit code ${exitCode}${why}${message === '' ? '' : `: ${ended(message)}`}.`;
}

/** Without what would end the sentence, nor more of it than one reads. */
function ended(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ').replace(/\.+$/, '');
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH).toWellFormed()}…`;
}

const MAX_LENGTH = 300;
