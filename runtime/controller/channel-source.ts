import { keyOf, type ObjectKey } from '../kubernetes/resource.ts';

/**
 * Lets anything outside the cluster ask for a reconcile: a message, a webhook of another system, a timer. Given to a controller by
 * the builder's `watchesChannel`; several controllers may have the same.
 */
export class ChannelSource {
  readonly #listeners: ((key: string) => void)[] = [];

  /**
   * Reconciles the object `key` in every controller that has this source. One that has not started yet does so when it starts; one
   * that has stopped does not.
   */
  emit(key: ObjectKey): void {
    for (const listener of this.#listeners) listener(keyOf(key));
  }

  /** For controllers. */
  listen(listener: (key: string) => void): void {
    this.#listeners.push(listener);
  }
}
