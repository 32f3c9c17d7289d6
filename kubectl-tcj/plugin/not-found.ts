/** Messages for a search without a result: where else the object is, or which name the user may have meant. */
import { core, isNotFound, type NamespacedObject, type Resource } from 'controller-runtime';
import { GROUP, PLURAL } from '../../api/v1/groupversion.ts';
import { NAMESPACE, SELECTOR, showsAllNamespaces } from './cluster-flags.ts';
import { type ClusterInvocation, CommandError, type Invocation } from './command.ts';
import { formatCommandLine } from './command-line.ts';
import { explainError } from './error-message.ts';
import { PROGRAM } from './help.ts';
import { suggestName } from './nearest.ts';

export const NOT_INSTALLED = `the CustomResourceDefinition ${PLURAL}.${GROUP} is not installed in this cluster`;

/** Maximum names to read in a namespace when searching for a similar name. */
const MAX_NAMES = 500;
/** Maximum number of other namespaces to list. */
const MAX_PLACES = 3;

/**
 * Ends the sentence about a CronJob that was not found. Empty without a suggestion; leaves out what the user may not list. Throws a
 * CommandError when the cluster does not have the kind.
 */
export async function suggestAlternative<T extends NamespacedObject>(
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
  return places.length > 0 ? describeOtherNamespaces(places, invocation) : suggestName(name, names);
}

function describeOtherNamespaces(places: readonly string[], invocation: Invocation): string {
  const named = places.slice(0, MAX_PLACES).join(', ');
  const others = places.length > MAX_PLACES ? ' and others' : '';
  const kind = places.length === 1 ? 'namespace' : 'namespaces';
  return `; it exists in ${kind} ${named}${others}: ${formatCommandFor(invocation, places[0] ?? '')}`;
}

/** The same command line, for another namespace. */
function formatCommandFor({ command, argument, flagValues }: Invocation, namespace: string): string {
  const flags = command.flags
    .filter(({ name }) => name !== NAMESPACE.name && flagValues.has(name))
    .flatMap(({ name, value }) => [`--${name}`, ...(value === undefined ? [] : [flagValues.get(name) ?? ''])]);
  return formatCommandLine([...PROGRAM.split(' '), command.name, argument, ...flags, `-${NAMESPACE.short}`, namespace]);
}

/** The message on stderr for an empty list. If the user may read namespaces, it also says that the namespace does not exist. */
export async function describeEmptyList(invocation: ClusterInvocation): Promise<string> {
  const { flagValues, session } = invocation;
  const selector = flagValues.get(SELECTOR.name);
  const found = `No CronJobs${selector === undefined ? '' : ` with labels ${selector}`} found`;
  if (showsAllNamespaces(flagValues)) return `${found}.\n`;
  const absence = await describeMissingNamespace(invocation);
  return absence || `${found} in namespace ${session.namespace}. Use -A to search all namespaces.\n`;
}

/** Empty when the namespace exists, when its existence is unknown, and with `-A`. */
export async function describeMissingNamespace({ flagValues, signal, session }: ClusterInvocation): Promise<string> {
  if (showsAllNamespaces(flagValues)) return '';
  const { client, namespace } = session;
  try {
    const found = await client.get(core.v1.namespaces, { name: namespace }, { signal });
    return found === undefined ? `Namespace ${namespace} not found.\n` : '';
  } catch (error) {
    explainError(error, signal);
    return '';
  }
}
