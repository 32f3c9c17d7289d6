/**
 * Calls callbacks when a signal aborts. All callbacks of a signal share one listener, because each call of
 * `addEventListener` or `removeEventListener` searches all listeners of the signal. A signal may apply to many
 * concurrent requests.
 */
export class AbortCallbacks {
  readonly #listeners = new Map<AbortSignal, AbortListener>();

  /** Calls `callback` when `signal` aborts. The signal must not be aborted already. */
  add(signal: AbortSignal, callback: () => void): void {
    const listener = this.#listeners.get(signal) ?? this.#listen(signal);
    listener.callbacks.add(callback);
  }

  delete(signal: AbortSignal, callback: () => void): void {
    const listener = this.#listeners.get(signal);
    if (!listener?.callbacks.delete(callback) || listener.callbacks.size > 0) return;
    this.#listeners.delete(signal);
    signal.removeEventListener('abort', listener.onAbort);
  }

  #listen(signal: AbortSignal): AbortListener {
    const callbacks = new Set<() => void>();
    // Does not use `currentTarget` of the event, because Node sets it to null for the second listener of a signal.
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
