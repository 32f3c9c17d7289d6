import type { ApiRequest, Transport } from '../client/transport.ts';

/**
 * Creates a transport that checks before each write whether this process still holds the lease. Reads and dry runs need
 * no check.
 * @param throwIfLeaseExpired Throws if another process may be the leader.
 */
export function createFencedTransport(transport: Transport, throwIfLeaseExpired: () => void): Transport {
  const withFence = (request: ApiRequest): ApiRequest =>
    request.method === 'GET' || request.query?.['dryRun'] !== undefined
      ? request
      : { ...request, beforeSend: throwIfLeaseExpired };
  return {
    request: (request) => transport.request(withFence(request)),
    stream: (request) => transport.stream(request),
  };
}
