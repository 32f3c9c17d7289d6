/** Creates the Job of a run, after it has deleted the Jobs that the run replaces. */
import {
  type Clock,
  findApiError,
  formatKey,
  isAlreadyExists,
  isConflict,
  isNamespaceTerminating,
  isNotFound,
  isRequestRejected,
  type LiveReader,
  type ReconcileContext,
  type Writer,
} from 'controller-runtime';
import { BackOff } from 'controller-runtime/internal';
import type { Job } from '../api/kubernetes.ts';
import type { ActionResults, Decision, StartFailure, StartResult } from './cronjob/decide.ts';
import { getControllingCronJobUid } from './cronjob/job.ts';
import { jobs } from './resources.ts';

/** A Job to create, and the Jobs to delete first. */
type NewStart = Pick<Extract<Decision, { kind: 'Run' }>, 'job' | 'replaces'>;

export interface CallContext extends Pick<ReconcileContext, 'log' | 'signal'> {
  readonly client: Writer;
  readonly apiReader: LiveReader;
  /** Priority of the create request. Default: urgent. */
  readonly priority?: 'normal';
}

/** Allows five attempts in the first hour, then four per hour. */
const REFUSED_DELETE_BACK_OFF = { baseDelayMs: 240_000, maxDelayMs: 1_000_000 };

export interface FailedCreate {
  readonly jobName: string;
  /** Whether the API server may have stored the Job, although the request failed. */
  readonly mayExist: boolean;
}

export class JobWriter {
  /** Back-off of the deletes for Replace that the API server has refused. */
  readonly #refusedDeletes: BackOff<StartFailure>;
  /** The last two failed creates of each CronJob. A manual run and a scheduled run may fail alternately. */
  readonly #failedCreates: Map<string, readonly FailedCreate[]>;
  /** Keys of the CronJobs whose last attempt to start a run has failed. */
  readonly #failingKeys = new Set<string>();

  constructor(clock: Clock, failedCreates = new Map<string, readonly FailedCreate[]>()) {
    this.#failedCreates = failedCreates;
    this.#refusedDeletes = new BackOff(clock, REFUSED_DELETE_BACK_OFF);
  }

  /** Deletes and creates the Jobs that `decision` contains. Never rejects. */
  async start(key: string, decision: Decision | NewStart, context: CallContext): Promise<ActionResults> {
    if (!('job' in decision)) return { started: { kind: 'None' }, replaced: [] };
    const { failure, ...deleted } = await this.#deleteReplaced(key, decision.replaces, context);
    const started: StartResult = failure ? { kind: 'Failed', failure } : await createJob(decision, context);
    this.#recordResult(key, decision.job.metadata.name, started);
    return { started, ...deleted };
  }

  /** Whether the last attempt to start a run has failed. */
  isFailing(key: string): boolean {
    return this.#failingKeys.has(key);
  }

