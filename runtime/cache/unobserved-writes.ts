/** Stores the written objects of one kind until the watch delivers them, so that the objects are not parsed again. */
import QuickLRU from 'quick-lru';
import type { KubernetesObject } from '../kubernetes/object.ts';

/**
 * Maximum number of stored objects. QuickLRU may store up to twice this number. The watch never delivers some writes,
 * such as writes outside the scope of the cache, so the oldest objects are deleted.
 */
const MAX_UNOBSERVED_WRITES = 1000;

/**
 * Written objects in the form that the cache stores, by resource version. A resource version is unique within a kind
 * (Kubernetes enhancement 5504).
 */
export class UnobservedWrites<T extends KubernetesObject> {
  readonly #objects = new QuickLRU<string, T>({ maxSize: MAX_UNOBSERVED_WRITES });

  add(object: T): void {
    this.#objects.set(object.metadata.resourceVersion, object);
  }

  get(resourceVersion: string): T | undefined {
    return this.#objects.peek(resourceVersion);
  }

  delete({ metadata }: T): void {
    this.#objects.delete(metadata.resourceVersion);
  }

  clear(): void {
    this.#objects.clear();
  }
}
