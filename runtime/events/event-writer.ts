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
import { type CoreEvent, eventName, formatSeconds } from './core-event.ts';
import type { DropCause } from './dropped-events.ts';
import { getNamespace } from './event-backlog.ts';
import type { EventSeries, PendingEvent } from './event-series.ts';

const { events } = core.v1;

/** The longest time that an API server waits for a webhook. */
const REQUEST_TIMEOUT_MS = 30_000;
/**
 * Maximum number of attempts for an Event while the API server is unreachable or asks to wait; with the waits in
 * between, two minutes in total.
 */
const MAX_ATTEMPTS = 15;
const FIRST_RETRY_AFTER_MS = 1_000;
const MAX_RETRY_AFTER_MS = 10_000;
const NANOSECONDS = 1_000_000_000;

export interface EventWriterOptions {
  readonly client: Pick<Client, 'create' | 'patch'>;
  readonly clock: Clock;
  /** Reporting component, as kubectl shows it: `website-controller`. */
  readonly component: string;
  /** Reporting process of the component, such as the pod's name. */
  readonly instance: string;
}

/** The outcome of a request. */
export type EventWriteResult = { readonly kind: 'stored' } | { readonly kind: DropCause; readonly error?: unknown };

/** Stores series as Events: creates them and updates their counts. */
export class EventWriter {
  readonly #options: EventWriterOptions;
  /** Separates the names of two writers. */
  readonly #salt = Math.floor(Math.random() * NANOSECONDS);

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  /** Never rejects. Retries while there is no response, or a temporary error. */
  async write(series: EventSeries, pending: PendingEvent, signal: AbortSignal): Promise<EventWriteResult> {
    for (let attempt = 1; !signal.aborted; attempt++) {
      const result = await this.#tryStore(series, pending, signal);
      if (result.kind !== 'unanswered' || attempt === MAX_ATTEMPTS) return result;
      await sleep(this.#options.clock, computeRetryAfterMs(attempt, result.error), signal);
    }
    return { kind: 'unsent' };
  }

  async #tryStore(series: EventSeries, pending: PendingEvent, signal: AbortSignal): Promise<EventWriteResult> {
    try {
      await this.#store(series, pending, signal);
      return { kind: 'stored' };
    } catch (error) {
      if (isNotFound(error) || isNamespaceTerminating(error)) return { kind: 'namespaceGone', error };
      return { kind: isRequestRejected(error) ? 'refused' : 'unanswered', error };
    }
  }

  async #store(series: EventSeries, pending: PendingEvent, signal: AbortSignal): Promise<void> {
    const options = { priority: 'background', signal, timeoutMs: REQUEST_TIMEOUT_MS } as const;
    const key = { namespace: getNamespace(pending), name: this.#formatName(series, pending) };
    const content = { message: pending.message, count: series.count, lastTimestamp: formatSeconds(pending.lastAtS) };
    if (series.isStored) {
      try {
        await this.#options.client.patch(events, key, { kind: 'merge', body: content }, options);
        return;
      } catch (error) {
        // The API server keeps Events for an hour, and a user may have deleted the Event.
        if (!isNotFound(error)) throw error;
      }
    }
    const { type, reason, firstAtS } = series;
    const { component, instance } = this.#options;
    const event: NewObject<CoreEvent> = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: key,
      involvedObject: pending.involvedObject,
      type,
      reason,
      ...content,
      firstTimestamp: formatSeconds(firstAtS),
      source: { component },
      reportingComponent: component,
      reportingInstance: instance,
    };
    try {
      await this.#options.client.create(events, event, options);
    } catch (error) {
      // The response to an earlier attempt was lost.
      if (!isAlreadyExists(error)) throw error;
    }
    series.isStored = true;
  }

  /** Returns the same name for each request of a series, from data that the series already keeps. */
  #formatName({ firstAtS, serial }: EventSeries, { involvedObject }: PendingEvent): string {
    const withinSecond = (this.#salt + serial) % NANOSECONDS;
    return eventName(involvedObject.name, BigInt(firstAtS) * BigInt(NANOSECONDS) + BigInt(withinSecond));
  }
}

/** Doubles with each attempt. An overloaded server may request a longer wait, up to a limit. */
function computeRetryAfterMs(attempt: number, error: unknown): number {
  const { retryAfterMs: requestedMs = 0 } = findApiError(error) ?? {};
  return Math.min(Math.max(FIRST_RETRY_AFTER_MS * 2 ** (attempt - 1), requestedMs), MAX_RETRY_AFTER_MS);
}
