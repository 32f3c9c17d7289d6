import { ACCEPT_METADATA } from '../cache/partial-object.ts';
import type { Transport } from '../client/transport.ts';

/** Requests only the metadata of written objects, because each answer is parsed and no caller reads the rest. */
export function withMetadataAnswers(transport: Transport): Transport {
  return {
    request: (request) => transport.request({ ...request, accept: ACCEPT_METADATA }),
    stream: (request) => transport.stream(request),
  };
}
