import type { KubernetesObject } from '../kubernetes/object.ts';
import { keyOf } from '../kubernetes/resource.ts';
import type { Request } from './reconcile.ts';

/**
 * Lets anything outside the cluster ask for a reconcile: a message, a webhook of another system, a timer. Given to a controller by
 * the builder's `watchesChannel`; several controllers of objects `T` may have the same.
 */
export class ChannelSource<T extends KubernetesObject = KubernetesObject> {
  readonly #listeners: ((key: string) => void)[] = [];

  /**
   * Reconciles the object `key` in every controller that has this source. One that has not started yet does so when it starts; one
   * that has stopped does not.
   */
  emit(key: Request<T>): void {
    for (const listener of this.#listeners) listener(keyOf(key));
  }

  /** For controllers. */
  listen(listener: (key: string) => void): void {
    this.#listeners.push(listener);
  }
}
