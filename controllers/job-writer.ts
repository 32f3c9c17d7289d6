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
import type { Failure, Started } from './cronjob/applied.ts';
import type { Outcome } from './cronjob/plan.ts';
import { jobs } from './resources.ts';

type StartOutcome = Extract<Outcome, { kind: 'Run' }>;

export interface PassContext {
  /** Writes to the API server. */
  readonly client: Writer;
  /** Reads from the API server. */
  readonly apiReader: Reader;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Deletes the runs that `outcome` replaces, then creates its Job. */
export async function startJob(outcome: StartOutcome, context: PassContext): Promise<Started> {
  const { job, replaces } = outcome;
  const failures = await Promise.all(replaces.map((replaced) => deleteReplaced(replaced, context)));
  const failure = failures.find((each) => each !== undefined);
  if (failure) return { kind: 'Failed', failure };
  try {
    const created = await context.client.create(jobs, job, { priority: 'urgent', signal: context.signal });
    return { kind: 'Created', job: created };
  } catch (error) {
    if (isAlreadyExists(error)) return adoptOrReport(outcome, context);
    context.log.info('could not create Job', { job: keyOf(job.metadata), reason: messageOf(error) });
    return { kind: 'Failed', failure: failureOf(job.metadata.name, error) };
  }
}

/** Deletes finished Jobs, their pods with them; returns the names of those that are gone. What fails is retried later. */
export async function pruneJobs(prune: readonly Job[], context: PassContext): Promise<string[]> {
  const deleteOne = async (job: Job) => {
    try {
      await deleteJob(job, context);
      return job.metadata.name;
    } catch (error) {
      if (!isNotFound(error)) context.log.error('could not delete finished Job', error, { job: keyOf(job) });
      return undefined;
    }
  };
  const names = await Promise.all(prune.map(deleteOne));
  return names.filter((name) => name !== undefined);
}

/** The slot's name is taken: by the Job of an earlier pass of ours, or by somebody else's. */
async function adoptOrReport({ job }: StartOutcome, { apiReader, log, signal }: PassContext): Promise<Started> {
  const { name, namespace, ownerReferences = [] } = job.metadata;
  const found = await apiReader.get(jobs, { name, namespace }, { signal });
  if (found === undefined) {
    return { kind: 'Failed', failure: { kind: 'Transient', jobName: name, message: 'exists, and then does not' } };
  }
  const isOurs = ownerReferences.some(({ uid }) =>
    found.metadata.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid),
  );
  log.info(isOurs ? 'adopted Job' : 'Job name is taken', { job: keyOf(found) });
  return isOurs ? { kind: 'Adopted', job: found } : { kind: 'Foreign', jobName: name };
}

async function deleteReplaced(job: Job, context: PassContext): Promise<Failure | undefined> {
  try {
    await deleteJob(job, context);
    context.log.info('deleted Job to replace it', { job: keyOf(job) });
    return undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    context.log.error('could not delete Job to replace it', error, { job: keyOf(job) });
    return { ...failureOf(job.metadata.name, error), kind: 'DeleteFailed' };
  }
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
