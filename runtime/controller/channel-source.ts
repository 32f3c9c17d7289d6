import type { KubernetesObject } from '../kubernetes/object.ts';
import { formatKey } from '../kubernetes/resource.ts';
import type { Request } from './reconcile.ts';

/**
 * Lets a source outside the cluster request a reconcile: a message, a webhook of another system, a timer. Pass it to
 * the builder's `watchesChannel`; several controllers of objects `T` may share one.
 */
export class ChannelSource<T extends KubernetesObject = KubernetesObject> {
  readonly #listeners: ((key: string) => void)[] = [];

  /**
   * Reconciles the object `key` in every controller that has this source. A controller that has not started yet does so
   * when it starts; a stopped controller does not.
   */
  emit(key: Request<T>): void {
    for (const listener of this.#listeners) listener(formatKey(key));
  }

  /** Adds a listener. Controllers call it. */
  listen(listener: (key: string) => void): void {
    this.#listeners.push(listener);
  }
}
