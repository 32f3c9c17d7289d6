/** The flags of every command that asks a cluster, as kubectl has them. */
import type { CommandLine } from 'controller-runtime';

type FlagText = CommandLine['flags'][number];

export const NAMESPACE: FlagText = {
  name: 'namespace',
  short: 'n',
  value: 'name',
  description: 'The namespace. Default that of the context.',
  default: '',
};
export const ALL_NAMESPACES: FlagText = {
  name: 'all-namespaces',
  short: 'A',
  description: 'Every namespace.',
  default: '',
};
export const SELECTOR: FlagText = {
  name: 'selector',
  short: 'l',
  value: 'labels',
  description: 'Only CronJobs with these labels, such as team=data.',
  default: '',
};
export const CONTEXT: FlagText = {
  name: 'context',
  value: 'name',
  description: 'A context of the kubeconfig. Default the current one.',
  default: '',
};
export const KUBECONFIG: FlagText = {
  name: 'kubeconfig',
  value: 'path',
  description: 'The kubeconfig. Default KUBECONFIG, or ~/.kube/config.',
  default: '',
};

export const OF_CLUSTER = [NAMESPACE, CONTEXT, KUBECONFIG] as const;
export const OF_MANY = [NAMESPACE, ALL_NAMESPACES, SELECTOR, CONTEXT, KUBECONFIG] as const;

export function showsAllNamespaces(given: ReadonlyMap<string, string>): boolean {
  return given.get(ALL_NAMESPACES.name) === 'true';
}
