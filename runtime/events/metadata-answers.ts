import { ACCEPT_METADATA } from '../cache/partial-object.ts';
import type { Transport } from '../client/transport.ts';

/** Asks for no more than the metadata of what was written: each answer would be parsed, and nobody reads it. */
export function withMetadataAnswers(transport: Transport): Transport {
  return {
    request: (request) => transport.request({ ...request, accept: ACCEPT_METADATA }),
    stream: (request) => transport.stream(request),
  };
}
