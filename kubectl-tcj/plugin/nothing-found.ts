/** What is said on stderr where a list is empty. */
import { core } from 'controller-runtime';
import { SELECTOR, showsAllNamespaces } from './cluster-flags.ts';
import type { Invocation } from './command.ts';
import { messageOf } from './message-of.ts';
import type { Session } from './session.ts';

type Asking = Pick<Invocation, 'given' | 'signal'>;

/** Also that the namespace does not exist, where the user may see that. */
export async function nothingFound(asking: Asking, session: Session): Promise<string> {
  const selector = asking.given.get(SELECTOR.name);
  const found = `No CronJobs${selector === undefined ? '' : ` with the labels ${selector}`} found`;
  if (showsAllNamespaces(asking.given)) return `${found}.\n`;
  const absence = await absentNamespace(asking, session);
  return absence || `${found} in the namespace ${session.namespace}. -A looks in all of them.\n`;
}

/** Empty when it exists, when nobody can tell, and with `-A`. */
export async function absentNamespace({ given, signal }: Asking, { client, namespace }: Session): Promise<string> {
  if (showsAllNamespaces(given)) return '';
  try {
    const found = await client.get(core.v1.namespaces, { name: namespace }, { signal });
    return found === undefined ? `There is no namespace ${namespace}.\n` : '';
  } catch (error) {
    if (signal.aborted || messageOf(error) === undefined) throw error;
    return '';
  }
}
