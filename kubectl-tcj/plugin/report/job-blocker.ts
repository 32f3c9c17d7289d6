/** Finds the reason that the Job controller does not run a Job, for example because Kueue suspended it or a client deletes it. */
import type { Job } from '../../../api/kubernetes.ts';
import { formatTime, parseTime } from '../../../api/time.ts';
import { createKubectlRemedy, type ObjectRef, type Remedy } from './remedy.ts';
import { formatReason, toExcerpt } from './sentences.ts';

export interface JobBlocker {
  /** The predicate of a sentence about the run, such as `is suspended`. */
  readonly description: string;
  readonly remedy: Remedy;
}

/** Returns `undefined` if the Job is not blocked. */
export function findJobBlocker(job: Job): JobBlocker | undefined {
  return (
    findDeletion(job) ??
    findOtherManager(job) ??
    findSuspension(job) ??
    findZeroParallelism(job) ??
    findPendingCompletion(job)
  );
}

export interface JobResult {
  /** The predicate of a sentence about the Job, such as `has succeeded`. */
  readonly description: string;
  readonly hasFailed: boolean;
}

/** Returns `undefined` if the Job has not ended. */
export function findJobResult({ status }: Job): JobResult | undefined {
  if (findTrueCondition(status, 'Complete') !== undefined) return { description: 'has succeeded', hasFailed: false };
  const failure = findTrueCondition(status, 'Failed');
  if (failure === undefined) return undefined;
  const cause = formatReason(failure.reason, toExcerpt(failure.message));
  return { description: `has failed${cause === '' ? '' : ` (${cause})`}`, hasFailed: true };
}

function findTrueCondition(status: Job['status'], type: string) {
  return status?.conditions?.find((each) => each.type === type && each.status === 'True');
}

/** Finalizers of the Kubernetes garbage collector. */
const FOREGROUND_FINALIZER = 'foregroundDeletion';
const ORPHAN_FINALIZER = 'orphan';

function findDeletion({ metadata }: Job): JobBlocker | undefined {
  const { deletionTimestamp, finalizers = [] } = metadata;
  if (deletionTimestamp === undefined) return undefined;
  const deletionTime = parseTime(deletionTimestamp);
  const deletionClause = `is being deleted${deletionTime === undefined ? '' : ` (since ${formatTime(deletionTime)})`}`;
  const otherFinalizers = finalizers.filter((each) => each !== FOREGROUND_FINALIZER && each !== ORPHAN_FINALIZER);
  if (otherFinalizers.length > 0) {
    return {
      description: `${deletionClause} and waits for ${formatFinalizers(otherFinalizers)}`,
      remedy: adviseOnFinalizers(otherFinalizers, 'job', metadata),
    };
  }
  if (finalizers.includes(FOREGROUND_FINALIZER)) {
    return {
      description: `${deletionClause} and waits until its Pods are deleted (finalizer ${FOREGROUND_FINALIZER})`,
      remedy: adviseOnPods(metadata),
    };
  }
  if (finalizers.includes(ORPHAN_FINALIZER)) {
    const remedy = { change: 'wait; if it remains, check that kube-controller-manager runs' };
    return {
      description: `${deletionClause} and waits until its Pods are released (finalizer ${ORPHAN_FINALIZER})`,
      remedy,
    };
  }
  return { description: deletionClause, remedy: { change: 'wait until it is deleted' } };
}

export function formatFinalizers(finalizers: readonly string[]): string {
  return `the ${finalizers.length === 1 ? 'finalizer' : 'finalizers'} ${finalizers.join(' and ')}`;
}

/** The advice never suggests removing a finalizer manually, because its controller would then skip the cleanup. */
export function adviseOnFinalizers(
  finalizers: readonly string[],
  kind: string,
  { name, namespace }: ObjectRef,
): Remedy {
  return createKubectlRemedy(adviseOnOwners(finalizers), 'get', kind, name, '-n', namespace, '-o', 'yaml');
}

/**
 * Returns advice on finalizers or scheduling gates that remain. In a name such as `example.com/cleanup`, the domain identifies the
 * controller.
 */
export function adviseOnOwners(names: readonly string[]): string {
  const owners = names.map((name) => {
    const [domain, suffix] = name.split('/');
    if (suffix === undefined) return `the client that set ${name}`;
    return domain === KUEUE_DOMAIN ? 'Kueue' : `the controller of ${domain}`;
  });
  return `check that ${[...new Set(owners)].join(' and ')} works and removes it`;
}

const KUEUE_DOMAIN = 'kueue.x-k8s.io';

