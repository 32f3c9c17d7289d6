/** What the Pods of a run tell: what they wait for, and how their containers ended. */
import type { Pod } from 'controller-runtime/kubernetes';
import { type ContainerStatus, unscheduled, waitingIn } from '../logs/container-logs.ts';
import type { PodsTold, ToldRun } from './told-run.ts';

/** @param pods Oldest first. */
export function podsTold({ jobName, result }: ToldRun, pods: readonly Pod[], namespace: string): PodsTold {
  const open = pods.filter(({ status }) => status?.phase !== 'Failed' && status?.phase !== 'Succeeded');
  const waiting = open.flatMap((pod) => {
    const waits = waitOf(pod);
    return waits === undefined ? [] : [{ name: pod.metadata.name, waits }];
  });
  const newest = waiting.at(-1);
  const texts = [
    newest ? `${newest.waits}${others(waiting.length - 1)}.` : '',
    endOf(pods),
    pods.length === 0 ? (result === 'Running' ? 'It has no Pod yet.' : PODS_ARE_GONE) : '',
  ].filter((text) => text !== '');
  const about = newest
    ? `pod ${newest.name}`
    : pods.length === 0 && result === 'Running'
      ? `job ${jobName}`
      : undefined;
  return {
    jobName,
    sentence: texts.join(' ') || (result === 'Failed' ? 'Its Pods do not tell how its containers ended.' : ''),
    ...(about !== undefined && { change: `see its events: kubectl describe ${about} -n ${namespace}` }),
  };
}

const PODS_ARE_GONE = 'The exit codes of its containers are no longer known: its Pods are gone.';

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
