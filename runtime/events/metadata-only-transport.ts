import { METADATA_ACCEPT_HEADER } from '../cache/partial-object.ts';
import type { Transport } from '../client/transport.ts';

/**
 * Creates a transport for writes. To save memory and time, the responses contain only the metadata of the written
 * objects.
 */
export function createMetadataOnlyTransport(transport: Transport): Transport {
  return {
    request: (request) => transport.request({ ...request, accept: METADATA_ACCEPT_HEADER }),
    stream: (request) => transport.stream(request),
  };
}
