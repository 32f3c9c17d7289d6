import type { EventType } from './core-event.ts';
import type { EventSeries, PendingEvent } from './event-series.ts';

/** Size of a waiting Event without its message: 275 bytes and, if nothing else holds them, the texts of its object. */
const ENTRY_BYTES = 384;
/** At most: in Latin letters it is one. */
const BYTES_A_CHARACTER = 2;
/** What may wait in all. Warnings have room of their own: no number of other events leaves none for them. */
const MAX_WAITING_BYTES = { Normal: 64 * 2 ** 20, Warning: 16 * 2 ** 20 } as const satisfies Record<EventType, number>;

/** The Events of one namespace. */
export interface Line {
  readonly namespace: string;
  /** Warnings go first. */
  readonly queues: Readonly<Record<EventType, SeriesQueue>>;
  /** Bytes of all waiting events, including held ones that are not queued yet. */
  readonly waiting: Record<EventType, number>;
  senders: number;
}

/**
 * Events that wait to be sent, by namespace. A namespace may not use so many bytes that others find no room: a single
 * namespace gets half of the room, and a namespace with few waiting events does not drop any of them.
 */
export class EventBacklog {
  /** By namespace. A line exists only while an event waits or is being sent. */
  readonly #lines = new Map<string, Line>();
  readonly #waiting: Record<EventType, number> = { Normal: 0, Warning: 0 };

  get lines(): readonly Line[] {
    return [...this.#lines.values()];
  }

  /** Whether no event waits or is being sent. */
  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  /** Reserves room for an Event. Returns false when there is not enough. */
  admit({ type }: EventSeries, pending: PendingEvent): boolean {
    const namespace = namespaceOf(pending);
    const line = this.#lines.get(namespace) ?? newLine(namespace);
    if (line.waiting[type] >= MAX_WAITING_BYTES[type] - this.#waiting[type]) return false;
    this.#lines.set(namespace, line);
    this.#add(line, type, bytesOf(pending));
    return true;
  }

  /** Changes the message of an admitted event. */
  reword({ type }: EventSeries, pending: PendingEvent, message: string): void {
    const line = this.#lines.get(namespaceOf(pending));
    if (line) this.#add(line, type, BYTES_A_CHARACTER * (message.length - pending.message.length));
    pending.message = message;
  }

  /** Adds an admitted event to its queue. */
  queue(series: EventSeries, pending: PendingEvent): Line | undefined {
    const line = this.#lines.get(namespaceOf(pending));
    line?.queues[series.type].push(series);
    return line;
  }

  /** Returns the next event to send, which no longer waits. */
  take(line: Line): EventSeries | undefined {
    const series = line.queues.Warning.shift() ?? line.queues.Normal.shift();
    if (series?.pending) this.#add(line, series.type, -bytesOf(series.pending));
    return series;
  }

  /** Releases the room of an admitted event that is not in a queue. */
  giveUp({ type }: EventSeries, pending: PendingEvent): void {
    const line = this.#lines.get(namespaceOf(pending));
    if (line === undefined) return;
    this.#add(line, type, -bytesOf(pending));
    this.tidy(line);
  }

  /** Deletes the line when it is empty. */
  tidy({ namespace, waiting, senders }: Line): void {
    if (waiting.Normal === 0 && waiting.Warning === 0 && senders === 0) this.#lines.delete(namespace);
  }

  #add(line: Line, type: EventType, bytes: number): void {
    line.waiting[type] += bytes;
    this.#waiting[type] += bytes;
  }
}

export function namespaceOf({ involvedObject }: PendingEvent): string {
  return involvedObject.namespace ?? 'default';
}

function bytesOf({ message }: PendingEvent): number {
  return ENTRY_BYTES + BYTES_A_CHARACTER * message.length;
}

function newLine(namespace: string): Line {
  return {
    namespace,
    queues: { Normal: new SeriesQueue(), Warning: new SeriesQueue() },
    waiting: { Normal: 0, Warning: 0 },
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
