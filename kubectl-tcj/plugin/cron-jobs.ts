/** Reads the CronJobs that a command is about. */
import { isNotFound, type Resource } from 'controller-runtime';
import { CronJob } from '../../api/v1/cronjob-types.ts';
import { parseCronJob, type StoredCronJob } from '../../api/v1/stored-cronjob.ts';
import { NOT_INSTALLED, whereElse } from './absence.ts';
import { CONTEXT, KUBECONFIG, NAMESPACE, SELECTOR, showsAllNamespaces } from './cluster-flags.ts';
import { CommandError, type Invocation } from './command.ts';
import { commandLine } from './command-line.ts';
import type { Session } from './session.ts';

/** Each that is read fits its type: one that does not must not take a command from all others. */
export const cronJobs: Resource<StoredCronJob> = { ...CronJob, parse: parseCronJob };

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

export async function oneCronJob(invocation: Invocation, session: Session): Promise<StoredCronJob> {
  const { argument, signal } = invocation;
  const { client, namespace } = session;
  const [first = '', second] = argument.split('/');
  if (second !== undefined) {
    throw new CommandError(
      `${JSON.stringify(argument)} is not a valid name; use -n for the namespace: ${commandLine([second, '-n', first])}`,
    );
  }
  const found = await client.get(cronJobs, { namespace, name: argument }, { signal });
  if (found !== undefined) {
    noteOddities([found], invocation);
    return found;
  }
  const hint = (await whereElse(cronJobs, invocation, session)) || '; "kubectl tcj list -A" lists all there are';
  throw new CommandError(`there is no CronJob ${JSON.stringify(argument)} in the namespace ${namespace}${hint}`);
}

/** The same CronJob as it is now. Throws a CommandError when it was deleted, also when another has its name. */
export async function asItIsNow(
  { metadata }: CronJob,
  { signal }: Pick<Invocation, 'signal'>,
  { client }: Session,
): Promise<CronJob> {
  const found = await client.get(cronJobs, metadata, { signal });
  if (found?.metadata.uid !== metadata.uid) throw new CommandError('the CronJob has been deleted meanwhile');
  return found;
}

export async function manyCronJobs(invocation: Invocation, session: Session): Promise<readonly StoredCronJob[]> {
  const { given, signal } = invocation;
  const labelSelector = given.get(SELECTOR.name);
  const namespace = showsAllNamespaces(given) ? undefined : session.namespace;
  try {
    const found = await session.client.list(cronJobs, {
      ...(namespace !== undefined && { namespace }),
      ...(labelSelector !== undefined && { labelSelector }),
      signal,
    });
    noteOddities(found, invocation);
    return found;
  } catch (error) {
    throw isNotFound(error) ? new CommandError(NOT_INSTALLED) : error;
  }
}

/** So many are told of. */
const MAX_NOTES = 20;

/** On stderr: what is wrong with those that are malformed, and so are shown without a part of what is stored. */
function noteOddities(found: readonly StoredCronJob[], { terminal }: Pick<Invocation, 'terminal'>): void {
  const notes = found.flatMap(({ metadata: { namespace, name }, oddities }) =>
    oddities === undefined ? [] : [`${namespace}/${name} is malformed: ${oddities.join('; ')}\n`],
  );
  const others = notes.length - MAX_NOTES;
  for (const note of notes.slice(0, MAX_NOTES)) terminal.err(note);
  if (others > 0) terminal.err(`and ${others} more are malformed\n`);
}
