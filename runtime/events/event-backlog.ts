import type { EventType } from './core-event.ts';
import type { EventSeries, PendingContent, PendingEvent } from './event-series.ts';

/** Estimated size of the reference to a related object, with its names. */
const BYTES_PER_RELATED_OBJECT = 256;
/**
 * Estimated size of a waiting event without its message. The event needs 283 bytes, and the names of its object need
 * about 109 bytes.
 */
const BYTES_PER_EVENT = 392;
/** Maximum size of a character in memory. Latin letters need only one byte. */
const BYTES_PER_CHARACTER = 2;
/** Maximum size of all waiting events. Warnings have a separate limit, so that Normal events never displace them. */
const MAX_WAITING_BYTES = { Normal: 64 * 2 ** 20, Warning: 16 * 2 ** 20 } as const satisfies Record<EventType, number>;

/** The waiting events of one namespace. */
export interface NamespaceEvents {
  readonly namespace: string;
  /** Queues of events to send. Warnings are sent first. */
  readonly queues: Readonly<Record<EventType, SeriesQueue>>;
  /** Size of all waiting events, including delayed events, in bytes. */
  readonly waitingBytes: Record<EventType, number>;
  senderCount: number;
}

/**
 * Stores the events that wait to be sent, by namespace. One namespace can use at most half of the space, so that a
 * namespace with few waiting events loses no events.
 */
export class EventBacklog {
  /** The namespaces with waiting events or active senders. */
  readonly #namespaces = new Map<string, NamespaceEvents>();
  readonly #waitingBytes: Record<EventType, number> = { Normal: 0, Warning: 0 };

  get namespaces(): readonly NamespaceEvents[] {
    return [...this.#namespaces.values()];
  }

  /** Whether the backlog has no waiting events and no active senders. */
  get isEmpty(): boolean {
    return this.#namespaces.size === 0;
  }

  /** Reserves space for an event. Returns false if there is not enough space. */
  tryReserve({ type }: EventSeries, pendingEvent: PendingEvent): boolean {
    const namespace = getNamespace(pendingEvent);
    const namespaceEvents = this.#namespaces.get(namespace) ?? createNamespaceEvents(namespace);
    if (namespaceEvents.waitingBytes[type] >= MAX_WAITING_BYTES[type] - this.#waitingBytes[type]) return false;
    this.#namespaces.set(namespace, namespaceEvents);
    this.#addBytes(namespaceEvents, type, estimateBytes(pendingEvent));
    return true;
  }

  /** Changes the content of an event, and adjusts the reserved space. */
  update({ type }: EventSeries, pendingEvent: PendingEvent, content: PendingContent): void {
    const namespaceEvents = this.#namespaces.get(getNamespace(pendingEvent));
    if (namespaceEvents) this.#addBytes(namespaceEvents, type, estimateBytes(content) - estimateBytes(pendingEvent));
    Object.assign(pendingEvent, content);
  }

  enqueue(series: EventSeries, pendingEvent: PendingEvent): NamespaceEvents | undefined {
    const namespaceEvents = this.#namespaces.get(getNamespace(pendingEvent));
    namespaceEvents?.queues[series.type].push(series);
    return namespaceEvents;
  }

  /** Removes and returns the next event to send. Releases its space. */
  dequeue(namespaceEvents: NamespaceEvents): EventSeries | undefined {
    const series = namespaceEvents.queues.Warning.shift() ?? namespaceEvents.queues.Normal.shift();
    if (series?.pendingEvent) this.#addBytes(namespaceEvents, series.type, -estimateBytes(series.pendingEvent));
    return series;
  }

  /** Releases the reserved space of an event that is not in a queue. */
  release({ type }: EventSeries, pendingEvent: PendingEvent): void {
    const namespaceEvents = this.#namespaces.get(getNamespace(pendingEvent));
    if (namespaceEvents === undefined) return;
    this.#addBytes(namespaceEvents, type, -estimateBytes(pendingEvent));
    this.deleteIfEmpty(namespaceEvents);
  }

  deleteIfEmpty({ namespace, waitingBytes, senderCount }: NamespaceEvents): void {
    if (waitingBytes.Normal === 0 && waitingBytes.Warning === 0 && senderCount === 0)
      this.#namespaces.delete(namespace);
  }

  #addBytes(namespaceEvents: NamespaceEvents, type: EventType, byteCount: number): void {
    namespaceEvents.waitingBytes[type] += byteCount;
    this.#waitingBytes[type] += byteCount;
  }
}

export function getNamespace({ involvedObject }: PendingEvent): string {
  return involvedObject.namespace ?? 'default';
}

function estimateBytes({ message, optionalFields: { action = '', related } }: PendingContent): number {
  const relatedBytes = related === undefined ? 0 : BYTES_PER_RELATED_OBJECT;
  return BYTES_PER_EVENT + BYTES_PER_CHARACTER * (message.length + action.length) + relatedBytes;
}

function createNamespaceEvents(namespace: string): NamespaceEvents {
  return {
    namespace,
    queues: { Normal: new SeriesQueue(), Warning: new SeriesQueue() },
    waitingBytes: { Normal: 0, Warning: 0 },
    senderCount: 0,
  };
}

/** A first-in, first-out queue. The queue is a linked list, which is faster than a large array. */
class SeriesQueue {
  #firstSeries: EventSeries | undefined;
  #lastPendingEvent: PendingEvent | undefined;

  push(series: EventSeries): void {
    const { pendingEvent } = series;
    if (this.#lastPendingEvent === undefined) this.#firstSeries = series;
    else this.#lastPendingEvent.nextSeries = series;
    this.#lastPendingEvent = pendingEvent;
  }

  shift(): EventSeries | undefined {
    const series = this.#firstSeries;
    if (series?.pendingEvent === undefined) return undefined;
    this.#firstSeries = series.pendingEvent.nextSeries;
    if (this.#firstSeries === undefined) this.#lastPendingEvent = undefined;
    series.pendingEvent.nextSeries = undefined;
    return series;
  }
}
