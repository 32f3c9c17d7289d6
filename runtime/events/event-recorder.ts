import { aborted, type Clock } from '../clock/clock.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { Logger } from '../log/logger.ts';
import {
  createObjectReference,
  createRecordedEvent,
  type EventDetails,
  type EventType,
  type RecordedEvent,
} from './core-event.ts';
import { DelayedEvents } from './delayed-events.ts';
import { type DropCause, DroppedEvents } from './dropped-events.ts';
import { EventBacklog, type NamespaceEvents } from './event-backlog.ts';
import { EventCorrelator } from './event-correlator.ts';
import { COMBINED_HASH, type EventSeries, type PendingContent, type PendingEvent } from './event-series.ts';
import { type EventWriteResult, EventWriter, type EventWriterOptions } from './event-writer.ts';

/** Maximum number of concurrent requests per namespace. The transport limits the total number. */
const MAX_SENDERS = 2;
/**
 * Maximum number of concurrent requests per namespace during {@link EventRecorder.flush}, when a stopping manager sends
 * few other requests.
 */
const MAX_FLUSH_SENDERS = 8;

export interface EventRecorderOptions extends EventWriterOptions {
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Outcome of an event. `dropped` means that the API server refused the event or did not respond, that too many events
 * wait, that the recorder stopped, or that the event waits because the budget of its object is exhausted.
 */
export type EventOutcome = 'stored' | 'dropped';

type OutcomeCallback = (outcome: EventOutcome) => void;

/**
 * Records events about objects as core/v1 Events, which `kubectl describe` shows. Recording an event never throws and
 * never delays the caller. Requests have the priority `background`.
 *
 * The first event with a given object, type and reason is sent immediately. Normal events within ten minutes share a
 * stored Event if their messages differ only in words with a digit. Every five minutes, the recorder updates the
 * message and the count of the stored Event. Warnings are sent immediately, and a Warning with the same message
 * increases the count of the stored Event. Each object has a budget of 25 requests for Warnings, and another budget of
 * 25 requests for Normal events. The budget for Warnings regains one request every five minutes, and the budget for
 * Normal events regains one every minute. Events beyond the budget wait.
 *
 * Requests for one namespace that hang or are retried do not delay events in other namespaces. All namespaces share the
 * limit on the size of the waiting events.
 */
export class EventRecorder {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #writer: EventWriter;
  readonly #correlator: EventCorrelator;
  readonly #backlog = new EventBacklog();
  readonly #delayedEvents: DelayedEvents;
  readonly #droppedEvents: DroppedEvents;
  /** Callbacks that receive the outcome of the next request of a series. */
  readonly #callbacks = new Map<EventSeries, OutcomeCallback[]>();
  readonly #stopController = new AbortController();
  readonly #idleCallbacks = new Set<() => void>();

  constructor(options: EventRecorderOptions) {
    const { clock, log } = options;
    this.#clock = clock;
    this.#log = log;
    this.#writer = new EventWriter(options);
    this.#correlator = new EventCorrelator(clock);
    this.#droppedEvents = new DroppedEvents(clock, log);
    this.#delayedEvents = new DelayedEvents(clock, (series) => this.#handleDueSeries(series));
  }

  /**
   * Records an event. Does not wait for the API server, and never throws.
   * @param reason Reason in CamelCase, from a fixed set.
   * @param message Description for users. Messages are truncated to 1024 characters.
   * @param details Default: no action and no related object. A counted Event has the details of its newest occurrence.
   */
  event(object: KubernetesObject, type: EventType, reason: string, message: string, details?: EventDetails): void {
    this.#record(object, createRecordedEvent(type, reason, message, details));
  }

