import type { NamespacedObject, Resource } from 'controller-runtime';
import { whereElse } from '../absence.ts';
import { SELECTOR, showsAllNamespaces } from '../cluster-flags.ts';
import { CommandError, type Invocation } from '../command.ts';
import type { Session } from '../session.ts';

/**
 * The one of the name that was given, or all with the labels, or all. Throws a CommandError when there is none.
 * @param whose For that, such as `of batch/v1`.
 */
export async function chosen<T extends NamespacedObject>(
  resource: Resource<T>,
  whose: string,
  invocation: Invocation,
  session: Session,
): Promise<readonly T[]> {
  const { argument: name, given, signal } = invocation;
  const { client, namespace } = session;
  if (name !== '') {
    const found = await client.get<NamespacedObject>(resource, { namespace, name }, { signal });
    if (found !== undefined) return [found as T];
    const hint = await whereElse(resource, invocation, session);
    throw new CommandError(`there is no CronJob ${JSON.stringify(name)} ${whose} in the namespace ${namespace}${hint}`);
  }
  const labelSelector = given.get(SELECTOR.name);
  const found = await client.list<NamespacedObject>(resource, {
    ...(!showsAllNamespaces(given) && { namespace }),
    ...(labelSelector !== undefined && { labelSelector }),
    signal,
  });
  if (found.length > 0) return found as readonly T[];
  const where = showsAllNamespaces(given) ? 'in any namespace' : `in the namespace ${namespace}`;
  throw new CommandError(`no CronJob ${whose} was found ${where}`);
}
