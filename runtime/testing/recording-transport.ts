import { Readable } from 'node:stream';
import type { ApiRequest, Transport } from '../client/transport.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';

/**
 * A transport for tests without a network. The transport records requests and responds with `answer`. The test sends
 * the events of watches.
 */
export class RecordingTransport implements Transport {
  readonly requests: ApiRequest[] = [];
  /** All opened watches, in order. */
  readonly watches: FakeWatch[] = [];
  /** Returns the response to a request. The request fails if `answer` throws an error. */
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

  /**
   * Returns the last opened watch. Throws an error if there is no watch.
   * @param path Path of the collection. Default: any collection.
   */
  watch(path?: string): FakeWatch {
    const found = this.watches.findLast(({ request }) => path === undefined || request.path === path);
    if (found === undefined) throw new Error(`no watch of ${path ?? 'anything'} was opened`);
    return found;
  }
}

/** An open watch, to which the test sends events. */
export class FakeWatch {
  /** The request that opened the watch. */
  readonly request: ApiRequest;
  /** The body of the response. */
  readonly bytes = new Readable({ read() {} });

  constructor(request: ApiRequest) {
    this.request = request;
    request.signal?.addEventListener('abort', () => this.bytes.destroy(request.signal?.reason));
  }

  /** Sends an event. */
  send(type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR', object: object): void {
    this.bytes.push(`${JSON.stringify({ type, object })}\n`);
  }

  /** Sends objects as initial events, and the bookmark that ends the initial events. */
  sendInitial(objects: readonly KubernetesObject[], resourceVersion = '1'): void {
    for (const object of objects) this.send('ADDED', object);
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    this.send('BOOKMARK', { metadata: { resourceVersion, annotations } });
  }

  /** Sends an ERROR event with 410 Expired, after which the client lists all objects again. */
  expire(): void {
    this.send('ERROR', { code: 410, reason: 'Expired' });
  }
}
