/** Tells people what happened to an object, by core/v1 Events that `kubectl describe` shows below it. */
import { aborted, type Clock } from '../clock/clock.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { Logger } from '../log/logger.ts';
import type { CoreEvent, EventType } from './core-event.ts';
import { type DropCause, DroppedEvents } from './dropped-events.ts';
import { EventBacklog, type Line } from './event-backlog.ts';
import { EventCorrelator, type Occurrence } from './event-correlator.ts';
import { COMBINED, type EventSeries, type PendingEvent } from './event-series.ts';
import { EventWriter, type EventWriterOptions, type Written } from './event-writer.ts';
import { HeldEvents } from './held-events.ts';

/** Of one namespace. How many there are in all, the transport bounds, which shares its places among namespaces. */
const MAX_SENDERS = 2;
/** While somebody waits for everything to be sent, as at the end: there is nothing else to send then. */
const MAX_FLUSH_SENDERS = 8;
const MAX_MESSAGE_LENGTH = 1024;

export interface EventRecorderOptions extends EventWriterOptions {
  readonly clock: Clock;
  readonly log: Logger;
}

/** What became of an event. `dropped`: refused, no room for it, no answer, or too many about its object: then it is only counted. */
export type EventOutcome = 'stored' | 'dropped';

type Tell = (outcome: EventOutcome) => void;

/**
 * Fire and forget: an event never fails, delays or outlives what it reports. Requests go out with the priority `background`.
 *
 * The first event of an object, type and reason is sent at once. Normal ones that follow within ten minutes, in the same words but
 * for names and numbers, are counted, and the Event shows the newest message and the count every five minutes. A Warning is sent at
 * once, and one with the same message counts in the stored Event; an object has a budget of 25, and gets one back every five
 * minutes. What is over it waits.
 *
 * Namespaces have nothing in common but the bound on all that waits: where requests of one hang or are sent again, only its own
 * events wait.
 */
export class EventRecorder {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #writer: EventWriter;
  readonly #correlator: EventCorrelator;
  readonly #backlog = new EventBacklog();
  readonly #held: HeldEvents;
  readonly #dropped: DroppedEvents;
  /** Callers who wait for the outcome of the next request of a series. */
  readonly #waiting = new Map<EventSeries, Tell[]>();
  readonly #stop = new AbortController();
  readonly #onIdle = new Set<() => void>();

  constructor(options: EventRecorderOptions) {
    const { clock, log } = options;
    this.#clock = clock;
    this.#log = log;
    this.#writer = new EventWriter(options);
    this.#correlator = new EventCorrelator(clock);
    this.#dropped = new DroppedEvents(clock, log);
    this.#held = new HeldEvents(clock, (series) => this.#letGo(series));
  }

  /**
   * Returns at once and never throws.
   * @param reason One word in CamelCase, from a fixed set.
   * @param message What happened, for people; cut after 1024 characters.
   */
  event(object: KubernetesObject, type: EventType, reason: string, message: string): void {
    this.#record(object, { type, reason, message: cut(message) });
  }

  /**
   * As {@link event}, for those who want to know what became of it: it is not held back while the object's budget of 25 lasts, which
   * gets one back every five minutes, for a Normal event every minute. Never rejects. May take as long as retries do: two minutes.
   */
  record(object: KubernetesObject, type: EventType, reason: string, message: string): Promise<EventOutcome> {
    const occurrence = { type, reason, message: cut(message) };
    return new Promise((resolve) => this.#record(object, occurrence, resolve));
  }

  /**
   * Sends also what is held back, and waits until everything has been sent; `false` when `signal` aborted before that. Events that are
   * left are sent all the same, and recording goes on: {@link stop} ends it.
   */
  async flush(signal: AbortSignal): Promise<boolean> {
    if (this.#backlog.isEmpty) return true;
    const { promise: idle, resolve } = Promise.withResolvers<void>();
    this.#onIdle.add(resolve);
    this.#held.clear();
    for (const line of this.#backlog.lines) {
      for (let senders = line.senders; senders < MAX_FLUSH_SENDERS; senders++) this.#startSender(line);
    }
    await Promise.race([idle, aborted(signal)]);
    this.#onIdle.delete(resolve);
    return this.#backlog.isEmpty;
  }

  /** Drops what has not been sent, and records nothing any more. */
  stop(): void {
    this.#stop.abort();
    this.#held.clear();
    for (const line of this.#backlog.lines) {
      for (let series = this.#backlog.take(line); series !== undefined; series = this.#backlog.take(line)) {
        this.#drop(series, 'unsent');
      }
      this.#backlog.tidy(line);
    }
    this.#dropped.stop();
  }

  #record(object: KubernetesObject, occurrence: Occurrence, tell?: Tell): void {
    if (this.#stop.signal.aborted) {
      tell?.('dropped');
      return;
    }
    const series = this.#correlator.count(object, occurrence);
    const pending = this.#note(series, object, occurrence.message);
    const { state } = series;
    if (state === 'sending') series.state = 'changed';
    if (tell) this.#tellLater(series, tell);
    if (state === 'idle') this.#schedule(series, pending);
    else if (state === 'held' && tell) this.#hurry(series, pending);
  }

