import { type ApiRequest, HttpTransport, SystemClock } from 'controller-runtime';
import type { TestCluster } from 'controller-runtime/testing';
import { loadCredentials } from '../../support/cluster-client.ts';

/** A cluster that can hold back its watches of one resource: the caches are then stale for certain. */
export class PausableWatches extends HttpTransport implements TestCluster, AsyncDisposable {
  readonly #resource: string;
  #paused: PromiseWithResolvers<void> | undefined;

  /** @param resource For example `configmaps`. @param kubeconfig Path. */
  constructor(resource: string, kubeconfig: string) {
    super({ userAgent: 'test', clock: new SystemClock(), credentials: loadCredentials(kubeconfig) });
    this.#resource = resource;
  }

  connect(): HttpTransport {
    return this;
  }

  /** Holds back all watch events from now on, until {@link resume}. */
  pause(): void {
    this.#paused ??= Promise.withResolvers();
  }

  resume(): void {
    this.#paused?.resolve();
    this.#paused = undefined;
  }

  override async stream(request: ApiRequest): Promise<AsyncIterable<Uint8Array>> {
    const chunks = await super.stream(request);
    return request.path.endsWith(`/${this.#resource}`) ? this.#passWhenResumed(chunks, request.signal) : chunks;
  }

  async *#passWhenResumed(chunks: AsyncIterable<Uint8Array>, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const ended = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
    for await (const chunk of chunks) {
      await Promise.race([this.#paused?.promise, ended]);
      yield chunk;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
