import { type ApiRequest, HttpTransport, SystemClock } from 'controller-runtime';
import type { TestCluster } from 'controller-runtime/testing';
import { credentialsOf } from '../../support/cluster-client.ts';

/** A cluster that can hold back its watches of one resource: the caches are then stale for certain. */
export class HeldWatches extends HttpTransport implements TestCluster, AsyncDisposable {
  readonly #resource: string;
  #held: PromiseWithResolvers<void> | undefined;

  /** @param resource For example `configmaps`. @param kubeconfig Path. */
  constructor(resource: string, kubeconfig: string) {
    super({ userAgent: 'test', clock: new SystemClock(), credentials: credentialsOf(kubeconfig) });
    this.#resource = resource;
  }

  connect(): HttpTransport {
    return this;
  }

  /** Holds back all watch events from now on, until {@link release}. */
  hold(): void {
    this.#held ??= Promise.withResolvers();
  }

  release(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  override async stream(request: ApiRequest): Promise<AsyncIterable<Uint8Array>> {
    const chunks = await super.stream(request);
    return request.path.endsWith(`/${this.#resource}`) ? this.#through(chunks, request.signal) : chunks;
  }

  async *#through(chunks: AsyncIterable<Uint8Array>, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const ended = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
    for await (const chunk of chunks) {
      await Promise.race([this.#held?.promise, ended]);
      yield chunk;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
