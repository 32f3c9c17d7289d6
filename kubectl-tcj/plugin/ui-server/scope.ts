/** Whose CronJobs are shown, where nobody asks for something else: all that the user may see. */
import { GROUP, PLURAL } from '../../../api/v1/groupversion.ts';
import { NAMESPACE, showsAllNamespaces } from '../cluster-flags.ts';
import type { ClusterInvocation } from '../command.ts';
import { isAllowed } from '../is-allowed.ts';
import type { About } from './messages.ts';

export type Scope = Pick<About, 'namespace' | 'narrowedBecause'>;

export async function scopeOf({ given, signal, session }: ClusterInvocation): Promise<Scope> {
  const { client, namespace } = session;
  if (showsAllNamespaces(given)) return {};
  if (given.has(NAMESPACE.name)) return { namespace };
  const verbs = ['list', 'watch'];
  const answers = await Promise.all(
    verbs.map((verb) => isAllowed(client, { namespace: '', verb, group: GROUP, resource: PLURAL }, signal)),
  );
  if (answers.every((isGranted) => isGranted)) return {};
  return { namespace, narrowedBecause: 'You may not list and watch CronJobs in all namespaces.' };
}
