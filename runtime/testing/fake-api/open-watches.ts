import type { LiveWatchFault } from './faults.ts';
import type { ObjectStore, StoreChange } from './object-store.ts';
import { StatusError } from './status-error.ts';
import { WatchStream, type WatchStreamOptions } from './watch-stream.ts';

export interface WatchRequest extends Omit<WatchStreamOptions, 'onFaultApplied'> {
  /** Whether the server supports `sendInitialEvents`. */
  readonly supportsInitialEvents: boolean;
}

export class OpenWatches {
  readonly #streams = new Set<WatchStream>();
  readonly #store: ObjectStore;
  readonly #onChange: () => void;

  /** @param onChange Called when a watch ends, and when a fault of a watch has occurred. */
  constructor(store: ObjectStore, onChange: () => void) {
    this.#store = store;
    this.#onChange = onChange;
  }

  get openCount(): number {
    return [...this.#streams].filter(({ isOpen }) => isOpen).length;
  }

  get pendingFaults(): number {
    return [...this.#streams].filter(({ hasPendingFault }) => hasPendingFault).length;
  }

  /** Throws a StatusError with 422 if the watch requests initial events and the server does not support them. */
  open({ supportsInitialEvents, ...options }: WatchRequest): void {
    const { collection, namespace, query } = options.call;
    const wantsInitialEvents = query.get('sendInitialEvents') === 'true';
    if (wantsInitialEvents && !(supportsInitialEvents && query.get('resourceVersionMatch') === 'NotOlderThan')) {
      throw new StatusError(422, 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch');
    }
    const stream = new WatchStream({ ...options, onFaultApplied: this.#onChange });
    this.#streams.add(stream);
    options.response.once('close', () => {
      this.#streams.delete(stream);
      this.#onChange();
    });
    const version = query.get('resourceVersion') || '0';
    if (wantsInitialEvents || version === '0') {
      stream.sendInitial(this.#store.all(collection, namespace), () => this.#store.version, wantsInitialEvents);
    } else {
      this.#replay(stream, Number(version));
    }
    stream.begin();
  }

  deliver(change: StoreChange): void {
    for (const stream of [...this.#streams]) stream.deliver(change);
  }

  bookmark(): void {
    for (const stream of this.#streams) stream.bookmark(this.#store.version);
  }

  break(fault: LiveWatchFault): void {
    for (const stream of [...this.#streams]) stream.break(fault);
  }

  clearFaults(): void {
    for (const stream of this.#streams) stream.clearFault();
  }

  #replay(stream: WatchStream, version: number): void {
    try {
      for (const change of this.#store.changesSince(stream.call.collection, version)) stream.deliver(change);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      stream.sendError(error);
    }
  }
}
