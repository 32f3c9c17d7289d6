/** The flags of every command that connects to a cluster, as in kubectl. */
import type { Flag } from './command.ts';

export const NAMESPACE: Flag = {
  name: 'namespace',
  short: 'n',
  value: 'name',
  description: 'Default that of the context.',
  values: 'namespaces',
};
export const ALL_NAMESPACES: Flag = { name: 'all-namespaces', short: 'A', description: 'Every namespace.' };
export const SELECTOR: Flag = {
  name: 'selector',
  short: 'l',
  value: 'labels',
  description: 'Only those with these labels, such as team=data.',
};
export const CONTEXT: Flag = {
  name: 'context',
  value: 'name',
  description: 'Default the current one.',
  values: 'contexts',
};
export const KUBECONFIG: Flag = {
  name: 'kubeconfig',
  value: 'path',
  description: 'Default KUBECONFIG, or ~/.kube/config.',
  values: 'files',
};

export const OF_CLUSTER = [NAMESPACE, CONTEXT, KUBECONFIG] as const;
export const OF_MANY = [NAMESPACE, ALL_NAMESPACES, SELECTOR, CONTEXT, KUBECONFIG] as const;

export function showsAllNamespaces(given: ReadonlyMap<string, string>): boolean {
  return given.get(ALL_NAMESPACES.name) === 'true';
}
