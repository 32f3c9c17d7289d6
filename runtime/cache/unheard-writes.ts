/** What this process wrote of one kind, until the watch brings it: then that event need not be parsed. */
import QuickLRU from 'quick-lru';
import type { KubernetesObject } from '../kubernetes/object.ts';

/** Some never come, such as those that the cache's scope leaves out. Of more than this, up to twice as many, the oldest are forgotten. */
const MAX_UNHEARD = 1000;

/** Objects as the cache is to keep them, by their version: of one kind no two objects share one (Kubernetes enhancement 5504). */
export class UnheardWrites<T extends KubernetesObject> {
  readonly #objects = new QuickLRU<string, T>({ maxSize: MAX_UNHEARD });

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
