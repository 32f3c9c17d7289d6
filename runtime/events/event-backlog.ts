import type { EventType } from './core-event.ts';
import type { EventSeries, PendingEvent } from './event-series.ts';

/** Size of a waiting Event without its message: 275 bytes and, if nothing else holds them, the strings of its object. */
const EVENT_BYTES = 384;
/** At most: in Latin letters it is one. */
const BYTES_PER_CHARACTER = 2;
/** Maximum size of all waiting events. Warnings have a separate limit, so that other events never displace them. */
const MAX_WAITING_BYTES = { Normal: 64 * 2 ** 20, Warning: 16 * 2 ** 20 } as const satisfies Record<EventType, number>;

/** The Events of one namespace. */
export interface NamespaceEvents {
  readonly namespace: string;
  /** Warnings go first. */
  readonly queues: Readonly<Record<EventType, SeriesQueue>>;
  /** Bytes of all waiting events, including delayed ones that are not queued yet. */
  readonly waitingBytes: Record<EventType, number>;
  senders: number;
}

/**
 * Events that wait to be sent, by namespace. A namespace may not use so many bytes that others have no space: a single
 * namespace gets half of the space, and a namespace with few waiting events does not drop any of them.
 */
export class EventBacklog {
  /** By namespace. An entry exists only while an event waits or is being sent. */
  readonly #namespaces = new Map<string, NamespaceEvents>();
  readonly #waitingBytes: Record<EventType, number> = { Normal: 0, Warning: 0 };

  get namespaces(): readonly NamespaceEvents[] {
    return [...this.#namespaces.values()];
  }

  /** Whether no event waits or is being sent. */
  get isEmpty(): boolean {
    return this.#namespaces.size === 0;
  }

  /** Reserves space for an Event. Returns false when there is not enough. */
  admit({ type }: EventSeries, pending: PendingEvent): boolean {
    const namespace = getNamespace(pending);
    const events = this.#namespaces.get(namespace) ?? createNamespaceEvents(namespace);
    if (events.waitingBytes[type] >= MAX_WAITING_BYTES[type] - this.#waitingBytes[type]) return false;
    this.#namespaces.set(namespace, events);
    this.#addBytes(events, type, estimateBytes(pending));
    return true;
  }

  /** Changes the message of an admitted event. */
  updateMessage({ type }: EventSeries, pending: PendingEvent, message: string): void {
    const events = this.#namespaces.get(getNamespace(pending));
    if (events) this.#addBytes(events, type, BYTES_PER_CHARACTER * (message.length - pending.message.length));
    pending.message = message;
  }

  /** Adds an admitted event to its queue. */
  enqueue(series: EventSeries, pending: PendingEvent): NamespaceEvents | undefined {
    const events = this.#namespaces.get(getNamespace(pending));
    events?.queues[series.type].push(series);
    return events;
  }

  /** Returns the next event to send, which no longer waits. */
  dequeue(events: NamespaceEvents): EventSeries | undefined {
    const series = events.queues.Warning.shift() ?? events.queues.Normal.shift();
    if (series?.pending) this.#addBytes(events, series.type, -estimateBytes(series.pending));
    return series;
  }

  /** Releases the space of an admitted event that is not in a queue. */
  release({ type }: EventSeries, pending: PendingEvent): void {
    const events = this.#namespaces.get(getNamespace(pending));
    if (events === undefined) return;
    this.#addBytes(events, type, -estimateBytes(pending));
    this.deleteIfEmpty(events);
  }

  /** Deletes the entry of the namespace when it is empty. */
  deleteIfEmpty({ namespace, waitingBytes, senders }: NamespaceEvents): void {
    if (waitingBytes.Normal === 0 && waitingBytes.Warning === 0 && senders === 0) this.#namespaces.delete(namespace);
  }

  #addBytes(events: NamespaceEvents, type: EventType, bytes: number): void {
    events.waitingBytes[type] += bytes;
    this.#waitingBytes[type] += bytes;
  }
}

export function getNamespace({ involvedObject }: PendingEvent): string {
  return involvedObject.namespace ?? 'default';
}

function estimateBytes({ message }: PendingEvent): number {
  return EVENT_BYTES + BYTES_PER_CHARACTER * message.length;
}

function createNamespaceEvents(namespace: string): NamespaceEvents {
  return {
    namespace,
    queues: { Normal: new SeriesQueue(), Warning: new SeriesQueue() },
    waitingBytes: { Normal: 0, Warning: 0 },
    senders: 0,
  };
}

/**
 * A first-in, first-out queue, linked through its events: an array of tens of thousands is copied each time the first
 * element is removed.
 */
class SeriesQueue {
  #first: EventSeries | undefined;
  #last: PendingEvent | undefined;

  push(series: EventSeries): void {
    const { pending } = series;
    if (this.#last === undefined) this.#first = series;
    else this.#last.next = series;
    this.#last = pending;
  }

  shift(): EventSeries | undefined {
    const series = this.#first;
    if (series?.pending === undefined) return undefined;
    this.#first = series.pending.next;
    if (this.#first === undefined) this.#last = undefined;
    series.pending.next = undefined;
    return series;
  }
}
