import type { ServerResponse } from 'node:http';
import type { ApiCall } from './api-request.ts';
import type { LiveWatchFault, WatchFault } from './faults.ts';
import { resetSocket } from './listener.ts';
import type { Change, StoredObject } from './object-store.ts';
import { expired, Refusal } from './refusal.ts';
import { type Selection, selectionOf } from './selection.ts';

export interface WatchStreamOptions {
  readonly call: ApiCall;
  readonly response: ServerResponse;
  /** Kind in bookmarks. */
  readonly kind: string;
  readonly fault: WatchFault | undefined;
  readonly onStruck: () => void;
}

/**
 * The answer to one watch: a JSON line per event, until the client disconnects, the server closes it, or a fault ends
 * it.
 */
export class WatchStream {
  readonly call: ApiCall;
  readonly #isSelected: Selection;
  readonly #response: ServerResponse;
  readonly #kind: string;
  readonly #onStruck: () => void;
  #fault: WatchFault | undefined;
  #eventsSent = 0;
  #isMute = false;
  #isOver = false;
  /** Orders the writes. */
  #written: Promise<void> = Promise.resolve();

  constructor(options: WatchStreamOptions) {
    this.call = options.call;
    this.#isSelected = selectionOf(options.call.query);
    this.#response = options.response;
    this.#kind = options.kind;
    this.#fault = options.fault;
    this.#onStruck = options.onStruck;
    this.#response.writeHead(200, { 'content-type': 'application/json' });
    this.#response.flushHeaders();
  }

  /** False as soon as the server has ended it; a silent watch is open. */
  get isOpen(): boolean {
    return !this.#isOver;
  }

  /** Whether a fault is pending in this watch. */
  get isDoomed(): boolean {
    return this.#fault !== undefined;
  }

  /** Sends the existing objects as ADDED events and, if `isMarked`, the bookmark that ends the initial events. */
  sendInitial(objects: readonly StoredObject[], version: () => number, isMarked: boolean): void {
    const fault = this.#fault;
    const end = fault?.kind === 'breakInitialEvents' ? fault.afterEvents : objects.length;
    for (const object of objects.filter(this.#isSelected).slice(0, end)) this.#line({ type: 'ADDED', object });
    const mark = () => isMarked && this.bookmark(version(), { 'k8s.io/initial-events-end': 'true' });
    if (fault?.kind === 'breakInitialEvents') {
      this.#struck();
      this.#end();
    } else if (fault?.kind === 'lateInitialEnd') {
      void fault.until.then(() => {
        mark();
        this.#struck();
      });
    } else {
      mark();
    }
  }

  /** Starts to send changes; applies faults that are due at once. */
  begin(): void {
    this.#strikeIfDue();
  }

  deliver(change: Change): void {
    const { object } = change;
    const type = this.#typeOf(change);
    if (type === undefined || this.#isMute) return;
    const fault = this.#dueFault();
    if (fault?.kind === 'halfLine' || fault?.kind === 'garbage') this.#spoil(fault.kind, { type, object });
    else this.#line({ type, object });
    this.#eventsSent++;
    this.#strikeIfDue();
  }

  /**
   * Returns the type of the change for a client that watches a part of the collection; undefined when the change is
   * outside of it.
   */
  #typeOf({ collection, object, previous, type }: Change): Change['type'] | undefined {
    const { collection: watched, namespace } = this.call;
    if (collection !== watched || (namespace !== undefined && namespace !== object.metadata.namespace))
      return undefined;
    const was = previous !== undefined && this.#isSelected(previous);
    const is = type !== 'DELETED' && this.#isSelected(object);
    if (was) return is ? 'MODIFIED' : 'DELETED';
    return is ? 'ADDED' : undefined;
  }

  bookmark(version: number, annotations?: Readonly<Record<string, string>>): void {
    if (this.call.query.get('allowWatchBookmarks') !== 'true') return;
    const metadata = { resourceVersion: String(version), creationTimestamp: null, ...(annotations && { annotations }) };
    this.#line({ type: 'BOOKMARK', object: { kind: this.#kind, apiVersion: this.call.apiVersion, metadata } });
  }

  /** Reports in the stream that the watch cannot be served, as the API server does, and ends it. */
  refuse(refusal: Refusal): void {
    this.#line({ type: 'ERROR', object: refusal.body });
    this.#end();
  }

  /** Applies `fault` now, or after its number of events. */
  break(fault: LiveWatchFault): void {
    if (this.#isOver) return;
    this.#fault = { ...fault, afterEvents: this.#eventsSent + (fault.afterEvents ?? 0) };
    this.#strikeIfDue();
  }

  clearFault(): void {
    this.#fault = undefined;
  }

  #dueFault(): WatchFault | undefined {
    const fault = this.#fault;
    if (fault === undefined || fault.kind === 'lateInitialEnd') return undefined;
    return (fault.afterEvents ?? 0) <= this.#eventsSent ? fault : undefined;
  }

  #strikeIfDue(): void {
    const fault = this.#dueFault();
    switch (fault?.kind) {
      case 'close':
        this.#end();
        break;
      case 'reset':
        this.#isMute = true;
        this.#isOver = true;
        this.#enqueue(() => resetSocket(this.#response.socket));
        break;
      case 'expire':
        this.refuse(expired(1, 2));
        break;
      case 'fail':
        this.refuse(new Refusal(500, 'an error on the server has prevented the request from succeeding'));
        break;
      case 'silence':
        this.#isMute = true;
        break;
      case 'halfLine': // these spoil an event: not before there is one
      case 'garbage':
      case 'breakInitialEvents':
      case 'lateInitialEnd':
      case undefined:
        return;
    }
    this.#struck();
  }

  #spoil(kind: 'halfLine' | 'garbage', event: unknown): void {
    this.#struck();
    if (kind === 'garbage') {
      this.#enqueue(() => this.#write(Buffer.from('<html>upstream gone</html>\n')));
      return;
    }
    const line = Buffer.from(JSON.stringify(event));
    this.#enqueue(() => this.#write(line.subarray(0, line.length / 2)));
    this.#end();
  }

  #struck(): void {
    this.#fault = undefined;
    this.#onStruck();
  }

  #line(event: unknown): void {
    if (this.#isMute) return;
    const line = Buffer.from(`${JSON.stringify(event)}\n`);
    this.#enqueue(() => this.#write(line));
  }

  #end(): void {
    this.#isMute = true;
    this.#isOver = true;
    this.#enqueue(() => void this.#response.end());
  }

  #enqueue(step: () => void | Promise<void>): void {
    this.#written = this.#written.then(step);
  }

  /** Resolves when the kernel has the bytes, or the connection is gone. */
  #write(bytes: Uint8Array): Promise<void> {
    if (this.#response.destroyed || this.#response.writableEnded) return Promise.resolve();
    return new Promise((resolve) => {
      this.#response.write(bytes, () => resolve());
    });
  }
}
