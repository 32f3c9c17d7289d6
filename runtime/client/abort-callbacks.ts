/**
 * Callbacks for when a signal aborts, with one listener per signal however many callbacks there are. A signal searches
 * all its listeners whenever one is added or removed: a burst of requests on one signal would spend more time on that
 * than on its JSON.
 */
export class AbortCallbacks {
  readonly #listeners = new Map<AbortSignal, AbortListener>();

  /** Calls `callback` when `signal` aborts, unless it was deleted before. `signal` must not have aborted yet. */
  add(signal: AbortSignal, callback: () => void): void {
    const listener = this.#listeners.get(signal) ?? this.#listen(signal);
    listener.callbacks.add(callback);
  }

  /** Removes the callback; the last removal also removes the listener. */
  delete(signal: AbortSignal, callback: () => void): void {
    const listener = this.#listeners.get(signal);
    if (!listener?.callbacks.delete(callback) || listener.callbacks.size > 0) return;
    this.#listeners.delete(signal);
    signal.removeEventListener('abort', listener.onAbort);
  }

  #listen(signal: AbortSignal): AbortListener {
    const callbacks = new Set<() => void>();
    // Not the event's `currentTarget`: Node sets it to null for the second listener of a signal.
    const onAbort = () => {
      for (const callback of callbacks) callback();
    };
    const listener = { callbacks, onAbort };
    this.#listeners.set(signal, listener);
    signal.addEventListener('abort', onAbort);
    return listener;
  }
}

interface AbortListener {
  readonly callbacks: Set<() => void>;
  readonly onAbort: () => void;
}
