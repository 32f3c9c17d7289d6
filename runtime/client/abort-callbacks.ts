/**
 * Callbacks for when a signal aborts, with one listener on each signal however many there are. A signal looks through all its
 * listeners whenever one comes or goes: a burst of requests on the same signal would spend more on that than on its JSON.
 */
export class AbortCallbacks {
  readonly #listeners = new Map<AbortSignal, Listener>();

  /** Calls `callback` when `signal` aborts, unless it was taken off before. For a signal that has not aborted yet. */
  add(signal: AbortSignal, callback: () => void): void {
    const listener = this.#listeners.get(signal) ?? this.#listen(signal);
    listener.callbacks.add(callback);
  }

  /** Takes it off again; the last one takes the listener with it. */
  delete(signal: AbortSignal, callback: () => void): void {
    const listener = this.#listeners.get(signal);
    if (!listener?.callbacks.delete(callback) || listener.callbacks.size > 0) return;
    this.#listeners.delete(signal);
    signal.removeEventListener('abort', listener.onAbort);
  }

  #listen(signal: AbortSignal): Listener {
    const callbacks = new Set<() => void>();
    // Not the event's `currentTarget`: Node has none for the second listener of a signal.
    const onAbort = () => {
      for (const callback of callbacks) callback();
    };
    const listener = { callbacks, onAbort };
    this.#listeners.set(signal, listener);
    signal.addEventListener('abort', onAbort);
    return listener;
  }
}

interface Listener {
  readonly callbacks: Set<() => void>;
  readonly onAbort: () => void;
}
