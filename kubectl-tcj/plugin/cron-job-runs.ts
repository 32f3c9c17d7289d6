/** Creates and reads CronJobRuns for the commands and the web page. */
import { randomUUID } from 'node:crypto';
import { findApiError, isAlreadyExists, isNotFound, type Resource, sleep } from 'controller-runtime';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { CronJobRun, RUN_PLURAL } from '../../api/v1/cronjobrun-types.ts';
import { GROUP } from '../../api/v1/groupversion.ts';
import { toRequestedJobName } from '../../api/v1/job-names.ts';
import { parseCronJobRun } from '../../api/v1/stored-cronjobrun.ts';
import { isAllowed } from './access-review.ts';
import { type ClusterInvocation, CommandError } from './command.ts';
import {
  canRepeatWrite,
  computeRetryWaitMs,
  isTemporary,
  RESPONSE_TIMEOUT_MS,
} from './reconnecting-cluster-session.ts';
import type { NewRunSpec } from './report/retry.ts';

/** The client resource for the kind CronJobRun. The parser of the resource omits invalid values. */
export const cronJobRuns: Resource<CronJobRun> = { ...CronJobRun, parse: parseCronJobRun };

/** The error for a cluster without the CustomResourceDefinition of CronJobRuns. */
export class RunsNotInstalledError extends CommandError {
  constructor() {
    super(
      `the CustomResourceDefinition ${RUN_PLURAL}.${GROUP} is not installed in this cluster; upgrade the operator as docs/install.md describes`,
    );
  }
}

type ClusterAccess = Pick<ClusterInvocation, 'session' | 'signal'>;

/** Returns false if the API server refuses the access review, for example because the user lacks the role system:basic-user. */
export async function mayCreateCronJobRuns(namespace: string, { session, signal }: ClusterAccess): Promise<boolean> {
  const request = { namespace, verb: 'create', group: GROUP, resource: RUN_PLURAL };
  return await isAllowed(session.client, request, signal).catch((error: unknown) => {
    if (findApiError(error) !== undefined && !isTemporary(error)) return false;
    throw error;
  });
}

function isForbidden(error: unknown): boolean {
  return findApiError(error)?.code === 403;
}

/** Returns true if the user may not list CronJobRuns. */
export async function isCronJobRunCrdInstalled(
  namespace: string,
  { session, signal }: ClusterAccess,
): Promise<boolean> {
  try {
    await session.client.list(cronJobRuns, { ...(namespace !== '' && { namespace }), limit: 1, signal });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    if (isForbidden(error)) return true;
    throw error;
  }
}

/** The purpose is a part of the name of the CronJobRun. */
type RunPurpose = 'run' | 'retry' | 'backfill';

export interface NewCronJobRun {
  readonly purpose: RunPurpose;
  readonly spec: NewRunSpec;
  /** Default: false. */
  readonly dryRun?: boolean;
}

export interface CreateContext extends ClusterAccess, Pick<ClusterInvocation, 'clock'> {
  /** A request without a response is repeated until this time on the monotonic clock. Default: a request is not repeated. */
  readonly deadlineMs?: number;
}

/**
 * Creates a CronJobRun. Repeats the request if no response arrives or the API server is too busy, and the CronJobRun does not exist.
 * Rejects with a CommandError if the user may not create CronJobRuns, or if the CustomResourceDefinition of CronJobRuns is not installed.
 */
export async function createCronJobRun(
  { metadata: { name: cronJobName, namespace } }: CronJob,
  { purpose, spec, dryRun = false }: NewCronJobRun,
  context: CreateContext,
): Promise<CronJobRun> {
  const { session, signal, clock, deadlineMs = Number.NEGATIVE_INFINITY } = context;
  // The name is chosen here, so that a repeated request creates no second CronJobRun.
  const metadata = { namespace, name: `${cronJobName}-${purpose}-${randomUUID().slice(0, RANDOM_LENGTH)}` };
  const options = { dryRun, signal, timeoutMs: RESPONSE_TIMEOUT_MS };
  for (let isRepeated = false; ; isRepeated = true) {
    let waitMs: number;
    try {
      return parseCronJobRun(await session.client.create(CronJobRun, { metadata, spec }, options));
    } catch (error) {
      // The API server may store the CronJobRun of an earlier request after the read below.
      const canContinue = canRepeatWrite(error) || (isRepeated && isAlreadyExists(error));
      if (!canContinue || signal.aborted || clock.monotonicMs() >= deadlineMs) throw explainRefusal(error);
      waitMs = computeRetryWaitMs(error, CREATE_INTERVAL_MS);
    }
    const created = await session.client.get(cronJobRuns, metadata, { signal });
    if (created !== undefined) return created;
    await sleep(clock, waitMs, signal);
  }
}

const RANDOM_LENGTH = 8;
const CREATE_INTERVAL_MS = 500;

function explainRefusal(error: unknown): unknown {
  if (isNotFound(error)) return new RunsNotInstalledError();
  if (!isForbidden(error)) return error;
  const message = findApiError(error)?.message;
  return new CommandError(
    `the API server: ${message}; the ClusterRole cronjob-operator-cronjob-runner-role allows you to create CronJobRuns`,
  );
}

/** Reads the CronJobRun again. Throws a CommandError if the CronJobRun was deleted. */
export async function reloadCronJobRun(run: CronJobRun, { session, signal }: ClusterAccess): Promise<CronJobRun> {
  const found = await session.client.get(cronJobRuns, run.metadata, { signal });
  if (found?.metadata.uid === run.metadata.uid) return found;
  throw new CommandError(`CronJobRun ${run.metadata.name} was deleted while the command ran`);
}

/** Returns the CronJobRun that has started the Job. Returns `undefined` if the CronJobRun was deleted. */
export async function findRequest(
  {
    namespace,
    name,
    jobName,
    slot,
  }: { readonly namespace: string; readonly name: string; readonly jobName: string; readonly slot?: Date | undefined },
  { session, signal }: ClusterAccess,
): Promise<CronJobRun | undefined> {
  const found = await session.client.get(cronJobRuns, { namespace, name }, { signal });
  return found && toRequestedJobName(found, slot) === jobName ? found : undefined;
}