  /** Names of the Jobs that could not be created. */
  failedJobs(key: string): readonly string[] {
    return (this.#failedCreates.get(key) ?? []).map(({ jobName }) => jobName);
  }

  /** Names of the Jobs that may exist, although the create request has failed. */
  uncertainJobs(key: string): readonly string[] {
    return (this.#failedCreates.get(key) ?? []).filter(({ mayExist }) => mayExist).map(({ jobName }) => jobName);
  }

  /** Records that the caller has read the {@link uncertainJobs} from the API server. */
  markLookedUp(key: string): void {
    const failedCreates = this.failedJobs(key).map((jobName) => ({ jobName, mayExist: false }));
    if (failedCreates.length > 0) this.#failedCreates.set(key, failedCreates);
  }

  #recordResult(key: string, jobName: string, startResult: StartResult): void {
    const otherCreates = (this.#failedCreates.get(key) ?? []).filter((each) => each.jobName !== jobName).slice(-1);
    const mayExist = startResult.kind === 'Failed' && startResult.failure.mayExist === true;
    if (startResult.kind === 'Failed') this.#failingKeys.add(key);
    else this.#failingKeys.delete(key);
    const failedCreates = startResult.kind === 'Failed' ? [...otherCreates, { jobName, mayExist }] : otherCreates;
    if (failedCreates.length === 0) this.#failedCreates.delete(key);
    else this.#failedCreates.set(key, failedCreates);
  }

  forget(key: string): void {
    this.#failedCreates.delete(key);
    this.#failingKeys.delete(key);
    this.#refusedDeletes.forget(key);
  }

  /** Stops at the first failure, because the API server usually refuses the other deletes too. */
  async #deleteReplaced(
    key: string,
    replaces: readonly Job[],
    context: CallContext,
  ): Promise<Required<Pick<ActionResults, 'replaced' | 'gone'>> & { readonly failure?: StartFailure }> {
    const replaced: Job[] = [];
    const gone: Job[] = [];
    const refusal = this.#refusedDeletes.lastFailure(key);
    const retryAfterMs = this.#refusedDeletes.remainingMs(key) ?? 0;
    if (replaces.length > 0 && refusal && retryAfterMs > 0) {
      return { replaced, gone, failure: { ...refusal, retryAfterMs } };
    }
    for (const job of replaces) {
      try {
        const deletion = await deleteJob(job, context, { priority: 'urgent' });
        if (deletion === 'Deleted') context.log.info('deleted Job to replace it', { job: formatKey(job) });
        (deletion === 'Deleted' ? replaced : gone).push(job);
      } catch (error) {
        return { replaced, gone, failure: this.#deleteFailure(key, job, error, context) };
      }
    }
    if (replaced.length > 0) this.#refusedDeletes.forget(key);
    return { replaced, gone };
  }

  #deleteFailure(key: string, job: Job, error: unknown, { log, signal }: CallContext): StartFailure {
    const fields = { job: formatKey(job) };
    if (signal.aborted) log.debug('could not delete Job to replace it: stopping', fields);
    else log.error('could not delete Job to replace it', error, fields);
    const failure: StartFailure = { ...toStartFailure(job.metadata.name, error), kind: 'DeleteFailed' };
    return isRequestRejected(error)
      ? { ...failure, retryAfterMs: this.#refusedDeletes.recordFailure(key, failure) }
      : failure;
  }
}

/** Deletes a Job and its Pods. Does not delete a newer Job of the same name. */
export async function deleteJob(
  { metadata: { name, namespace, uid } }: Job,
  { client, apiReader, signal }: Pick<CallContext, 'client' | 'apiReader' | 'signal'>,
  requestOptions: { readonly priority: 'urgent' | 'background'; readonly timeoutMs?: number },
): Promise<'Deleted' | 'Gone'> {
  const [key, options] = [
    { name, namespace },
    { signal, ...requestOptions },
  ];
  try {
    await client.delete(jobs, key, { propagationPolicy: 'Background', preconditions: { uid }, ...options });
    return 'Deleted';
  } catch (error) {
    if (isNotFound(error)) return 'Gone';
    if (!isConflict(error)) throw error;
    // The conflict may come from a newer Job of the same name that is not in the cache yet.
    const currentJob = await apiReader.get(jobs, key, options);
    if (currentJob?.metadata.uid === uid) throw error;
    return 'Gone';
  }
}

async function createJob(decision: NewStart, context: CallContext): Promise<StartResult> {
  const { job } = decision;
  try {
    const created = await context.client.create(jobs, job, {
      priority: context.priority ?? 'urgent',
      signal: context.signal,
    });
    return { kind: 'Created', job: created };
  } catch (error) {
    if (isAlreadyExists(error)) return adoptExistingJob(decision, context);
    context.log.info('could not create Job', { job: formatKey(job.metadata), reason: getErrorMessage(error) });
    const failure = toStartFailure(job.metadata.name, error);
    return { kind: 'Failed', failure: mayBeStored(error) ? { ...failure, mayExist: true } : failure };
  }
}

async function adoptExistingJob({ job }: NewStart, { apiReader, log, signal }: CallContext): Promise<StartResult> {
  const { name, namespace, ownerReferences = [] } = job.metadata;
  const toUncertainResult = (message: string): StartResult => ({
    kind: 'Failed',
    failure: { kind: 'Transient', jobName: name, message, mayExist: true },
  });
  let existingJob: Job | undefined;
  try {
    existingJob = await apiReader.get(jobs, { name, namespace }, { signal, priority: 'urgent' });
  } catch (error) {
    log.info('could not read the existing Job of this name', {
      job: formatKey(job.metadata),
      reason: getErrorMessage(error),
    });
    return toUncertainResult(getErrorMessage(error));
  }
  if (existingJob === undefined) return toUncertainResult('the Job exists, but cannot be found');
  const owner = getControllingCronJobUid(existingJob);
  const isOwnJob = ownerReferences.some(({ uid }) => uid === owner);
  log.info(isOwnJob ? 'adopted Job' : 'Job of this name has another owner', { job: formatKey(existingJob) });
  return isOwnJob ? { kind: 'Adopted', job: existingJob } : { kind: 'Foreign', jobName: name };
}

function toStartFailure(jobName: string, error: unknown): StartFailure {
  const retryAfterMs = findApiError(error)?.retryAfterMs;
  return {
    kind: isNamespaceTerminating(error) ? 'NamespaceTerminating' : isRequestRejected(error) ? 'Refused' : 'Transient',
    jobName,
    message: getErrorMessage(error),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** If the API server responds with 4xx, such as 429, it has stored nothing. */
function mayBeStored(error: unknown): boolean {
  const code = findApiError(error)?.code;
  return code === undefined || code >= 500;
}

export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
