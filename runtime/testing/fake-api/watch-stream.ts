import type { ServerResponse } from 'node:http';
import type { ApiCall } from './api-request.ts';
import type { LiveWatchFault, WatchFault } from './faults.ts';
import { resetSocket } from './listener.ts';
import type { StoreChange } from './object-store.ts';
import type { StoredObject } from './object-types.ts';
import { type ObjectFilter, parseObjectFilter } from './selection.ts';
import { createExpiredError, StatusError } from './status-error.ts';

export interface WatchStreamOptions {
  readonly call: ApiCall;
  readonly response: ServerResponse;
  /** Kind of the watched objects, which bookmarks contain. */
  readonly kind: string;
  readonly fault: WatchFault | undefined;
  readonly onFaultApplied: () => void;
}

/** The response to a watch: one line of JSON for each event. */
export class WatchStream {
  readonly call: ApiCall;
  readonly #isSelected: ObjectFilter;
  readonly #response: ServerResponse;
  readonly #kind: string;
  readonly #onFaultApplied: () => void;
  #fault: WatchFault | undefined;
  #eventsSent = 0;
  #isSilent = false;
  #isEnded = false;
  /** Resolves after the last write. Each write waits for the previous write. */
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(options: WatchStreamOptions) {
    this.call = options.call;
    this.#isSelected = parseObjectFilter(options.call.query);
    this.#response = options.response;
    this.#kind = options.kind;
    this.#fault = options.fault;
    this.#onFaultApplied = options.onFaultApplied;
    this.#response.writeHead(200, { 'content-type': 'application/json' });
    this.#response.flushHeaders();
  }

  /** Whether the watch is open. A watch with the fault `silence` stays open. */
  get isOpen(): boolean {
    return !this.#isEnded;
  }

  get hasPendingFault(): boolean {
    return this.#fault !== undefined;
  }

  /**
   * Sends the existing objects as ADDED events. If `isMarked`, also sends the bookmark that ends the initial events.
   */
  sendInitial(objects: readonly StoredObject[], version: () => number, isMarked: boolean): void {
    const fault = this.#fault;
    const end = fault?.kind === 'breakInitialEvents' ? fault.afterEvents : objects.length;
    for (const object of objects.filter(this.#isSelected).slice(0, end)) this.#sendLine({ type: 'ADDED', object });
    const sendEndBookmark = () => isMarked && this.bookmark(version(), { 'k8s.io/initial-events-end': 'true' });
    if (fault?.kind === 'breakInitialEvents') {
      this.#completeFault();
      this.#end();
    } else if (fault?.kind === 'lateInitialEnd') {
      void fault.until.then(() => {
        sendEndBookmark();
        this.#completeFault();
      });
    } else {
      sendEndBookmark();
    }
  }

  /** Starts to send changes. */
  begin(): void {
    this.#applyDueFault();
  }

  deliver(change: StoreChange): void {
    const { object } = change;
    const type = this.#changeTypeFor(change);
    if (type === undefined || this.#isSilent) return;
    const fault = this.#dueFault();
    if (fault?.kind === 'halfLine' || fault?.kind === 'garbage') this.#corruptEvent(fault.kind, { type, object });
    else this.#sendLine({ type, object });
    this.#eventsSent++;
    this.#applyDueFault();
  }

  /** Returns the type of the event for this watch, or `undefined` if the watch does not select the object. */
  #changeTypeFor({ collection, object, previous, type }: StoreChange): StoreChange['type'] | undefined {
    const { collection: watched, namespace } = this.call;
    if (collection !== watched || (namespace !== undefined && namespace !== object.metadata.namespace))
      return undefined;
    const wasSelected = previous !== undefined && this.#isSelected(previous);
    const isSelected = type !== 'DELETED' && this.#isSelected(object);
    if (wasSelected) return isSelected ? 'MODIFIED' : 'DELETED';
    return isSelected ? 'ADDED' : undefined;
  }

  bookmark(version: number, annotations?: Readonly<Record<string, string>>): void {
    if (this.call.query.get('allowWatchBookmarks') !== 'true') return;
    const metadata = { resourceVersion: String(version), creationTimestamp: null, ...(annotations && { annotations }) };
    this.#sendLine({ type: 'BOOKMARK', object: { kind: this.#kind, apiVersion: this.call.apiVersion, metadata } });
  }

  /** Sends an ERROR event and ends the watch. */
  sendError(error: StatusError): void {
    this.#sendLine({ type: 'ERROR', object: error.body });
    this.#end();
  }

  /** Applies `fault` after the next `afterEvents` events. */
  break(fault: LiveWatchFault): void {
    if (this.#isEnded) return;
    this.#fault = { ...fault, afterEvents: this.#eventsSent + (fault.afterEvents ?? 0) };
    this.#applyDueFault();
  }

  clearFault(): void {
    this.#fault = undefined;
  }

  #dueFault(): WatchFault | undefined {
    const fault = this.#fault;
    if (fault === undefined || fault.kind === 'lateInitialEnd') return undefined;
    return (fault.afterEvents ?? 0) <= this.#eventsSent ? fault : undefined;
  }

  #applyDueFault(): void {
    const fault = this.#dueFault();
    switch (fault?.kind) {
      case 'close':
        this.#end();
        break;
      case 'reset':
        this.#isSilent = true;
        this.#isEnded = true;
        this.#enqueue(() => resetSocket(this.#response.socket));
        break;
      case 'expire':
        this.sendError(createExpiredError(1, 2));
        break;
      case 'fail':
        this.sendError(new StatusError(500, 'an error on the server has prevented the request from succeeding'));
        break;
      case 'silence':
        this.#isSilent = true;
        break;
      case 'halfLine': // this fault needs an event; deliver() applies it
      case 'garbage':
      case 'breakInitialEvents':
      case 'lateInitialEnd':
      case undefined:
        return;
    }
    this.#completeFault();
  }

  #corruptEvent(kind: 'halfLine' | 'garbage', event: unknown): void {
    this.#completeFault();
    if (kind === 'garbage') {
      this.#enqueue(() => this.#write(Buffer.from('<html>upstream gone</html>\n')));
      return;
    }
    const line = Buffer.from(JSON.stringify(event));
    this.#enqueue(() => this.#write(line.subarray(0, line.length / 2)));
    this.#end();
  }

  #completeFault(): void {
    this.#fault = undefined;
    this.#onFaultApplied();
  }

  #sendLine(event: unknown): void {
    if (this.#isSilent) return;
    const line = Buffer.from(`${JSON.stringify(event)}\n`);
    this.#enqueue(() => this.#write(line));
  }

  #end(): void {
    this.#isSilent = true;
    this.#isEnded = true;
    this.#enqueue(() => void this.#response.end());
  }

  #enqueue(step: () => void | Promise<void>): void {
    this.#lastWrite = this.#lastWrite.then(step);
  }

  /** Resolves when the bytes are written or the connection is closed. */
  #write(bytes: Uint8Array): Promise<void> {
    if (this.#response.destroyed || this.#response.writableEnded) return Promise.resolve();
    return new Promise((resolve) => {
      this.#response.write(bytes, () => resolve());
    });
  }
}
