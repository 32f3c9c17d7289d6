import type { ApiRequest, Transport } from '../client/transport.ts';

/**
 * The transport of a process that may lead: just before it sends a write, it checks that this process still holds the
 * lease. Reads and dry runs change nothing and need no check.
 * @param throwIfStale Throws when another process may lead now.
 */
export function fencedTransport(transport: Transport, throwIfStale: () => void): Transport {
  const addFence = (request: ApiRequest): ApiRequest =>
    request.method === 'GET' || request.query?.['dryRun'] !== undefined
      ? request
      : { ...request, beforeSend: throwIfStale };
  return {
    request: (request) => transport.request(addFence(request)),
    stream: (request) => transport.stream(request),
  };
}
