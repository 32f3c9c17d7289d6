/** Reads the CronJobs that a command is about. */
import { isNotFound, type Resource } from 'controller-runtime';
import { CronJob } from '../api/v1/cronjob-types.ts';
import { NOT_INSTALLED, whereElse } from './absence.ts';
import { CONTEXT, KUBECONFIG, NAMESPACE, SELECTOR, showsAllNamespaces } from './cluster-flags.ts';
import { CommandError, type Invocation } from './command.ts';
import type { Session } from './session.ts';

export const cronJobs: Resource<CronJob> = CronJob;

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

export async function oneCronJob(invocation: Invocation, session: Session): Promise<CronJob> {
  const { argument, signal } = invocation;
  const { client, namespace } = session;
  const [first = '', second] = argument.split('/');
  if (second !== undefined) {
    throw new CommandError(
      `${JSON.stringify(argument)} is no name: give the namespace with -n, as in ${second} -n ${first}`,
    );
  }
  const found = await client.get(cronJobs, { namespace, name: argument }, { signal });
  if (found !== undefined) return found;
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

export async function manyCronJobs({ given, signal }: Invocation, session: Session): Promise<readonly CronJob[]> {
  const labelSelector = given.get(SELECTOR.name);
  const namespace = showsAllNamespaces(given) ? undefined : session.namespace;
  try {
    return await session.client.list(cronJobs, {
      ...(namespace !== undefined && { namespace }),
      ...(labelSelector !== undefined && { labelSelector }),
      signal,
    });
  } catch (error) {
    throw isNotFound(error) ? new CommandError(NOT_INSTALLED) : error;
  }
}
