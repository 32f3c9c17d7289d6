/** Formats the messages for objects and namespaces that were not found. */
import { core, isNotFound, type NamespacedObject, type Resource } from 'controller-runtime';
import { GROUP, PLURAL } from '../../api/v1/groupversion.ts';
import { hasAllNamespacesFlag, NAMESPACE_FLAG, SELECTOR_FLAG } from './cluster-flags.ts';
import { type ClusterInvocation, CommandError, type Invocation } from './command.ts';
import { formatCommandLine } from './command-line.ts';
import { formatErrorOrThrow } from './error-message.ts';
import { PROGRAM } from './help.ts';
import { suggestName } from './similar-name.ts';

export const NOT_INSTALLED_MESSAGE = `the CustomResourceDefinition ${PLURAL}.${GROUP} is not installed in this cluster`;

/** The maximum number of names to read from a namespace. */
const MAX_NAMES = 500;
const MAX_OTHER_NAMESPACES = 3;

/**
 * Returns a clause that suggests a namespace in which the name exists, or a similar name. Returns an empty string without a
 * suggestion. Ignores objects that the user may not list. Throws a CommandError if the CustomResourceDefinition is not installed.
 */
export async function suggestAlternative<T extends NamespacedObject>(
  resource: Resource<T>,
  invocation: ClusterInvocation,
): Promise<string> {
  const { argument: name, signal, session } = invocation;
  const { client, namespace } = session;
  const list = (options: { readonly namespace?: string; readonly fieldSelector?: string; readonly limit: number }) =>
    client.list<NamespacedObject>(resource, { ...options, signal }).catch((error: unknown) => {
      if (isNotFound(error)) throw new CommandError(NOT_INSTALLED_MESSAGE);
      return [];
    });
  const [inNamespace, withName] = await Promise.all([
    list({ namespace, limit: MAX_NAMES }),
    list({ fieldSelector: `metadata.name=${name}`, limit: MAX_OTHER_NAMESPACES + 1 }),
  ]);
  const namespaces = withName.map(({ metadata }) => metadata.namespace);
  const names = inNamespace.map(({ metadata }) => metadata.name);
  return namespaces.length > 0 ? describeOtherNamespaces(namespaces, invocation) : suggestName(name, names);
}

function describeOtherNamespaces(namespaces: readonly string[], invocation: Invocation): string {
  const names = namespaces.slice(0, MAX_OTHER_NAMESPACES).join(', ');
  const othersSuffix = namespaces.length > MAX_OTHER_NAMESPACES ? ' and others' : '';
  const noun = namespaces.length === 1 ? 'namespace' : 'namespaces';
  return `; it exists in ${noun} ${names}${othersSuffix}: ${formatCommandInNamespace(invocation, namespaces[0] ?? '')}`;
}

/** Returns the user's command line with its namespace replaced by `namespace`. */
function formatCommandInNamespace({ command, argument, flagValues }: Invocation, namespace: string): string {
  const flags = command.flags
    .filter(({ name }) => name !== NAMESPACE_FLAG.name && flagValues.has(name))
    .flatMap(({ name, value }) => [`--${name}`, ...(value === undefined ? [] : [flagValues.get(name) ?? ''])]);
  return formatCommandLine([
    ...PROGRAM.split(' '),
    command.name,
    argument,
    ...flags,
    `-${NAMESPACE_FLAG.short}`,
    namespace,
  ]);
}

/** Returns the message for an empty list of CronJobs, or the message that the namespace does not exist. */
export async function describeEmptyList(invocation: ClusterInvocation): Promise<string> {
  const { flagValues, session } = invocation;
  const selector = flagValues.get(SELECTOR_FLAG.name);
  const message = `No CronJobs${selector === undefined ? '' : ` with labels ${selector}`} found`;
  if (hasAllNamespacesFlag(flagValues)) return `${message}.\n`;
  const missingNamespace = await describeMissingNamespace(invocation);
  return missingNamespace || `${message} in namespace ${session.namespace}. Use -A to search all namespaces.\n`;
}

/** Returns an empty string if the namespace exists, if the user may not read it, or with `-A`. */
export async function describeMissingNamespace({ flagValues, signal, session }: ClusterInvocation): Promise<string> {
  if (hasAllNamespacesFlag(flagValues)) return '';
  const { client, namespace } = session;
  try {
    const found = await client.get(core.v1.namespaces, { name: namespace }, { signal });
    return found === undefined ? `Namespace ${namespace} not found.\n` : '';
  } catch (error) {
    formatErrorOrThrow(error, signal);
    return '';
  }
}
