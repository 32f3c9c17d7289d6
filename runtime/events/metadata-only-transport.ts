import { METADATA_ACCEPT_HEADER } from '../cache/partial-object.ts';
import type { Transport } from '../client/transport.ts';

/** Creates a transport that requests only the metadata of written objects, to save memory and time. */
export function createMetadataOnlyTransport(transport: Transport): Transport {
  return {
    request: (request) => transport.request({ ...request, accept: METADATA_ACCEPT_HEADER }),
    stream: (request) => transport.stream(request),
  };
}