/** Suggests the command that shows Kueue's Workload, whose conditions explain why the Job waits. */
function adviseOnWorkload(metadata: Job['metadata']): Remedy {
  const { namespace, uid } = metadata;
  const workloadName = getWorkloadName(metadata);
  const selection = workloadName === undefined ? ['-l', `${KUEUE_DOMAIN}/job-uid=${uid}`] : [workloadName];
  const args = ['describe', `workloads.${KUEUE_DOMAIN}`, '-n', namespace, ...selection];
  return createKubectlRemedy('check what its Workload waits for', ...args);
}

/** Returns the Workload that the template names. Kueue creates the Workloads of other Jobs. */
function getWorkloadName({ labels }: Job['metadata']): string | undefined {
  return labels?.[`${KUEUE_DOMAIN}/prebuilt-workload-name`];
}

/** Returns the queue and the Workload that the Job names, or `undefined` for a Job without both. */
function describeKueueOrigin(metadata: Job['metadata']): string | undefined {
  const { labels, annotations } = metadata;
  const key = `${KUEUE_DOMAIN}/queue-name`;
  // Older versions of Kueue read the queue from an annotation.
  const queueName = labels?.[key] ?? annotations?.[key];
  const workloadName = getWorkloadName(metadata);
  const texts = [queueName && ` from the queue ${queueName}`, workloadName && ` with the Workload ${workloadName}`];
  return texts.filter((text) => text).join('') || undefined;
}

function adviseOnPods({ name, namespace }: ObjectRef): Remedy {
  const label = `batch.kubernetes.io/job-name=${name}`;
  return createKubectlRemedy('wait; if Pods remain, check why', 'get', 'pods', '-n', namespace, '-l', label);
}

function createPatchRemedy(advice: string, { name, namespace }: ObjectRef, spec: object): Remedy {
  const patch = JSON.stringify({ spec });
  return createKubectlRemedy(advice, 'patch', 'job', name, '-n', namespace, '--type', 'merge', '-p', patch);
}

const JOB_CONTROLLER = 'kubernetes.io/job-controller';

function findOtherManager({ metadata, spec }: Job): JobBlocker | undefined {
  const { managedBy } = spec;
  if (managedBy === undefined || managedBy === JOB_CONTROLLER) return undefined;
  if (managedBy !== `${KUEUE_DOMAIN}/multikueue`) {
    const description = `is managed by ${managedBy} (spec.managedBy) instead of the Kubernetes Job controller`;
    return { description, remedy: { change: `check that the controller ${managedBy} runs` } };
  }
  const description = `runs in another cluster, where MultiKueue sends it${describeKueueOrigin(metadata) ?? ''} (spec.managedBy)`;
  return { description, remedy: adviseOnWorkload(metadata) };
}

function findSuspension(job: Job): JobBlocker | undefined {
  const { metadata, spec } = job;
  if (spec.suspend !== true) return undefined;
  const kueueOrigin = describeKueueOrigin(metadata);
  const messages = formatConditions(job);
  if (kueueOrigin !== undefined) {
    return {
      description: `is suspended until Kueue admits it${kueueOrigin}${messages}`,
      remedy: adviseOnWorkload(metadata),
    };
  }
  const advice = 'let the queue or the user that suspended it resume it; otherwise, resume it yourself';
  return {
    description: `is suspended (spec.suspend of the Job), by its template or by another client${messages}`,
    remedy: createPatchRemedy(advice, metadata, { suspend: false }),
  };
}

/** The messages that only repeat the reason of a condition. */
const DEFAULT_MESSAGES: readonly (string | undefined)[] = [undefined, '', 'Job suspended', 'Job resumed'];

/** Returns the informative messages of the Job's conditions, for example from a queue, or an empty string. */
function formatConditions({ status }: Job): string {
  const conditions = (status?.conditions ?? []).filter(({ message }) => !DEFAULT_MESSAGES.includes(message));
  return conditions.map(({ type, message = '' }) => `; ${type}: ${message.trim().replace(/\.+$/, '')}`).join('');
}

function findZeroParallelism({ metadata, spec }: Job): JobBlocker | undefined {
  if (spec.parallelism !== 0) return undefined;
  return {
    description: 'has no Pods, because spec.parallelism of its Job is 0',
    remedy: createPatchRemedy('increase it in this Job and in spec.jobTemplate', metadata, { parallelism: 1 }),
  };
}

/** Finds the condition that announces the result of a Job while some Pods of the Job are still running. */
function findPendingCompletion({ metadata, status }: Job): JobBlocker | undefined {
  const hasFailed = findTrueCondition(status, 'FailureTarget') !== undefined;
  if (!hasFailed && findTrueCondition(status, 'SuccessCriteriaMet') === undefined) return undefined;
  return {
    description: `has ${hasFailed ? 'failed' : 'succeeded'} and waits until its Pods end`,
    remedy: adviseOnPods(metadata),
  };
}
