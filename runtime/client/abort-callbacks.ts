/**
 * Callbacks for when a signal aborts, with one listener on each signal however many there are. A signal looks through all its
 * listeners whenever one comes or goes: a burst of requests on the same signal would spend more on that than on its JSON.
 */
export class AbortCallbacks {
  readonly #callbacks = new Map<AbortSignal, Set<() => void>>();

  /** Calls `callback` when `signal` aborts, unless it was taken off before. For a signal that has not aborted yet. */
  add(signal: AbortSignal, callback: () => void): void {
    const callbacks = this.#callbacks.get(signal);
    if (callbacks) {
      callbacks.add(callback);
      return;
    }
    this.#callbacks.set(signal, new Set([callback]));
    signal.addEventListener('abort', this.#onAbort);
  }

  /** Takes it off again; the last one takes the listener with it. */
  delete(signal: AbortSignal, callback: () => void): void {
    const callbacks = this.#callbacks.get(signal);
    if (!callbacks?.delete(callback) || callbacks.size > 0) return;
    this.#callbacks.delete(signal);
    signal.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = ({ currentTarget }: Event) => {
    const signal = currentTarget as AbortSignal; // it is added to nothing else
    const callbacks = this.#callbacks.get(signal);
    for (const callback of callbacks ?? []) callback();
  };
}
