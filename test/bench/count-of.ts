import type { Transport } from 'controller-runtime';
import { z } from 'zod';

const counted = z.object({
  metadata: z.object({ remainingItemCount: z.number().default(0) }),
  items: z.array(z.unknown()),
});

/** How many objects there are, without asking for them: the answer would cost the API server more than what is measured. */
export async function countOf(transport: Transport, path: string): Promise<number> {
  const { metadata, items } = counted.parse(await transport.request({ method: 'GET', path, query: { limit: 1 } }));
  return metadata.remainingItemCount + items.length;
}
