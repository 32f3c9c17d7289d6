import type { Client } from '../client/client.ts';
import {
  findApiError,
  isAlreadyExists,
  isNamespaceTerminating,
  isNotFound,
  isRequestRejected,
} from '../client/errors.ts';
import { type Clock, sleep } from '../clock/clock.ts';
import { core } from '../kubernetes/core.ts';
import type { NewObject } from '../kubernetes/object.ts';
import { type CoreEvent, formatEventName, formatSeconds } from './core-event.ts';
import type { DropCause } from './dropped-events.ts';
import { getNamespace } from './event-backlog.ts';
import type { EventSeries, PendingEvent } from './event-series.ts';

const { events } = core.v1;

/** A request may wait for an admission webhook, and 30 seconds is the maximum timeout of a webhook. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Maximum number of attempts to store an Event. Together, the attempts and the waits take about two minutes. */
const MAX_ATTEMPTS = 15;
const FIRST_RETRY_AFTER_MS = 1_000;
const MAX_RETRY_AFTER_MS = 10_000;
const NANOSECONDS_PER_SECOND = 1_000_000_000;

export interface EventWriterOptions {
  readonly client: Pick<Client, 'create' | 'patch'>;
  readonly clock: Clock;
  /** Reporting component, such as `website-controller`. `kubectl describe` shows the component. */
  readonly component: string;
  /** Instance of the reporting component, such as the name of the Pod. */
  readonly instance: string;
}

export type EventWriteResult = { readonly kind: 'stored' } | { readonly kind: DropCause; readonly error?: unknown };

export class EventWriter {
  readonly #options: EventWriterOptions;
  /** Random offset in the names of this writer's Events, so that two writers create different names. */
  readonly #nameOffset = Math.floor(Math.random() * NANOSECONDS_PER_SECOND);

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  /**
   * Creates or updates an Event. Retries after temporary errors. Never rejects, because the result contains any
   * failure.
   */
  async write(series: EventSeries, pendingEvent: PendingEvent, signal: AbortSignal): Promise<EventWriteResult> {
    for (let attempt = 1; !signal.aborted; attempt++) {
      const result = await this.#tryStoreEvent(series, pendingEvent, signal);
      if (result.kind !== 'unanswered' || attempt === MAX_ATTEMPTS) return result;
      await sleep(this.#options.clock, computeRetryAfterMs(attempt, result.error), signal);
    }
    return { kind: 'unsent' };
  }

  async #tryStoreEvent(
    series: EventSeries,
    pendingEvent: PendingEvent,
    signal: AbortSignal,
  ): Promise<EventWriteResult> {
    try {
      await this.#storeEvent(series, pendingEvent, signal);
      return { kind: 'stored' };
    } catch (error) {
      if (isNotFound(error) || isNamespaceTerminating(error)) return { kind: 'namespaceGone', error };
      return { kind: isRequestRejected(error) ? 'refused' : 'unanswered', error };
    }
  }

  async #storeEvent(series: EventSeries, pendingEvent: PendingEvent, signal: AbortSignal): Promise<void> {
    const options = { priority: 'background', signal, timeoutMs: REQUEST_TIMEOUT_MS } as const;
    const key = { namespace: getNamespace(pendingEvent), name: this.#formatName(series, pendingEvent) };
    const changedFields = {
      message: pendingEvent.message,
      ...pendingEvent.optionalFields,
      count: series.count,
      lastTimestamp: formatSeconds(pendingEvent.lastOccurrenceUnixS),
    };
    if (series.isStored) {
      try {
        await this.#options.client.patch(events, key, { kind: 'merge', body: changedFields }, options);
        return;
      } catch (error) {
        // By default, the API server deletes an Event after an hour. A user may delete an Event earlier.
        if (!isNotFound(error)) throw error;
      }
    }
    const { type, reason, firstOccurrenceUnixS } = series;
    const { component, instance } = this.#options;
    const event: NewObject<CoreEvent> = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: key,
      involvedObject: pendingEvent.involvedObject,
      type,
      reason,
      ...changedFields,
      firstTimestamp: formatSeconds(firstOccurrenceUnixS),
      source: { component },
      reportingComponent: component,
      reportingInstance: instance,
    };
    try {
      await this.#options.client.create(events, event, options);
    } catch (error) {
      // An earlier attempt created the Event, but its response was lost.
      if (!isAlreadyExists(error)) throw error;
    }
    series.isStored = true;
  }

  /** Returns the name of the Event, which is the same for all requests of a series. */
  #formatName({ firstOccurrenceUnixS, serial }: EventSeries, { involvedObject }: PendingEvent): string {
    const offsetNanoseconds = (this.#nameOffset + serial) % NANOSECONDS_PER_SECOND;
    return formatEventName(
      involvedObject.name,
      BigInt(firstOccurrenceUnixS) * BigInt(NANOSECONDS_PER_SECOND) + BigInt(offsetNanoseconds),
    );
  }
}

/** Returns a wait that doubles with each attempt. The API server may request a longer wait, up to a limit. */
function computeRetryAfterMs(attempt: number, error: unknown): number {
  const { retryAfterMs: serverRetryAfterMs = 0 } = findApiError(error) ?? {};
  return Math.min(Math.max(FIRST_RETRY_AFTER_MS * 2 ** (attempt - 1), serverRetryAfterMs), MAX_RETRY_AFTER_MS);
}
