/** Events that the API server stores, by reason: shows whether an event is missing. */
import type { LiveClient } from 'controller-runtime';
import { core } from 'controller-runtime/kubernetes';

/** Number of occurrences by reason: an Event that represents several occurrences counts as many. */
export async function countEvents(client: LiveClient, namespace: string): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { reason = '', count, series } of await client.list(core.v1.events, { namespace })) {
    counts[reason] = (counts[reason] ?? 0) + Math.max(1, count ?? 0, series?.count ?? 0);
  }
  return counts;
}