  /**
   * Records an event and returns its outcome. Sends the event immediately if the budget of its object is not exhausted.
   * Never rejects. Because of retries, the outcome may take two minutes.
   */
  record(
    object: KubernetesObject,
    type: EventType,
    reason: string,
    message: string,
    details?: EventDetails,
  ): Promise<EventOutcome> {
    const occurrence = createRecordedEvent(type, reason, message, details);
    return new Promise((resolve) => this.#record(object, occurrence, resolve));
  }

  /**
   * Sends all events, including delayed events. Returns true after all events are sent, or false if `signal` aborts
   * first. The recorder continues to accept events until a call of {@link stop}.
   */
  async flush(signal: AbortSignal): Promise<boolean> {
    if (this.#backlog.isEmpty) return true;
    const { promise: idlePromise, resolve } = Promise.withResolvers<void>();
    this.#idleCallbacks.add(resolve);
    this.#delayedEvents.clear();
    for (const namespaceEvents of this.#backlog.namespaces) {
      for (let senderCount = namespaceEvents.senderCount; senderCount < MAX_FLUSH_SENDERS; senderCount++)
        this.#startSender(namespaceEvents);
    }
    await Promise.race([idlePromise, aborted(signal)]);
    this.#idleCallbacks.delete(resolve);
    return this.#backlog.isEmpty;
  }

  /** Drops all unsent events and all later events. */
  stop(): void {
    this.#stopController.abort();
    this.#delayedEvents.clear();
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
    this.#droppedEvents.stop();
  }

  #record(object: KubernetesObject, occurrence: RecordedEvent, onOutcome?: OutcomeCallback): void {
    if (this.#stopController.signal.aborted) {
      onOutcome?.('dropped');
      return;
    }
    const series = this.#correlator.addOccurrence(object, occurrence);
    const pendingEvent = this.#setPendingEvent(series, object, occurrence);
    const { deliveryState } = series;
    if (deliveryState === 'sending') series.deliveryState = 'changed';
    if (onOutcome) this.#addCallback(series, onOutcome);
    if (deliveryState === 'idle') this.#schedule(series, pendingEvent);
    else if (deliveryState === 'delayed' && onOutcome) this.#sendNow(series, pendingEvent);
  }

  #setPendingEvent(
    series: EventSeries,
    object: KubernetesObject,
    { message, optionalFields }: PendingContent,
  ): PendingEvent {
    const combinedMessage =
      series.wordingHash === COMBINED_HASH ? `(combined from similar events): ${message}` : message;
    const lastOccurrenceUnixS = Math.floor(this.#clock.now().getTime() / 1000);
    const { pendingEvent } = series;
    if (pendingEvent === undefined) {
      series.pendingEvent = {
        involvedObject: createObjectReference(object),
        message: combinedMessage,
        optionalFields,
        lastOccurrenceUnixS,
        nextSeries: undefined,
      };
      return series.pendingEvent;
    }
    const content: PendingContent = { message: combinedMessage, optionalFields };
    if (series.deliveryState === 'delayed' || series.deliveryState === 'queued')
      this.#backlog.update(series, pendingEvent, content);
    else Object.assign(pendingEvent, content);
    pendingEvent.lastOccurrenceUnixS = lastOccurrenceUnixS;
    return pendingEvent;
  }

  #addCallback(series: EventSeries, onOutcome: OutcomeCallback): void {
    const existingCallbacks = this.#callbacks.get(series);
    if (existingCallbacks) existingCallbacks.push(onOutcome);
    else this.#callbacks.set(series, [onOutcome]);
  }

  #notifyCallers(series: EventSeries, outcome: EventOutcome): void {
    const callbacks = this.#callbacks.get(series);
    this.#callbacks.delete(series);
    for (const onOutcome of callbacks ?? []) onOutcome(outcome);
  }

  #schedule(series: EventSeries, pendingEvent: PendingEvent): void {
    if (!this.#backlog.tryReserve(series, pendingEvent)) {
      this.#drop(series, 'noRoom');
      return;
    }
    const isFlushing = this.#idleCallbacks.size > 0;
    const delayS = isFlushing ? 0 : this.#correlator.computeDelayS(series);
    if (delayS === 0) {
      this.#enqueue(series, pendingEvent, false);
      return;
    }
    series.deliveryState = 'delayed';
    this.#delayedEvents.add(series, delayS);
    if (this.#callbacks.has(series)) this.#sendNow(series, pendingEvent);
  }

