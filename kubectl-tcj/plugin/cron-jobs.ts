/** Reads the CronJobs that a command is about. */
import {
  isNotFound,
  keyOf,
  type LiveListOptions,
  type NamespacedObject,
  type ReadOptions,
  type Resource,
} from 'controller-runtime';
import { CronJob } from '../../api/v1/cronjob-types.ts';
import { parseCronJob, type StoredCronJob } from '../../api/v1/stored-cronjob.ts';
import { NOT_INSTALLED, whereElse } from './absence.ts';
import { CONTEXT, KUBECONFIG, NAMESPACE, SELECTOR, showsAllNamespaces } from './cluster-flags.ts';
import { type ClusterInvocation, type Command, CommandError, type Invocation } from './command.ts';
import { commandLine } from './command-line.ts';
import type { Session } from './session.ts';

/** Each that is read fits its type: one that does not must not take a command from all others. */
export const cronJobs: Resource<StoredCronJob> = { ...CronJob, parse: parseCronJob };

/** A command that runs with a connection to the cluster that its flags name. */
export function atCluster(run: (invocation: ClusterInvocation) => Promise<number>): Command['run'] {
  return (invocation) => withSession(invocation, (session) => run({ ...invocation, session }));
}

/** Runs `work` with a connection to the cluster that the flags name. */
export async function withSession<T>(
  { given, connect }: Pick<Invocation, 'given' | 'connect'>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const session = connect({ kubeconfig: given.get(KUBECONFIG.name), context: given.get(CONTEXT.name) });
  try {
    return await work({ ...session, namespace: given.get(NAMESPACE.name) ?? session.namespace });
  } finally {
    await session.close();
  }
}

export async function oneCronJob(invocation: ClusterInvocation): Promise<StoredCronJob> {
  const { argument } = invocation;
  const [first = '', second] = argument.split('/');
  if (second !== undefined) {
    throw new CommandError(
      `${JSON.stringify(argument)} is not a valid name; use -n for the namespace: ${commandLine([second, '-n', first])}`,
    );
  }
  const found = await oneNamed(cronJobs, '', invocation);
  noteOddities([found], invocation);
  return found;
}

/**
 * The object of the name that was given. Throws a CommandError when there is none.
 * @param whose For its message, such as ` of batch/v1`.
 */
export async function oneNamed<T extends NamespacedObject>(
  resource: Resource<T>,
  whose: string,
  invocation: ClusterInvocation,
): Promise<T> {
  const { argument: name, signal, session } = invocation;
  const { client, namespace } = session;
  const found = await client.get<NamespacedObject>(resource, { namespace, name }, { signal });
  if (found !== undefined) return found as T; // the resource says so
  const hint = (await whereElse(resource, invocation)) || (whose === '' ? LISTS_ALL : '');
  throw new CommandError(`there is no CronJob ${JSON.stringify(name)}${whose} in the namespace ${namespace}${hint}`);
}

const LISTS_ALL = '; "kubectl tcj list -A" lists all there are';

/** The same CronJob as it is now. Throws a CommandError when it was deleted, also when another has its name. */
export async function asItIsNow(
  { metadata }: CronJob,
  { signal, session }: Pick<ClusterInvocation, 'signal' | 'session'>,
): Promise<CronJob> {
  const found = await session.client.get(cronJobs, metadata, { signal });
  if (found?.metadata.uid !== metadata.uid) throw new CommandError('the CronJob has been deleted meanwhile');
  return found;
}

export async function manyCronJobs(invocation: ClusterInvocation): Promise<readonly StoredCronJob[]> {
  try {
    const found = await invocation.session.client.list(cronJobs, selected(invocation));
    noteOddities(found, invocation);
    return found;
  } catch (error) {
    throw isNotFound(error) ? new CommandError(NOT_INSTALLED) : error;
  }
}

/** The namespace and the labels that the flags name. */
export function selected({ given, signal, session }: ClusterInvocation): LiveListOptions & ReadOptions {
  const labelSelector = given.get(SELECTOR.name);
  return {
    ...(!showsAllNamespaces(given) && { namespace: session.namespace }),
    ...(labelSelector !== undefined && { labelSelector }),
    signal,
  };
}

/** So many are told of. */
const MAX_NOTES = 20;

/** On stderr: what is wrong with those that are malformed, and so are shown without a part of what is stored. */
function noteOddities(found: readonly StoredCronJob[], { terminal }: Pick<Invocation, 'terminal'>): void {
  const notes = found.flatMap((cronJob) =>
    cronJob.oddities === undefined ? [] : [`${keyOf(cronJob)} is malformed: ${cronJob.oddities.join('; ')}\n`],
  );
  const others = notes.length - MAX_NOTES;
  for (const note of notes.slice(0, MAX_NOTES)) terminal.err(note);
  if (others > 0) terminal.err(`and ${others} more are malformed\n`);
}
