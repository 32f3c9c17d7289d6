/** Reads CronJobs for the commands. */
import {
  formatKey,
  isNotFound,
  type LiveListOptions,
  type NamespacedObject,
  type ReadOptions,
  type Resource,
} from 'controller-runtime';
import { CronJob } from '../../api/v1/cronjob-types.ts';
import { parseCronJob, type StoredCronJob } from '../../api/v1/stored-cronjob.ts';
import {
  AS_FLAG,
  AS_GROUP_FLAG,
  CONTEXT_FLAG,
  hasAllNamespacesFlag,
  KUBECONFIG_FLAG,
  NAMESPACE_FLAG,
  SELECTOR_FLAG,
} from './cluster-flags.ts';
import type { ClusterSession } from './cluster-session.ts';
import { type ClusterInvocation, type Command, CommandError, type Invocation, UsageError } from './command.ts';
import { formatCommandLine } from './command-line.ts';
import { NOT_INSTALLED_MESSAGE, suggestAlternative } from './not-found.ts';

/**
 * The client resource for the kind CronJob. The parser of the resource omits invalid values, so that a malformed CronJob does not
 * break a command.
 */
export const cronJobs: Resource<StoredCronJob> = { ...CronJob, parse: parseCronJob };

/** Returns a `run` function that connects to the cluster, and closes the connection at the end. */
export function runWithSession(run: (invocation: ClusterInvocation) => Promise<number>): Command['run'] {
  return (invocation) => withSession(invocation, (session) => run({ ...invocation, session }));
}

/** Connects to the cluster that the flags select, and closes the connection when `work` has finished. */
export async function withSession<T>(
  {
    flagValues,
    flagLists = new Map(),
    connect,
  }: Pick<Invocation, 'flagValues' | 'connect'> & Partial<Pick<Invocation, 'flagLists'>>,
  work: (session: ClusterSession) => Promise<T>,
): Promise<T> {
  const asGroups = flagLists.get(AS_GROUP_FLAG.name);
  if (asGroups !== undefined && !flagValues.get(AS_FLAG.name)) throw new UsageError('--as-group requires --as');
  const session = connect({
    kubeconfig: flagValues.get(KUBECONFIG_FLAG.name),
    context: flagValues.get(CONTEXT_FLAG.name),
    as: flagValues.get(AS_FLAG.name),
    asGroups,
  });
  try {
    return await work({ ...session, namespace: flagValues.get(NAMESPACE_FLAG.name) ?? session.namespace });
  } finally {
    await session.close();
  }
}

export async function getCronJob(invocation: ClusterInvocation): Promise<StoredCronJob> {
  const { argument } = invocation;
  const [namespace = '', name] = argument.split('/');
  if (name !== undefined) {
    throw new CommandError(
      `${JSON.stringify(argument)} is not a valid name; use -n for the namespace: ${formatCommandLine([name, '-n', namespace])}`,
    );
  }
  const cronJob = await getObject(cronJobs, CronJob.kind, invocation);
  warnAboutMalformed([cronJob], invocation);
  return cronJob;
}

/**
 * Returns the object that the argument of the command names. Throws a CommandError if the object does not exist.
 * @param kind The kind for the error message, such as `batch/v1 CronJob`.
 */
export async function getObject<T extends NamespacedObject>(
  resource: Resource<T>,
  kind: string,
  invocation: ClusterInvocation,
): Promise<T> {
  const { argument: name, signal, session } = invocation;
  const { client, namespace } = session;
  const found = await client.get<NamespacedObject>(resource, { namespace, name }, { signal });
  if (found !== undefined) return found as T; // the parser of the resource returns an object of type `T`
  const hint = (await suggestAlternative(resource, invocation)) || (kind === CronJob.kind ? LIST_ALL_HINT : '');
  throw new CommandError(`${kind} ${JSON.stringify(name)} not found in namespace ${namespace}${hint}`);
}

const LIST_ALL_HINT = '; use "kubectl tcj list -A" to list all CronJobs';

/** Reads the CronJob again. Throws a CommandError if the CronJob was deleted, or replaced by another CronJob with the same name. */
export async function reloadCronJob(
  { metadata }: CronJob,
  { signal, session }: Pick<ClusterInvocation, 'signal' | 'session'>,
): Promise<CronJob> {
  const found = await session.client.get(cronJobs, metadata, { signal });
  if (found?.metadata.uid !== metadata.uid) throw new CommandError('the CronJob was deleted while the command ran');
  return found;
}

export async function listCronJobs(invocation: ClusterInvocation): Promise<readonly StoredCronJob[]> {
  try {
    const found = await invocation.session.client.list(cronJobs, toListOptions(invocation));
    warnAboutMalformed(found, invocation);
    return found;
  } catch (error) {
    throw isNotFound(error) ? new CommandError(NOT_INSTALLED_MESSAGE) : error;
  }
}

/** Returns the namespace and the label selector of the flags. */
export function toListOptions({ flagValues, signal, session }: ClusterInvocation): LiveListOptions & ReadOptions {
  const labelSelector = flagValues.get(SELECTOR_FLAG.name);
  return {
    ...(!hasAllNamespacesFlag(flagValues) && { namespace: session.namespace }),
    ...(labelSelector !== undefined && { labelSelector }),
    signal,
  };
}

const MAX_WARNINGS = 20;

/** Prints the faults of malformed CronJobs to stderr, because the commands omit the invalid values of these CronJobs. */
export function warnAboutMalformed(
  objects: readonly StoredCronJob[],
  { terminal }: Pick<Invocation, 'terminal'>,
): void {
  const warnings = objects.flatMap((cronJob) =>
    cronJob.invalidValues === undefined
      ? []
      : [`${formatKey(cronJob)} is malformed: ${cronJob.invalidValues.join('; ')}\n`],
  );
  const omittedCount = warnings.length - MAX_WARNINGS;
  for (const warning of warnings.slice(0, MAX_WARNINGS)) terminal.err(warning);
  if (omittedCount > 0) terminal.err(`and ${omittedCount} more CronJobs are malformed\n`);
}
