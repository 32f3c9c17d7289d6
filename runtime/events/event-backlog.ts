import type { EventType } from './core-event.ts';
import type { EventSeries, PendingEvent } from './event-series.ts';

/** What an Event that waits takes beside its message: 275 bytes and, where nobody else has them any more, the texts of its object. */
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
  /** Bytes of all that waits, also of what is held and in no queue yet. */
  readonly waiting: Record<EventType, number>;
  senders: number;
}

/**
 * Events that wait to be sent, by namespace. A namespace may have no more bytes waiting than others still find room for: one alone
 * gets half of the room, and one that has little waiting drops nothing.
 */
export class EventBacklog {
  /** By namespace. There is one only while something waits or is being sent. */
  readonly #lines = new Map<string, Line>();
  readonly #waiting: Record<EventType, number> = { Normal: 0, Warning: 0 };

  get lines(): readonly Line[] {
    return [...this.#lines.values()];
  }

  /** Nothing waits, nothing is being sent. */
  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  /** Takes room for an Event. False when there is none. */
  admit({ type }: EventSeries, pending: PendingEvent): boolean {
    const namespace = namespaceOf(pending);
    const line = this.#lines.get(namespace) ?? newLine(namespace);
    if (line.waiting[type] >= MAX_WAITING_BYTES[type] - this.#waiting[type]) return false;
    this.#lines.set(namespace, line);
    this.#add(line, type, bytesOf(pending));
    return true;
  }

  /** For one that was admitted. */
  reword({ type }: EventSeries, pending: PendingEvent, message: string): void {
    const line = this.#lines.get(namespaceOf(pending));
    if (line) this.#add(line, type, BYTES_A_CHARACTER * (message.length - pending.message.length));
    pending.message = message;
  }

  /** Puts one that was admitted into its queue. */
  queue(series: EventSeries, pending: PendingEvent): Line | undefined {
    const line = this.#lines.get(namespaceOf(pending));
    line?.queues[series.type].push(series);
    return line;
  }

  /** The next to be sent. It no longer waits. */
  take(line: Line): EventSeries | undefined {
    const series = line.queues.Warning.shift() ?? line.queues.Normal.shift();
    if (series?.pending) this.#add(line, series.type, -bytesOf(series.pending));
    return series;
  }

  /** For one that was admitted and is in no queue. */
  giveUp({ type }: EventSeries, pending: PendingEvent): void {
    const line = this.#lines.get(namespaceOf(pending));
    if (line === undefined) return;
    this.#add(line, type, -bytesOf(pending));
    this.tidy(line);
  }

  /** Forgets the line when it is not needed any more. */
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

/** First in, first out, linked through what waits: an array of tens of thousands is copied each time that its first is taken. */
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
