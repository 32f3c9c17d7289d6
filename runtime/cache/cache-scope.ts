import { formatLabelQuery, type LabelSelector } from '../client/label-selector.ts';

/** Selects which objects of a kind a cache stores. The API server applies the selectors. */
export interface CacheScope {
  /** Selects objects by their labels, such as `app=web,tier in (front,back)`. */
  readonly labelSelector?: LabelSelector;
  /** Selects objects by their fields, such as `metadata.name=a`. Most kinds support few field selectors. */
  readonly fieldSelector?: string;
  /** Selects objects in the given namespaces. The list must not be empty. Default: the namespaces of the manager. */
  readonly namespaces?: readonly string[];
}

/** Describes a scope for messages. Equivalent scopes have equal descriptions. */
export function describeScope({ labelSelector, fieldSelector, namespaces }: CacheScope): string {
  if (namespaces?.length === 0) throw new Error('cache: `namespaces` is empty; leave it out to cache all namespaces');
  const labelQuery = formatLabelQuery(labelSelector);
  const restrictions = [
    labelQuery && `labelSelector "${labelQuery}"`,
    fieldSelector && `fieldSelector "${fieldSelector}"`,
    namespaces && `namespaces ${namespaces.toSorted().join(', ')}`,
  ].filter((restriction) => restriction !== undefined && restriction !== '');
  return restrictions.length === 0 ? 'all objects' : restrictions.join(' and ');
}
