import type { KubernetesObject } from '../kubernetes/object.ts';
import { formatKey } from '../kubernetes/resource.ts';
import type { Request } from './reconcile.ts';

/**
 * Lets a source outside the cluster, such as a message queue, a webhook or a timer, trigger a reconcile. Pass the
 * source to `watchesChannel` of a controller builder. Several controllers that reconcile objects of type `T` may share
 * a source.
 */
export class ChannelSource<T extends KubernetesObject = KubernetesObject> {
  readonly #listeners: ((key: string) => void)[] = [];

  /**
   * Starts a reconcile of the object `key` in every controller that watches this source. If a controller has not
   * started yet, the reconcile waits for the start of the controller. Stopped controllers ignore the key.
   */
  emit(key: Request<T>): void {
    for (const listener of this.#listeners) listener(formatKey(key));
  }

  /** Adds a listener for the emitted keys. Controllers call this method. */
  listen(listener: (key: string) => void): void {
    this.#listeners.push(listener);
  }
}