  /** Sends the Event of a delayed series immediately, because a caller waits for the outcome. */
  #sendNow(series: EventSeries, pendingEvent: PendingEvent): void {
    if (this.#correlator.takeFromBudget(series) === 0) this.#enqueue(series, pendingEvent, false);
    else this.#notifyCallers(series, 'dropped');
  }

  #handleDueSeries(series: EventSeries): void {
    const { pendingEvent } = series;
    if (series.deliveryState !== 'delayed' || pendingEvent === undefined) return;
    if (this.#stopController.signal.aborted) {
      this.#backlog.release(series, pendingEvent);
      this.#drop(series, 'unsent');
      return;
    }
    const delayS = this.#idleCallbacks.size > 0 ? 0 : this.#correlator.computeDelayS(series);
    if (delayS === 0) this.#enqueue(series, pendingEvent, true);
    else this.#delayedEvents.add(series, delayS);
  }

  #enqueue(series: EventSeries, pendingEvent: PendingEvent, isDelayedUpdate: boolean): void {
    series.deliveryState = 'queued';
    series.isDelayedUpdate = isDelayedUpdate;
    const namespaceEvents = this.#backlog.enqueue(series, pendingEvent);
    if (namespaceEvents && namespaceEvents.senderCount < MAX_SENDERS) this.#startSender(namespaceEvents);
  }

  #startSender(namespaceEvents: NamespaceEvents): void {
    namespaceEvents.senderCount++;
    void this.#sendAll(namespaceEvents);
  }

  /** Sends the events of a namespace until its queue is empty. Does not reject. */
  async #sendAll(namespaceEvents: NamespaceEvents): Promise<void> {
    for (
      let series = this.#backlog.dequeue(namespaceEvents);
      series?.pendingEvent;
      series = this.#backlog.dequeue(namespaceEvents)
    ) {
      const { pendingEvent } = series;
      series.deliveryState = 'sending';
      const callbacks = this.#callbacks.get(series);
      this.#callbacks.delete(series);
      const result = await this.#writer.write(series, pendingEvent, this.#stopController.signal);
      for (const onOutcome of callbacks ?? []) onOutcome(result.kind === 'stored' ? 'stored' : 'dropped');
      this.#handleWriteResult(series, pendingEvent, result);
    }
    namespaceEvents.senderCount--;
    this.#backlog.deleteIfEmpty(namespaceEvents);
    if (!this.#backlog.isEmpty) return;
    for (const resolve of this.#idleCallbacks) resolve();
  }

  #handleWriteResult(series: EventSeries, pendingEvent: PendingEvent, result: EventWriteResult): void {
    this.#correlator.recordResponse(series);
    const hasChanged = series.deliveryState === 'changed';
    if (result.kind !== 'stored') this.#recordDrop(series, result.kind, result.error);
    series.deliveryState = 'idle';
    if (!hasChanged) series.pendingEvent = undefined;
    else if (this.#stopController.signal.aborted) this.#drop(series, 'unsent');
    else this.#schedule(series, pendingEvent);
  }

  #recordDrop({ type, reason, pendingEvent }: EventSeries, cause: DropCause, error?: unknown): void {
    const { namespace, name } = pendingEvent?.involvedObject ?? {};
    this.#log.debug('dropped event', { namespace, name, reason, cause, ...(error !== undefined && { error }) });
    this.#droppedEvents.add(cause, type, error);
  }

  #drop(series: EventSeries, cause: DropCause): void {
    this.#recordDrop(series, cause);
    series.deliveryState = 'idle';
    series.pendingEvent = undefined;
    this.#notifyCallers(series, 'dropped');
  }
}
