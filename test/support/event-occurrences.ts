/** Events that the API server stores, by reason: whether something that happened was not told. */
import type { KubernetesObject, LiveClient } from 'controller-runtime';
import { namespacedResource } from 'controller-runtime/kubernetes';

interface StoredEvent extends KubernetesObject {
  readonly metadata: KubernetesObject['metadata'] & { readonly namespace: string };
  readonly reason?: string;
  readonly count?: number;
  readonly series?: { readonly count: number };
}

const events = namespacedResource<StoredEvent>('v1', 'Event');

/** Occurrences by reason: an Event that stands for several counts as many. */
export async function eventOccurrences(
  client: LiveClient,
  namespace: string,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { reason = '', count, series } of await client.list(events, { namespace })) {
    counts[reason] = (counts[reason] ?? 0) + Math.max(1, count ?? 0, series?.count ?? 0);
  }
  return counts;
}
