import { ACCEPT_METADATA } from '../cache/partial-object.ts';
import type { Transport } from '../client/transport.ts';

/** Requests only the metadata of written objects, because each response is parsed and no caller reads the rest. */
export function requestMetadataOnly(transport: Transport): Transport {
  return {
    request: (request) => transport.request({ ...request, accept: ACCEPT_METADATA }),
    stream: (request) => transport.stream(request),
  };
}
