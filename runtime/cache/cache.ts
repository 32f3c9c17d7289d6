/** One informer per kind, started together, and a Reader over them. */

import type { ListOptions, Reader } from '../client/client.ts';
import { apiVersionOf, type KubernetesObject, keyOf, type ObjectKey, type Resource } from '../client/object.ts';
import type { Transport } from '../client/transport.ts';
import { aborted, type Clock } from '../clock/clock.ts';
import type { Logger } from '../log/logger.ts';
import { Informer, type Transform } from './informer.ts';
import { MAX_SILENCE_MS } from './reflector.ts';
import type { IndexFunction } from './store.ts';

export interface CacheOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
  /** Namespaces to mirror; all of the cluster when absent. */
  readonly namespaces?: readonly string[] | undefined;
}

/** A watch that is silent beyond the reflector's own bound, plus the time to make a new one, fails the health check. */
export const MAX_HEALTHY_SILENCE_MS = MAX_SILENCE_MS + 30_000;

export class Cache implements Reader {
  readonly #options: CacheOptions;
  readonly #informers = new Map<string, Informer<KubernetesObject>>();
  readonly #transforms = new Map<string, Transform<KubernetesObject>>();
  #running: { readonly signal: AbortSignal; readonly informers: Promise<void>[] } | undefined;

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  /** The informer of a kind. Made at the first call, and started at once when the cache is running. */
  informerFor<T extends KubernetesObject>(resource: Resource<T>): Informer<T> {
    const id = idOf(resource);
    let informer = this.#informers.get(id);
    if (!informer) {
      informer = new Informer({ ...this.#options, resource, transform: this.#transforms.get(id) });
      this.#informers.set(id, informer);
      this.#running?.informers.push(informer.run(this.#running.signal));
    }
    return informer as unknown as Informer<T>; // filed under the resource that names T
  }

  /** Whether the kind has an informer. */
  has(resource: Resource): boolean {
    return this.#informers.has(idOf(resource));
  }

  /** Adds a field index that {@link list} can ask for. */
  indexField<T extends KubernetesObject>(resource: Resource<T>, name: string, valuesOf: IndexFunction<T>): void {
    this.informerFor(resource).addIndex(name, valuesOf);
  }

  /** Decides what the cache keeps of a kind's objects. Default: all but `managedFields`. Before the informer is made. */
  setTransform<T extends KubernetesObject>(resource: Resource<T>, transform: Transform<T>): void {
    if (this.#informers.has(idOf(resource))) throw new Error(`the informer of ${resource.plural} exists already`);
    this.#transforms.set(idOf(resource), transform as unknown as Transform<KubernetesObject>); // filed under T's resource
  }

  async get<T extends KubernetesObject>(resource: Resource<T>, key: ObjectKey): Promise<T | undefined> {
    return this.informerFor(resource).store.get(keyOf(key));
  }

  async list<T extends KubernetesObject>(resource: Resource<T>, options: ListOptions = {}): Promise<readonly T[]> {
    if (options.labelSelector) throw new TypeError('list: a cached client takes a field index, not a label selector');
    const { store } = this.informerFor(resource);
    const objects = options.index ? store.byIndex(options.index.name, options.index.value) : store.list();
    const { namespace } = options;
    return namespace === undefined ? objects : objects.filter((object) => object.metadata.namespace === namespace);
  }

  /** Runs every informer until `signal` aborts. */
  async start(signal: AbortSignal): Promise<void> {
    const informers = [...this.#informers.values()].map((informer) => informer.run(signal));
    this.#running = { signal, informers };
    await aborted(signal);
    await Promise.all(informers);
  }

  get hasSynced(): boolean {
    return [...this.#informers.values()].every((informer) => informer.hasSynced);
  }

  /** Resolves when every informer that exists now has all its objects; `false` when `signal` aborted before. */
  async waitForSync(signal: AbortSignal): Promise<boolean> {
    const informers = [...this.#informers.values()];
    await Promise.race([Promise.all(informers.map((informer) => informer.synced)), aborted(signal)]);
    return informers.every((informer) => informer.hasSynced);
  }

  /** Health check: `undefined` when every informer has synced and hears its server, else the reason why not. */
  readonly check = (): string | undefined => {
    for (const { resource, hasSynced, silentForMs } of this.#informers.values()) {
      if (!hasSynced) return `informer of ${resource.plural} has not synced`;
      if (silentForMs > MAX_HEALTHY_SILENCE_MS) {
        return `watch of ${resource.plural} has been silent for ${Math.round(silentForMs / 1000)} s`;
      }
    }
    return undefined;
  };
}

function idOf(resource: Resource): string {
  return `${apiVersionOf(resource)}/${resource.plural}`;
}
