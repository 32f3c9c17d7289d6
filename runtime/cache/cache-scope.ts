import { formatLabelQuery, type LabelSelector } from '../client/label-selector.ts';

/**
 * Selects the objects of a kind that a cache holds. The API server applies both selectors, so other objects never
 * arrive.
 */
export interface CacheScope {
  /** Only objects with these labels, such as `app=web,tier in (front,back)`. */
  readonly labelSelector?: LabelSelector;
  /** Only objects with these fields, such as `metadata.name=a` or, for Pods, `spec.nodeName=n`. Most kinds have few such fields. */
  readonly fieldSelector?: string;
  /** Only these namespaces, at least one. Default: the namespaces of the manager. */
  readonly namespaces?: readonly string[];
}

/** A text that is equal for equivalent scopes. Messages show it. */
export function describeScope({ labelSelector, fieldSelector, namespaces }: CacheScope): string {
  if (namespaces?.length === 0) throw new Error('cache: `namespaces` is empty; leave it out to cache all namespaces');
  const labels = formatLabelQuery(labelSelector);
  const parts = [
    labels && `labelSelector "${labels}"`,
    fieldSelector && `fieldSelector "${fieldSelector}"`,
    namespaces && `namespaces ${namespaces.toSorted().join(', ')}`,
  ].filter((part) => part !== undefined && part !== '');
  return parts.length === 0 ? 'all objects' : parts.join(' and ');
}
