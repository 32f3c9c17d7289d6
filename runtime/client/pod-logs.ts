/** What the containers of a Pod have printed. */
import { core } from '../kubernetes/core.ts';
import { type NamespacedKey, pathOf } from '../kubernetes/resource.ts';
import type { Transport } from './transport.ts';

export interface PodLogOptions {
  /** Default: the only one of the Pod; of several the API server takes none. */
  readonly container?: string;
  /** Goes on until the container ends. Default false. */
  readonly follow?: boolean;
  /** Only the last so many lines. Default all. */
  readonly tailLines?: number;
  /** Only what was printed at this time or later: RFC 3339, whole seconds. Default all. */
  readonly sinceTime?: string;
  /** Each line begins with its time, in RFC 3339 with nanoseconds, and a space. Default false. */
  readonly timestamps?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * The bytes of a log as they come. Rejects with an ApiError: 404 without the Pod, 400 while its container has not started. Needs
 * the right to `get` the subresource `pods/log`.
 */
export function podLogs(
  transport: Pick<Transport, 'stream'>,
  { namespace, name }: NamespacedKey,
  { signal, ...query }: PodLogOptions = {},
): Promise<AsyncIterable<Uint8Array>> {
  const path = pathOf(core.v1.pods, namespace, name, 'log');
  return transport.stream({
    method: 'GET',
    path,
    query,
    accept: '*/*',
    namespace,
    signal,
  });
}
