import type { ApiRequest, Transport } from 'controller-runtime';

/** A transport that tells of each request that gets no success. A reflector tries again, and says so only in its log. */
export function watchedTransport(transport: Transport, failed: (error: unknown) => void): Transport {
  const watched = async <T>({ signal }: ApiRequest, answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (!signal?.aborted) failed(error);
      throw error;
    }
  };
  return {
    request: (request) => watched(request, transport.request(request)),
    stream: (request) => watched(request, transport.stream(request)),
  };
}
