/** The flags that select a cluster, a namespace and objects, as in kubectl. */
import type { CommandFlag } from './command.ts';

export const NAMESPACE_FLAG: CommandFlag = {
  name: 'namespace',
  short: 'n',
  value: 'name',
  description: 'Namespace (default: the namespace of the context).',
  values: 'namespaces',
};
export const ALL_NAMESPACES_FLAG: CommandFlag = {
  name: 'all-namespaces',
  short: 'A',
  description: 'Include all namespaces.',
};
export const SELECTOR_FLAG: CommandFlag = {
  name: 'selector',
  short: 'l',
  value: 'labels',
  description: 'Label selector to filter on, such as team=data.',
};
export const CONTEXT_FLAG: CommandFlag = {
  name: 'context',
  value: 'name',
  description: 'Context to use (default: the current context).',
  values: 'contexts',
};
export const KUBECONFIG_FLAG: CommandFlag = {
  name: 'kubeconfig',
  value: 'path',
  description: 'Kubeconfig (default: $KUBECONFIG or ~/.kube/config).',
  values: 'files',
};

/** As in kubectl, the help of a command omits the flags for impersonation. */
export const AS_FLAG: CommandFlag = {
  name: 'as',
  value: 'user',
  description: 'User to impersonate.',
  isHidden: true,
};
export const AS_GROUP_FLAG: CommandFlag = {
  name: 'as-group',
  value: 'group',
  isRepeated: true,
  description: 'Group to impersonate (repeatable).',
  isHidden: true,
};

const CONNECTION_FLAGS = [CONTEXT_FLAG, KUBECONFIG_FLAG, AS_FLAG, AS_GROUP_FLAG] as const;
export const CLUSTER_FLAGS = [NAMESPACE_FLAG, ...CONNECTION_FLAGS] as const;
export const SELECTION_FLAGS = [NAMESPACE_FLAG, ALL_NAMESPACES_FLAG, SELECTOR_FLAG, ...CONNECTION_FLAGS] as const;

/** Removes the flags above that have an empty value, because kubectl ignores them. A script may pass an unset variable. */
export function removeEmptyClusterFlags(flagValues: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const isClusterFlag = (name: string) => CLUSTER_FLAGS.some((flag) => flag.name === name);
  return new Map([...flagValues].filter(([name, value]) => value !== '' || !isClusterFlag(name)));
}

export function hasAllNamespacesFlag(flagValues: ReadonlyMap<string, string>): boolean {
  return flagValues.get(ALL_NAMESPACES_FLAG.name) === 'true';
}
