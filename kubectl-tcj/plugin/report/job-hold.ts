/** Finds what holds a Job, apart from its Pods: a queue, another controller, its deletion. */
import type { Job } from '../../../api/kubernetes.ts';
import { formatTime, parseTime } from '../../../api/time.ts';
import { createKubectlRemedy, type ObjectRef, type Remedy } from './remedy.ts';

export interface Hold {
  /** Follows the name of the run, such as `is suspended`. */
  readonly why: string;
  readonly remedy: Remedy;
}

/** `undefined` when nothing holds the Job. */
export function findHold(job: Job): Hold | undefined {
  return (
    findDeletion(job) ?? findOtherManager(job) ?? findSuspension(job) ?? findZeroParallelism(job) ?? findEnding(job)
  );
}

/** Finalizers of the garbage collector. */
const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

function findDeletion({ metadata }: Job): Hold | undefined {
  const { deletionTimestamp, finalizers = [] } = metadata;
  if (deletionTimestamp === undefined) return undefined;
  const at = parseTime(deletionTimestamp);
  const since = `is being deleted${at === undefined ? '' : ` (since ${formatTime(at)})`}`;
  const others = finalizers.filter((each) => each !== FOREGROUND && each !== ORPHAN);
  if (others.length > 0) {
    return {
      why: `${since} and waits for ${formatFinalizers(others)}`,
      remedy: adviseOnFinalizers(others, 'job', metadata),
    };
  }
  if (finalizers.includes(FOREGROUND)) {
    return {
      why: `${since} and waits until its Pods are deleted (finalizer ${FOREGROUND})`,
      remedy: adviseOnPods(metadata),
    };
  }
  if (finalizers.includes(ORPHAN)) {
    const remedy = { change: 'wait; if it remains, check that kube-controller-manager runs' };
    return { why: `${since} and waits until its Pods are released (finalizer ${ORPHAN})`, remedy };
  }
  return { why: since, remedy: { change: 'wait until it is deleted' } };
}

export function formatFinalizers(finalizers: readonly string[]): string {
  return `the ${finalizers.length === 1 ? 'finalizer' : 'finalizers'} ${finalizers.join(' and ')}`;
}

/** Does not advise to remove a finalizer by hand: its cleanup would not be done. */
export function adviseOnFinalizers(
  finalizers: readonly string[],
  kind: string,
  { name, namespace }: ObjectRef,
): Remedy {
  return createKubectlRemedy(adviseOnOwners(finalizers), 'get', kind, name, '-n', namespace, '-o', 'yaml');
}

/** Advice on finalizers and scheduling gates that stay: `example.com/cleanup` is the `cleanup` of `example.com`. */
export function adviseOnOwners(names: readonly string[]): string {
  const owners = names.map((name) => {
    const [domain, own] = name.split('/');
    if (own === undefined) return `the client that set ${name}`;
    return domain === KUEUE ? 'Kueue' : `the controller of ${domain}`;
  });
  return `check that ${[...new Set(owners)].join(' and ')} works and removes it`;
}

const KUEUE = 'kueue.x-k8s.io';

/** The Workload object of Kueue shows what Kueue waits for. */
function adviseOnWorkload({ namespace, uid }: Job['metadata']): Remedy {
  const words = ['describe', `workloads.${KUEUE}`, '-n', namespace, '-l', `${KUEUE}/job-uid=${uid}`];
  return createKubectlRemedy('check what its Workload waits for', ...words);
}

/** Older versions of Kueue read the queue from an annotation. */
function getQueue({ labels, annotations }: Job['metadata']): string | undefined {
  const name = `${KUEUE}/queue-name`;
  return labels?.[name] ?? annotations?.[name];
}

function adviseOnPods({ name, namespace }: ObjectRef): Remedy {
  const label = `batch.kubernetes.io/job-name=${name}`;
  return createKubectlRemedy('wait; if Pods remain, check why', 'get', 'pods', '-n', namespace, '-l', label);
}

function createPatchRemedy(change: string, { name, namespace }: ObjectRef, spec: object): Remedy {
  const patch = JSON.stringify({ spec });
  return createKubectlRemedy(change, 'patch', 'job', name, '-n', namespace, '--type', 'merge', '-p', patch);
}

/** Kubernetes' own controller. */
const JOB_CONTROLLER = 'kubernetes.io/job-controller';

function findOtherManager({ metadata, spec }: Job): Hold | undefined {
  const { managedBy } = spec;
  if (managedBy === undefined || managedBy === JOB_CONTROLLER) return undefined;
  if (managedBy !== `${KUEUE}/multikueue`) {
    const why = `is managed by ${managedBy} (spec.managedBy) instead of the Kubernetes Job controller`;
    return { why, remedy: { change: `check that the controller ${managedBy} runs` } };
  }
  const queue = getQueue(metadata);
  const from = queue === undefined ? '' : ` from the queue ${queue}`;
  const why = `runs in another cluster, where MultiKueue sends it${from} (spec.managedBy)`;
  return { why, remedy: adviseOnWorkload(metadata) };
}

function findSuspension(job: Job): Hold | undefined {
  const { metadata, spec } = job;
  if (spec.suspend !== true) return undefined;
  const queue = getQueue(metadata);
  const messages = formatConditions(job);
  if (queue !== undefined) {
    return {
      why: `is suspended until Kueue admits it from the queue ${queue}${messages}`,
      remedy: adviseOnWorkload(metadata),
    };
  }
  const change = 'let the queue or the user that suspended it resume it; otherwise, resume it yourself';
  return {
    why: `is suspended (spec.suspend of the Job), by its template or by another client${messages}`,
    remedy: createPatchRemedy(change, metadata, { suspend: false }),
  };
}

/** Messages of Kubernetes' own conditions that add no information. */
const PLAIN_MESSAGES: readonly (string | undefined)[] = [undefined, '', 'Job suspended', 'Job resumed'];

/** The messages of conditions, such as the conditions of a queue. Empty without a message. */
function formatConditions({ status }: Job): string {
  const telling = (status?.conditions ?? []).filter(({ message }) => !PLAIN_MESSAGES.includes(message));
  return telling.map(({ type, message = '' }) => `; ${type}: ${message.trim().replace(/\.+$/, '')}`).join('');
}

function findZeroParallelism({ metadata, spec }: Job): Hold | undefined {
  if (spec.parallelism !== 0) return undefined;
  return {
    why: 'has no Pods, because spec.parallelism of its Job is 0',
    remedy: createPatchRemedy('increase it here and in spec.jobTemplate', metadata, { parallelism: 1 }),
  };
}

/** How a Job that waits for its Pods to end will end. */
const ENDING: Readonly<Record<string, string>> = { FailureTarget: 'has failed', SuccessCriteriaMet: 'has succeeded' };

function findEnding({ metadata, status }: Job): Hold | undefined {
  const ending = status?.conditions?.find(({ type, status: holds }) => Object.hasOwn(ENDING, type) && holds === 'True');
  if (ending === undefined) return undefined;
  return { why: `${ENDING[ending.type]} and waits until its Pods end`, remedy: adviseOnPods(metadata) };
}
