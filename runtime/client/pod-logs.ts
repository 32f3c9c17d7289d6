/** Reads the logs of a Pod's containers. */
import { core } from '../kubernetes/core.ts';
import { type NamespacedKey, resourcePath } from '../kubernetes/resource.ts';
import type { Transport } from './transport.ts';

export interface PodLogOptions {
  /** Default: the only container; for a Pod with several the API server has no default. */
  readonly container?: string;
  /** Streams until the container ends. Default false. */
  readonly follow?: boolean;
  /** Number of lines to return from the end. Default: all. */
  readonly tailLines?: number;
  /** Only lines from this time on: RFC 3339, whole seconds. Default: all. */
  readonly sinceTime?: string;
  /** Prefixes each line with its time, in RFC 3339 with nanoseconds, and a space. Default false. */
  readonly timestamps?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Streams the bytes of a log. Rejects with an ApiError: 404 when the Pod does not exist, 400 while its container has
 * not started. Needs the right to `get` the subresource `pods/log`.
 */
export function streamPodLogs(
  transport: Pick<Transport, 'stream'>,
  { namespace, name }: NamespacedKey,
  { signal, ...query }: PodLogOptions = {},
): Promise<AsyncIterable<Uint8Array>> {
  const path = resourcePath(core.v1.pods, namespace, name, 'log');
  return transport.stream({
    method: 'GET',
    path,
    query,
    accept: '*/*',
    namespace,
    signal,
  });
}
