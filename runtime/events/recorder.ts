/** Reports what happened to an object as core/v1 Events, which `kubectl describe` shows below the object. */
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

/** Maximum number of senders per namespace. The transport limits the total and shares its places among namespaces. */
const MAX_SENDERS = 2;
/**
 * Maximum number of senders per namespace while a caller waits for all events, as at shutdown: then there is nothing
 * else to send.
 */
const MAX_FLUSH_SENDERS = 8;
const MAX_MESSAGE_LENGTH = 1024;

export interface EventRecorderOptions extends EventWriterOptions {
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * The outcome of an event. `dropped`: refused, no room, no answer, or too many events about its object, in which case
 * it is only counted.
 */
export type EventOutcome = 'stored' | 'dropped';

type Tell = (outcome: EventOutcome) => void;

/**
 * Fire and forget: an event never fails, delays or outlives the work that it reports. Requests have the priority
 * `background`.
 *
 * The first event of an object, type and reason is sent at once. Normal events that follow within ten minutes and
 * differ only in names and numbers are counted, and every five minutes the Event gets the newest message and the count.
 * A Warning is sent at once, and one with the same message increases the count of the stored Event. An object has a
 * budget of 25 requests, and regains one every five minutes. Events beyond the budget wait.
 *
 * Namespaces share only the limit of waiting events: if requests of a namespace hang or are retried, only its own
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
  /** Callers that wait for the outcome of the next request of a series. */
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
   * @param message What happened, for users; cut after 1024 characters.
   */
  event(object: KubernetesObject, type: EventType, reason: string, message: string): void {
    this.#record(object, { type, reason, message: cut(message) });
  }

  /**
   * Like {@link event}, for callers that need the outcome. The event is not delayed while the object's budget of 25
   * lasts, which regains one request every five minutes, or every minute for a Normal event. Never rejects. With
   * retries, it may take two minutes.
   */
  record(object: KubernetesObject, type: EventType, reason: string, message: string): Promise<EventOutcome> {
    const occurrence = { type, reason, message: cut(message) };
    return new Promise((resolve) => this.#record(object, occurrence, resolve));
  }

  /**
   * Also sends delayed events, and waits until all events are sent; returns `false` when `signal` aborts first. The
   * remaining events are still sent, and recording continues until {@link stop}.
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

  /** Drops unsent events, and records no further events. */
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

  /** Stores the content of the next request. */
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

  /** Sends the series when it is due. */
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

  /** Sends a delayed series now, because a caller waits for its outcome. */
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

  /** One of a namespace's senders: runs until its queue is empty. Never rejects. */
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

/** Copies the text when it cuts it: a slice would keep the whole long text in memory. */
function cut(message: string): string {
  if (message.length <= MAX_MESSAGE_LENGTH) return message;
  return Buffer.from(message.slice(0, MAX_MESSAGE_LENGTH)).toString();
}
