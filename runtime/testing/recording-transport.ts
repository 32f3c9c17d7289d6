import { Readable } from 'node:stream';
import type { ApiRequest, Transport } from '../client/transport.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';

/**
 * A transport without a network: it records requests, answers them with `answer`, and opens watches that the test
 * feeds.
 */
export class RecordingTransport implements Transport {
  readonly requests: ApiRequest[] = [];
  /** Every opened watch, in order. */
  readonly watches: FakeWatch[] = [];
  /** Returns the answer to a request; rejects the request by throwing. */
  answer: (request: ApiRequest) => unknown = () => ({});

  async request(request: ApiRequest): Promise<unknown> {
    this.requests.push(request);
    return this.answer(request);
  }

  async stream(request: ApiRequest): Promise<AsyncIterable<Uint8Array>> {
    const watch = new FakeWatch(request);
    this.watches.push(watch);
    return watch.bytes;
  }

  /** The last opened watch, of the collection at `path` if given. */
  watch(path?: string): FakeWatch {
    const found = this.watches.findLast(({ request }) => path === undefined || request.path === path);
    if (found === undefined) throw new Error(`no watch of ${path ?? 'anything'} was opened`);
    return found;
  }
}

/** One open watch, from the server's side. */
export class FakeWatch {
  readonly request: ApiRequest;
  readonly bytes = new Readable({ read() {} });

  constructor(request: ApiRequest) {
    this.request = request;
    request.signal?.addEventListener('abort', () => this.bytes.destroy(request.signal?.reason));
  }

  send(type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR', object: object): void {
    this.bytes.push(`${JSON.stringify({ type, object })}\n`);
  }

  /** Sends all objects, and the bookmark that ends the initial events. */
  sendInitial(objects: readonly KubernetesObject[], resourceVersion = '1'): void {
    for (const object of objects) this.send('ADDED', object);
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    this.send('BOOKMARK', { metadata: { resourceVersion, annotations } });
  }

  /** Expires the resource version: the client will list everything again. */
  expire(): void {
    this.send('ERROR', { code: 410, reason: 'Expired' });
  }
}
