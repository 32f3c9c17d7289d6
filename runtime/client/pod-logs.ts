import { core } from '../kubernetes/core.ts';
import { type NamespacedKey, resourcePath } from '../kubernetes/resource.ts';
import type { Transport } from './transport.ts';

/** Options of {@link streamPodLogs}. */
export interface PodLogOptions {
  /** Name of the container. Required if the Pod has several containers. */
  readonly container?: string;
  /** Whether to stream new lines until the container terminates. Default false. */
  readonly follow?: boolean;
  /** Number of lines from the end of the log. Default: all lines. */
  readonly tailLines?: number;
  /**
   * Returns only lines that were written at or after this time. The time is in RFC 3339, without fractions of seconds.
   * Default: all lines.
   */
  readonly sinceTime?: string;
  /** Whether each line starts with its time, in RFC 3339 with nanoseconds. Default false. */
  readonly timestamps?: boolean;
  /** Aborts the request. */
  readonly signal?: AbortSignal;
}

/**
 * Streams the log of a container. Rejects with an {@link ApiError}: the code is 404 if the Pod does not exist, and 400
 * if the container has not started. Requires the verb `get` for `pods/log`.
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
