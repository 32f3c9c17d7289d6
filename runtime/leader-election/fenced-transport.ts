import type { ApiRequest, Transport } from '../client/transport.ts';

/**
 * The transport of a process that may lead: each of its writes asks just before it is sent whether the lease still is ours. Reads and
 * dry runs, which change nothing, do not ask.
 * @param throwIfStale Throws when another process may lead by now.
 */
export function fencedTransport(transport: Transport, throwIfStale: () => void): Transport {
  const fenced = (request: ApiRequest): ApiRequest =>
    request.method === 'GET' || request.query?.['dryRun'] !== undefined
      ? request
      : { ...request, beforeSend: throwIfStale };
  return {
    request: (request) => transport.request(fenced(request)),
    stream: (request) => transport.stream(request),
  };
}
