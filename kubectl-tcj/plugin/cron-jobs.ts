/** Reads the CronJobs of a command. */
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
import { CONTEXT, KUBECONFIG, NAMESPACE, SELECTOR, showsAllNamespaces } from './cluster-flags.ts';
import { type ClusterInvocation, type Command, CommandError, type Invocation } from './command.ts';
import { formatCommandLine } from './command-line.ts';
import { NOT_INSTALLED, suggestAlternative } from './not-found.ts';
import type { Session } from './session.ts';

/** Each CronJob that is read fits its type, so that one malformed CronJob does not break a command for all others. */
export const cronJobs: Resource<StoredCronJob> = { ...CronJob, parse: parseCronJob };

/** A command that connects to the cluster in its flags. */
export function runWithSession(run: (invocation: ClusterInvocation) => Promise<number>): Command['run'] {
  return (invocation) => withSession(invocation, (session) => run({ ...invocation, session }));
}

/** Runs `work` with a connection to the cluster in the flags. */
export async function withSession<T>(
  { flagValues, connect }: Pick<Invocation, 'flagValues' | 'connect'>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const session = connect({ kubeconfig: flagValues.get(KUBECONFIG.name), context: flagValues.get(CONTEXT.name) });
  try {
    return await work({ ...session, namespace: flagValues.get(NAMESPACE.name) ?? session.namespace });
  } finally {
    await session.close();
  }
}

export async function getCronJob(invocation: ClusterInvocation): Promise<StoredCronJob> {
  const { argument } = invocation;
  const [first = '', second] = argument.split('/');
  if (second !== undefined) {
    throw new CommandError(
      `${JSON.stringify(argument)} is not a valid name; use -n for the namespace: ${formatCommandLine([second, '-n', first])}`,
    );
  }
  const found = await getObject(cronJobs, CronJob.kind, invocation);
  noteOddities([found], invocation);
  return found;
}

/**
 * The object with the given name. Throws a CommandError when it does not exist.
 * @param kind For the message, such as `batch/v1 CronJob`.
 */
export async function getObject<T extends NamespacedObject>(
  resource: Resource<T>,
  kind: string,
  invocation: ClusterInvocation,
): Promise<T> {
  const { argument: name, signal, session } = invocation;
  const { client, namespace } = session;
  const found = await client.get<NamespacedObject>(resource, { namespace, name }, { signal });
  if (found !== undefined) return found as T; // the resource has this type
  const hint = (await suggestAlternative(resource, invocation)) || (kind === CronJob.kind ? LIST_ALL : '');
  throw new CommandError(`${kind} ${JSON.stringify(name)} not found in namespace ${namespace}${hint}`);
}

const LIST_ALL = '; use "kubectl tcj list -A" to list all CronJobs';

/** Reads the same CronJob again. Throws a CommandError when it was deleted, even if another CronJob has its name. */
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
    noteOddities(found, invocation);
    return found;
  } catch (error) {
    throw isNotFound(error) ? new CommandError(NOT_INSTALLED) : error;
  }
}

/** The CronJobs in the namespace and with the labels from the flags. */
export function toListOptions({ flagValues, signal, session }: ClusterInvocation): LiveListOptions & ReadOptions {
  const labelSelector = flagValues.get(SELECTOR.name);
  return {
    ...(!showsAllNamespaces(flagValues) && { namespace: session.namespace }),
    ...(labelSelector !== undefined && { labelSelector }),
    signal,
  };
}

/** Maximum number of notes. */
const MAX_NOTES = 20;

/** Reports on stderr the faults of malformed CronJobs, because commands show them without a part of their stored values. */
function noteOddities(found: readonly StoredCronJob[], { terminal }: Pick<Invocation, 'terminal'>): void {
  const notes = found.flatMap((cronJob) =>
    cronJob.invalidValues === undefined
      ? []
      : [`${formatKey(cronJob)} is malformed: ${cronJob.invalidValues.join('; ')}\n`],
  );
  const others = notes.length - MAX_NOTES;
  for (const note of notes.slice(0, MAX_NOTES)) terminal.err(note);
  if (others > 0) terminal.err(`and ${others} more CronJobs are malformed\n`);
}