  /** What the next request will say. */
  #note(series: EventSeries, object: KubernetesObject, message: string): PendingEvent {
    const text = series.wording === COMBINED ? `(combined from similar events): ${message}` : message;
    const lastAtS = Math.floor(this.#clock.now().getTime() / 1000);
    const { pending } = series;
    if (pending === undefined) {
      series.pending = { involvedObject: referenceTo(object), message: text, lastAtS, next: undefined };
      return series.pending;
    }
    if (series.state === 'held' || series.state === 'queued') this.#backlog.reword(series, pending, text);
    else pending.message = text;
    pending.lastAtS = lastAtS;
    return pending;
  }

  #tellLater(series: EventSeries, tell: Tell): void {
    const others = this.#waiting.get(series);
    if (others) others.push(tell);
    else this.#waiting.set(series, [tell]);
  }

  #tell(series: EventSeries, outcome: EventOutcome): void {
    const waiting = this.#waiting.get(series);
    this.#waiting.delete(series);
    for (const tell of waiting ?? []) tell(outcome);
  }

  /** Sends it when its time comes. */
  #schedule(series: EventSeries, pending: PendingEvent): void {
    if (!this.#backlog.admit(series, pending)) {
      this.#drop(series, 'noRoom');
      return;
    }
    const isFlushing = this.#onIdle.size > 0;
    const forS = isFlushing ? 0 : this.#correlator.heldS(series);
    if (forS === 0) {
      this.#enqueue(series, pending, false);
      return;
    }
    series.state = 'held';
    this.#held.add(series, forS);
    if (this.#waiting.has(series)) this.#hurry(series, pending);
  }

  /** Somebody waits for the outcome of one that is held. */
  #hurry(series: EventSeries, pending: PendingEvent): void {
    if (this.#correlator.spend(series) === 0) this.#enqueue(series, pending, false);
    else this.#tell(series, 'dropped');
  }

  #letGo(series: EventSeries): void {
    const { pending } = series;
    if (series.state !== 'held' || pending === undefined) return;
    if (this.#stop.signal.aborted) {
      this.#backlog.giveUp(series, pending);
      this.#drop(series, 'unsent');
      return;
    }
    const forS = this.#onIdle.size > 0 ? 0 : this.#correlator.heldS(series);
    if (forS === 0) this.#enqueue(series, pending, true);
    else this.#held.add(series, forS);
  }

  #enqueue(series: EventSeries, pending: PendingEvent, isSteady: boolean): void {
    series.state = 'queued';
    series.isSteady = isSteady;
    const line = this.#backlog.queue(series, pending);
    if (line && line.senders < MAX_SENDERS) this.#startSender(line);
  }

  #startSender(line: Line): void {
    line.senders++;
    void this.#sendAll(line);
  }

  /** One of a namespace's senders: works until its queue is empty. Never rejects. */
  async #sendAll(line: Line): Promise<void> {
    for (let series = this.#backlog.take(line); series?.pending; series = this.#backlog.take(line)) {
      const { pending } = series;
      series.state = 'sending';
      const waiting = this.#waiting.get(series);
      this.#waiting.delete(series);
      const written = await this.#writer.write(series, pending, this.#stop.signal);
      for (const tell of waiting ?? []) tell(written.kind === 'stored' ? 'stored' : 'dropped');
      this.#written(series, pending, written);
    }
    line.senders--;
    this.#backlog.tidy(line);
    if (!this.#backlog.isEmpty) return;
    for (const resolve of this.#onIdle) resolve();
  }

  #written(series: EventSeries, pending: PendingEvent, written: Written): void {
    this.#correlator.answered(series);
    const hasChanged = series.state === 'changed';
    if (written.kind !== 'stored') this.#noteDrop(series, written.kind, written.error);
    series.state = 'idle';
    if (!hasChanged) series.pending = undefined;
    else if (this.#stop.signal.aborted) this.#drop(series, 'unsent');
    else this.#schedule(series, pending);
  }

  #noteDrop({ type, reason, pending }: EventSeries, cause: DropCause, error?: unknown): void {
    const { namespace, name } = pending?.involvedObject ?? {};
    this.#log.debug('dropped event', { namespace, name, reason, cause, ...(error !== undefined && { error }) });
    this.#dropped.add(cause, type, error);
  }

  #drop(series: EventSeries, cause: DropCause): void {
    this.#noteDrop(series, cause);
    series.state = 'idle';
    series.pending = undefined;
    this.#tell(series, 'dropped');
  }
}

function referenceTo({ apiVersion, kind, metadata }: KubernetesObject): CoreEvent['involvedObject'] {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, ...(namespace !== undefined && { namespace }), name, uid, resourceVersion };
}

/** A copy where it is cut: a slice would keep all of a long text in memory. */
function cut(message: string): string {
  if (message.length <= MAX_MESSAGE_LENGTH) return message;
  return Buffer.from(message.slice(0, MAX_MESSAGE_LENGTH)).toString();
}
