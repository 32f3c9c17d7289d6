/** What is said where nothing was found: where else it is, or which name may have been meant. */
import { core, isNotFound, type NamespacedObject, type Resource } from 'controller-runtime';
import { NAMESPACE, SELECTOR, showsAllNamespaces } from './cluster-flags.ts';
import { type ClusterInvocation, CommandError, type Invocation } from './command.ts';
import { commandLine } from './command-line.ts';
import { PROGRAM } from './help.ts';
import { explained } from './message-of.ts';
import { didYouMean } from './nearest.ts';

export const NOT_INSTALLED =
  'this cluster does not have the kind: the CustomResourceDefinition of the operator is not installed';

/** Of a namespace, to find the one that was meant. */
const MAX_NAMES = 500;
/** So many other namespaces are named. */
const MAX_PLACES = 3;

/**
 * Ends the sentence on a CronJob that was not found. Empty when nothing is known: what the user may not list is left out. Throws a
 * CommandError when the cluster does not have the kind.
 */
export async function whereElse<T extends NamespacedObject>(
  resource: Resource<T>,
  invocation: ClusterInvocation,
): Promise<string> {
  const { argument: name, signal, session } = invocation;
  const { client, namespace } = session;
  const list = (options: { readonly namespace?: string; readonly fieldSelector?: string; readonly limit: number }) =>
    client.list<NamespacedObject>(resource, { ...options, signal }).catch((error: unknown) => {
      if (isNotFound(error)) throw new CommandError(NOT_INSTALLED);
      return [];
    });
  const [here, elsewhere] = await Promise.all([
    list({ namespace, limit: MAX_NAMES }),
    list({ fieldSelector: `metadata.name=${name}`, limit: MAX_PLACES + 1 }),
  ]);
  const places = elsewhere.map(({ metadata }) => metadata.namespace);
  const names = here.map(({ metadata }) => metadata.name);
  return places.length > 0 ? inOthers(places, invocation) : didYouMean(name, names);
}

function inOthers(places: readonly string[], invocation: Invocation): string {
  const named = places.slice(0, MAX_PLACES).map((place) => `in ${place}`);
  const others = places.length > MAX_PLACES ? ' and elsewhere' : '';
  return `; there is one ${named.join(', ')}${others}: ${lineFor(invocation, places[0] ?? '')}`;
}

/** The same command line, for another namespace. */
function lineFor({ command, argument, given }: Invocation, namespace: string): string {
  const flags = command.flags
    .filter(({ name }) => name !== NAMESPACE.name && given.has(name))
    .flatMap(({ name, value }) => [`--${name}`, ...(value === undefined ? [] : [given.get(name) ?? ''])]);
  return commandLine([...PROGRAM.split(' '), command.name, argument, ...flags, `-${NAMESPACE.short}`, namespace]);
}

/** For stderr, where a list is empty. Also that the namespace does not exist, where the user may see that. */
export async function nothingFound(invocation: ClusterInvocation): Promise<string> {
  const { given, session } = invocation;
  const selector = given.get(SELECTOR.name);
  const found = `No CronJobs${selector === undefined ? '' : ` with the labels ${selector}`} found`;
  if (showsAllNamespaces(given)) return `${found}.\n`;
  const absence = await absentNamespace(invocation);
  return absence || `${found} in the namespace ${session.namespace}. -A looks in all of them.\n`;
}

/** Empty when it exists, when nobody can tell, and with `-A`. */
export async function absentNamespace({ given, signal, session }: ClusterInvocation): Promise<string> {
  if (showsAllNamespaces(given)) return '';
  const { client, namespace } = session;
  try {
    const found = await client.get(core.v1.namespaces, { name: namespace }, { signal });
    return found === undefined ? `There is no namespace ${namespace}.\n` : '';
  } catch (error) {
    explained(error, signal);
    return '';
  }
}
