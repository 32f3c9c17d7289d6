/** The flags that select a cluster, a namespace and objects, as in kubectl. */
import type { CommandFlag } from './command.ts';

export const NAMESPACE: CommandFlag = {
  name: 'namespace',
  short: 'n',
  value: 'name',
  description: 'Namespace (default: the namespace of the context).',
  values: 'namespaces',
};
export const ALL_NAMESPACES: CommandFlag = {
  name: 'all-namespaces',
  short: 'A',
  description: 'Include all namespaces.',
};
export const SELECTOR: CommandFlag = {
  name: 'selector',
  short: 'l',
  value: 'labels',
  description: 'Label selector to filter on, such as team=data.',
};
export const CONTEXT: CommandFlag = {
  name: 'context',
  value: 'name',
  description: 'Context to use (default: the current context).',
  values: 'contexts',
};
export const KUBECONFIG: CommandFlag = {
  name: 'kubeconfig',
  value: 'path',
  description: 'Kubeconfig (default: $KUBECONFIG or ~/.kube/config).',
  values: 'files',
};

export const CLUSTER_FLAGS = [NAMESPACE, CONTEXT, KUBECONFIG] as const;
export const SELECTION_FLAGS = [NAMESPACE, ALL_NAMESPACES, SELECTOR, CONTEXT, KUBECONFIG] as const;

export function hasAllNamespacesFlag(flagValues: ReadonlyMap<string, string>): boolean {
  return flagValues.get(ALL_NAMESPACES.name) === 'true';
}
