/** The calls that a plan asks for: start a Job, delete Jobs. Answers are values; nothing here decides. */
import type { Job } from '../api/kubernetes.ts';
import type { Reader, Writer } from '../runtime/client/client.ts';
import {
  apiErrorOf,
  isAlreadyExists,
  isNamespaceTerminating,
  isNotFound,
  isRefused,
} from '../runtime/client/errors.ts';
import { keyOf } from '../runtime/client/object.ts';
import type { Logger } from '../runtime/log/logger.ts';
import type { Applied, Failure, Started } from './cronjob/applied.ts';
import { owningCronJob } from './cronjob/observed.ts';
import type { Outcome, Plan } from './cronjob/plan.ts';
import { jobs } from './resources.ts';

type StartOutcome = Extract<Outcome, { kind: 'Run' | 'RunNow' }>;

export interface PassContext {
  /** Writes to the API server. */
  readonly client: Writer;
  /** Reads from the API server. */
  readonly apiReader: Reader;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Makes the calls of a plan. Deletes go first: a quota that is full of old Jobs must not hold up new ones. */
export async function carryOut({ outcome, prune }: Plan, context: PassContext): Promise<Applied> {
  const pruned = await pruneJobs(prune, context);
  const hasPruneFailed = pruned.length < prune.length;
  if (outcome.kind !== 'Run' && outcome.kind !== 'RunNow') {
    return { started: { kind: 'None' }, deleted: pruned, hasPruneFailed };
  }
  const { replaced, failure } = await deleteReplaced(outcome.replaces, context);
  const started: Started = failure ? { kind: 'Failed', failure } : await createJob(outcome, context);
  return { started, deleted: [...pruned, ...replaced], hasPruneFailed };
}

async function createJob(outcome: StartOutcome, context: PassContext): Promise<Started> {
  const { job } = outcome;
  try {
    const created = await context.client.create(jobs, job, { priority: 'urgent', signal: context.signal });
    return { kind: 'Created', job: created };
  } catch (error) {
    if (isAlreadyExists(error)) return adoptOrReport(outcome, context);
    context.log.info('could not create Job', { job: keyOf(job.metadata), reason: messageOf(error) });
    return { kind: 'Failed', failure: failureOf(job.metadata.name, error) };
  }
}

/** Deletes finished Jobs, their pods with them; returns those that are gone. */
async function pruneJobs(prune: readonly Job[], context: PassContext): Promise<readonly Job[]> {
  const isGone = await Promise.all(
    prune.map(async (job) => {
      try {
        await deleteJob(job, context);
        return true;
      } catch (error) {
        if (isNotFound(error)) return true;
        context.log.error('could not delete finished Job, will retry', error, { job: keyOf(job) });
        return false;
      }
    }),
  );
  return prune.filter((_, index) => isGone[index]);
}

/** The run's name is taken: by the Job of an earlier pass of ours, or by somebody else's. */
async function adoptOrReport({ job }: StartOutcome, { apiReader, log, signal }: PassContext): Promise<Started> {
  const { name, namespace, ownerReferences = [] } = job.metadata;
  const unknown = (message: string): Started => ({
    kind: 'Failed',
    failure: { kind: 'Transient', jobName: name, message },
  });
  let found: Job | undefined;
  try {
    found = await apiReader.get(jobs, { name, namespace }, { signal });
  } catch (error) {
    log.info('could not look whose Job it is', { job: keyOf(job.metadata), reason: messageOf(error) });
    return unknown(messageOf(error));
  }
  if (found === undefined) return unknown('exists, and then does not');
  const owner = owningCronJob(found);
  const isOurs = ownerReferences.some(({ uid }) => uid === owner);
  log.info(isOurs ? 'adopted Job' : 'Job name is taken', { job: keyOf(found) });
  return isOurs ? { kind: 'Adopted', job: found } : { kind: 'Foreign', jobName: name };
}

/** Deletes the runs that are replaced, all of them whatever becomes of one; `failure` is the first that stays. */
async function deleteReplaced(
  replaces: readonly Job[],
  context: PassContext,
): Promise<{ readonly replaced: readonly Job[]; readonly failure?: Failure }> {
  const failures = await Promise.all(
    replaces.map(async (job): Promise<Failure | undefined> => {
      try {
        await deleteJob(job, context);
        context.log.info('deleted Job to replace it', { job: keyOf(job) });
        return undefined;
      } catch (error) {
        if (isNotFound(error)) return undefined;
        context.log.error('could not delete Job to replace it', error, { job: keyOf(job) });
        return { ...failureOf(job.metadata.name, error), kind: 'DeleteFailed' };
      }
    }),
  );
  const failure = failures.find((each) => each !== undefined);
  return { replaced: replaces.filter((_, index) => failures[index] === undefined), ...(failure ? { failure } : {}) };
}

function deleteJob({ metadata }: Job, { client, signal }: PassContext): Promise<void> {
  const { name, namespace, uid } = metadata;
  const options = { propagationPolicy: 'Background', preconditions: { uid }, signal } as const;
  return client.delete(jobs, { name, namespace }, options);
}

function failureOf(jobName: string, error: unknown): Failure {
  const retryAfterMs = apiErrorOf(error)?.retryAfterMs;
  return {
    kind: isNamespaceTerminating(error) ? 'NamespaceTerminating' : isRefused(error) ? 'Refused' : 'Transient',
    jobName,
    message: messageOf(error),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
