/** What keeps a Job from going on, apart from its Pods: a queue, another controller, its deletion. */
import type { Job } from '../../../api/kubernetes.ts';
import { formatTime, parseTime } from '../../../api/time.ts';
import { commandLine } from '../command-line.ts';
import { listed, MULTI_KUEUE, ownerOf, QUEUE_NAME, seeFinalizers, seeWorkload } from './holder.ts';
import type { Remedy } from './remedy.ts';

export interface Hold {
  /** Behind the name of the run, such as `is suspended`. */
  readonly why: string;
  readonly remedy: Remedy;
}

/** `undefined` for one that nothing holds. */
export function holdOf(job: Job): Hold | undefined {
  return deletionOf(job) ?? managedElsewhere(job) ?? suspensionOf(job) ?? withoutPods(job) ?? endingOf(job);
}

function deletionOf({ metadata }: Job): Hold | undefined {
  const { deletionTimestamp, finalizers = [], name, namespace } = metadata;
  if (deletionTimestamp === undefined) return undefined;
  const at = parseTime(deletionTimestamp);
  const since = `is being deleted${at === undefined ? '' : ` since ${formatTime(at)}`}`;
  const others = finalizers.filter((each) => each !== FOREGROUND && each !== ORPHAN);
  if (others.length > 0) {
    const owners = listed(others.map(ownerOf));
    const why = `${since}, and kept by ${finalizerWords(others)}`;
    return { why, remedy: seeFinalizers(owners, 'job', name, namespace) };
  }
  if (finalizers.includes(FOREGROUND)) {
    const pods = ['kubectl', 'get', 'pods', '-n', namespace, '-l', `batch.kubernetes.io/job-name=${name}`];
    return {
      why: `${since}, and goes when its Pods have gone (finalizer ${FOREGROUND})`,
      remedy: { change: 'wait; if Pods stay, see why', command: { kind: 'Other', line: commandLine(pods) } },
    };
  }
  if (finalizers.includes(ORPHAN)) {
    const remedy = { change: 'wait; if it stays, see whether kube-controller-manager runs' };
    return { why: `${since}, and goes when its Pods have been released (finalizer ${ORPHAN})`, remedy };
  }
  return { why: since, remedy: { change: 'wait until it is gone' } };
}

/** Those of the garbage collector. */
const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

export function finalizerWords(finalizers: readonly string[]): string {
  return `the ${finalizers.length === 1 ? 'finalizer' : 'finalizers'} ${listed(finalizers)}`;
}

/** Kubernetes' own. */
const JOB_CONTROLLER = 'kubernetes.io/job-controller';

function managedElsewhere({ metadata, spec }: Job): Hold | undefined {
  const { managedBy } = spec;
  if (managedBy === undefined || managedBy === JOB_CONTROLLER) return undefined;
  if (managedBy !== MULTI_KUEUE) {
    const why = `is managed by ${managedBy} (spec.managedBy), and not by Kubernetes' own controller of Jobs`;
    return { why, remedy: { change: `see whether the controller ${managedBy} runs` } };
  }
  const queue = queueOf(metadata);
  const why = `runs in another cluster, to which MultiKueue sends it${queue === undefined ? '' : ` from the queue ${queue}`} (spec.managedBy)`;
  return { why, remedy: seeWorkload(metadata.namespace, metadata.uid) };
}

function queueOf({ labels, annotations }: Job['metadata']): string | undefined {
  return labels?.[QUEUE_NAME] ?? annotations?.[QUEUE_NAME];
}

function suspensionOf(job: Job): Hold | undefined {
  const { metadata, spec } = job;
  if (spec.suspend !== true) return undefined;
  const queue = queueOf(metadata);
  const told = conditionsTold(job);
  if (queue !== undefined) {
    const why = `is suspended until Kueue admits it from the queue ${queue}${told}`;
    return { why, remedy: seeWorkload(metadata.namespace, metadata.uid) };
  }
  const patch = JSON.stringify({ spec: { suspend: false } });
  const words = ['kubectl', 'patch', 'job', metadata.name, '-n', metadata.namespace, '--type', 'merge', '-p', patch];
  return {
    why: `is suspended (spec.suspend of the Job), by its template or by something else${told}`,
    remedy: {
      change: 'let the queue or the person that suspended it resume it; if none did, start it',
      command: { kind: 'Other', line: commandLine(words) },
    },
  };
}

/** Conditions of Kubernetes' own whose messages say nothing more. */
const PLAIN_MESSAGES: readonly (string | undefined)[] = [undefined, '', 'Job suspended', 'Job resumed'];

/** What conditions say, such as those of a queue. Empty when nothing. */
function conditionsTold({ status }: Job): string {
  const telling = (status?.conditions ?? []).filter(({ message }) => !PLAIN_MESSAGES.includes(message));
  return telling.map(({ type, message = '' }) => `; ${type}: ${message.trim().replace(/\.+$/, '')}`).join('');
}

function withoutPods({ metadata, spec }: Job): Hold | undefined {
  if (spec.parallelism !== 0) return undefined;
  const patch = JSON.stringify({ spec: { parallelism: 1 } });
  const words = ['kubectl', 'patch', 'job', metadata.name, '-n', metadata.namespace, '--type', 'merge', '-p', patch];
  return {
    why: 'gets no Pods, because spec.parallelism of its Job is 0',
    remedy: { change: 'raise it here and in spec.jobTemplate', command: { kind: 'Other', line: commandLine(words) } },
  };
}

/** How a Job will end that waits for its Pods to do so. */
const ENDING: Readonly<Record<string, string>> = { FailureTarget: 'has failed', SuccessCriteriaMet: 'has succeeded' };

function endingOf({ metadata, status }: Job): Hold | undefined {
  const ending = status?.conditions?.find(({ type, status: holds }) => Object.hasOwn(ENDING, type) && holds === 'True');
  if (ending === undefined) return undefined;
  const pods = [
    'kubectl',
    'get',
    'pods',
    '-n',
    metadata.namespace,
    '-l',
    `batch.kubernetes.io/job-name=${metadata.name}`,
  ];
  return {
    why: `${ENDING[ending.type]}, which counts when its Pods have ended`,
    remedy: { change: 'wait; if Pods stay, see why', command: { kind: 'Other', line: commandLine(pods) } },
  };
}
