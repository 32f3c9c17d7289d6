/** Keeps what this process wrote of one kind until the watch delivers it, so that the event need not be parsed. */
import QuickLRU from 'quick-lru';
import type { KubernetesObject } from '../kubernetes/object.ts';

/**
 * Some writes never arrive, such as writes outside the cache's scope. The oldest are dropped beyond this number; up to
 * twice as many may be held.
 */
const MAX_WRITES = 1000;

/**
 * Objects as the cache keeps them, by version: no two objects of a kind share a version (Kubernetes enhancement 5504).
 */
export class UnobservedWrites<T extends KubernetesObject> {
  readonly #objects = new QuickLRU<string, T>({ maxSize: MAX_WRITES });

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
