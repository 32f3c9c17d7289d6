/** Reports what happened to an object as core/v1 Events, which `kubectl describe` shows below the object. */
import { aborted, type Clock } from '../clock/clock.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { Logger } from '../log/logger.ts';
import type { CoreEvent, EventType } from './core-event.ts';
import { DelayedEvents } from './delayed-events.ts';
import { type DropCause, DroppedEvents } from './dropped-events.ts';
import { EventBacklog, type NamespaceEvents } from './event-backlog.ts';
import { EventCorrelator, type Occurrence } from './event-correlator.ts';
import { COMBINED, type EventSeries, type PendingEvent } from './event-series.ts';
import { type EventWriteResult, EventWriter, type EventWriterOptions } from './event-writer.ts';

/** Maximum number of senders per namespace. The transport limits the total and shares its seats among namespaces. */
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
 * The outcome of an event. `dropped`: refused, no space, no response, or too many events about its object, in which case
 * it is only counted.
 */
export type EventOutcome = 'stored' | 'dropped';

type OutcomeCallback = (outcome: EventOutcome) => void;

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
  readonly #delayed: DelayedEvents;
  readonly #dropped: DroppedEvents;
  /** Callers that wait for the outcome of the next request of a series. */
  readonly #callbacks = new Map<EventSeries, OutcomeCallback[]>();
  readonly #stop = new AbortController();
  readonly #onIdle = new Set<() => void>();

  constructor(options: EventRecorderOptions) {
    const { clock, log } = options;
    this.#clock = clock;
    this.#log = log;
    this.#writer = new EventWriter(options);
    this.#correlator = new EventCorrelator(clock);
    this.#dropped = new DroppedEvents(clock, log);
    this.#delayed = new DelayedEvents(clock, (series) => this.#onDue(series));
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
    this.#delayed.clear();
    for (const namespaceEvents of this.#backlog.namespaces) {
      for (let senders = namespaceEvents.senders; senders < MAX_FLUSH_SENDERS; senders++)
        this.#startSender(namespaceEvents);
    }
    await Promise.race([idle, aborted(signal)]);
    this.#onIdle.delete(resolve);
    return this.#backlog.isEmpty;
  }

  /** Drops unsent events, and records no further events. */
  stop(): void {
    this.#stop.abort();
    this.#delayed.clear();
    for (const namespaceEvents of this.#backlog.namespaces) {
      for (
        let series = this.#backlog.dequeue(namespaceEvents);
        series !== undefined;
        series = this.#backlog.dequeue(namespaceEvents)
      ) {
        this.#drop(series, 'unsent');
      }
      this.#backlog.deleteIfEmpty(namespaceEvents);
    }
    this.#dropped.stop();
  }

  #record(object: KubernetesObject, occurrence: Occurrence, onOutcome?: OutcomeCallback): void {
    if (this.#stop.signal.aborted) {
      onOutcome?.('dropped');
      return;
    }
    const series = this.#correlator.count(object, occurrence);
    const pending = this.#setPending(series, object, occurrence.message);
    const { state } = series;
    if (state === 'sending') series.state = 'changed';
    if (onOutcome) this.#addCallback(series, onOutcome);
    if (state === 'idle') this.#schedule(series, pending);
    else if (state === 'delayed' && onOutcome) this.#sendNow(series, pending);
  }

  /** Stores the content of the next request. */
  #setPending(series: EventSeries, object: KubernetesObject, message: string): PendingEvent {
    const text = series.wordingHash === COMBINED ? `(combined from similar events): ${message}` : message;
    const lastAtS = Math.floor(this.#clock.now().getTime() / 1000);
    const { pending } = series;
    if (pending === undefined) {
      series.pending = { involvedObject: createReference(object), message: text, lastAtS, next: undefined };
      return series.pending;
    }
    if (series.state === 'delayed' || series.state === 'queued') this.#backlog.updateMessage(series, pending, text);
    else pending.message = text;
    pending.lastAtS = lastAtS;
    return pending;
  }

  #addCallback(series: EventSeries, onOutcome: OutcomeCallback): void {
    const existing = this.#callbacks.get(series);
    if (existing) existing.push(onOutcome);
    else this.#callbacks.set(series, [onOutcome]);
  }

  #notify(series: EventSeries, outcome: EventOutcome): void {
    const callbacks = this.#callbacks.get(series);
    this.#callbacks.delete(series);
    for (const onOutcome of callbacks ?? []) onOutcome(outcome);
  }

  /** Sends the series when it is due. */
  #schedule(series: EventSeries, pending: PendingEvent): void {
    if (!this.#backlog.admit(series, pending)) {
      this.#drop(series, 'noRoom');
      return;
    }
    const isFlushing = this.#onIdle.size > 0;
    const delayS = isFlushing ? 0 : this.#correlator.computeDelayS(series);
    if (delayS === 0) {
      this.#enqueue(series, pending, false);
      return;
    }
    series.state = 'delayed';
    this.#delayed.add(series, delayS);
    if (this.#callbacks.has(series)) this.#sendNow(series, pending);
  }

  /** Sends a delayed series now, because a caller waits for its outcome. */
  #sendNow(series: EventSeries, pending: PendingEvent): void {
    if (this.#correlator.takeFromBudget(series) === 0) this.#enqueue(series, pending, false);
    else this.#notify(series, 'dropped');
  }

  #onDue(series: EventSeries): void {
    const { pending } = series;
    if (series.state !== 'delayed' || pending === undefined) return;
    if (this.#stop.signal.aborted) {
      this.#backlog.release(series, pending);
      this.#drop(series, 'unsent');
      return;
    }
    const delayS = this.#onIdle.size > 0 ? 0 : this.#correlator.computeDelayS(series);
    if (delayS === 0) this.#enqueue(series, pending, true);
    else this.#delayed.add(series, delayS);
  }

  #enqueue(series: EventSeries, pending: PendingEvent, isScheduledUpdate: boolean): void {
    series.state = 'queued';
    series.isScheduledUpdate = isScheduledUpdate;
    const namespaceEvents = this.#backlog.enqueue(series, pending);
    if (namespaceEvents && namespaceEvents.senders < MAX_SENDERS) this.#startSender(namespaceEvents);
  }

  #startSender(namespaceEvents: NamespaceEvents): void {
    namespaceEvents.senders++;
    void this.#sendAll(namespaceEvents);
  }

  /** One of a namespace's senders: runs until its queue is empty. Never rejects. */
  async #sendAll(namespaceEvents: NamespaceEvents): Promise<void> {
    for (
      let series = this.#backlog.dequeue(namespaceEvents);
      series?.pending;
      series = this.#backlog.dequeue(namespaceEvents)
    ) {
      const { pending } = series;
      series.state = 'sending';
      const callbacks = this.#callbacks.get(series);
      this.#callbacks.delete(series);
      const result = await this.#writer.write(series, pending, this.#stop.signal);
      for (const onOutcome of callbacks ?? []) onOutcome(result.kind === 'stored' ? 'stored' : 'dropped');
      this.#onWritten(series, pending, result);
    }
    namespaceEvents.senders--;
    this.#backlog.deleteIfEmpty(namespaceEvents);
    if (!this.#backlog.isEmpty) return;
    for (const resolve of this.#onIdle) resolve();
  }

  #onWritten(series: EventSeries, pending: PendingEvent, result: EventWriteResult): void {
    this.#correlator.recordResponse(series);
    const hasChanged = series.state === 'changed';
    if (result.kind !== 'stored') this.#recordDrop(series, result.kind, result.error);
    series.state = 'idle';
    if (!hasChanged) series.pending = undefined;
    else if (this.#stop.signal.aborted) this.#drop(series, 'unsent');
    else this.#schedule(series, pending);
  }

  #recordDrop({ type, reason, pending }: EventSeries, cause: DropCause, error?: unknown): void {
    const { namespace, name } = pending?.involvedObject ?? {};
    this.#log.debug('dropped event', { namespace, name, reason, cause, ...(error !== undefined && { error }) });
    this.#dropped.add(cause, type, error);
  }

  #drop(series: EventSeries, cause: DropCause): void {
    this.#recordDrop(series, cause);
    series.state = 'idle';
    series.pending = undefined;
    this.#notify(series, 'dropped');
  }
}

function createReference({ apiVersion, kind, metadata }: KubernetesObject): CoreEvent['involvedObject'] {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, ...(namespace !== undefined && { namespace }), name, uid, resourceVersion };
}

/** Copies the text when it cuts it: a slice would keep the whole long text in memory. */
function cut(message: string): string {
  if (message.length <= MAX_MESSAGE_LENGTH) return message;
  return Buffer.from(message.slice(0, MAX_MESSAGE_LENGTH)).toString();
}
