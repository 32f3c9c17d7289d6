import type { Client } from '../client/client.ts';
import { apiErrorOf, isAlreadyExists, isNamespaceTerminating, isNotFound, isRefused } from '../client/errors.ts';
import { type Clock, sleep } from '../clock/clock.ts';
import { core } from '../kubernetes/core.ts';
import type { NewObject } from '../kubernetes/object.ts';
import { type CoreEvent, eventName, formatSeconds } from './core-event.ts';
import type { DropCause } from './dropped-events.ts';
import { namespaceOf } from './event-backlog.ts';
import type { EventSeries, PendingEvent } from './event-series.ts';

const { events } = core.v1;

/** As long as an API server may wait for a webhook. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How often an Event is sent when the API server cannot be reached or asks to wait, and the waits in between: two minutes in all. */
const MAX_ATTEMPTS = 15;
const FIRST_RETRY_AFTER_MS = 1_000;
const MAX_RETRY_AFTER_MS = 10_000;
const NANOSECONDS = 1_000_000_000;

export interface EventWriterOptions {
  readonly client: Pick<Client, 'create' | 'patch'>;
  readonly clock: Clock;
  /** Who reports, as shown by kubectl: `website-controller`. */
  readonly component: string;
  /** Which process of it reports, such as the pod's name. */
  readonly instance: string;
}

/** What became of a request. */
export type Written = { readonly kind: 'stored' } | { readonly kind: DropCause; readonly error?: unknown };

/** Stores series as Events: creates them, and shows in them how far they have counted. */
export class EventWriter {
  readonly #options: EventWriterOptions;
  /** Keeps the names of two writers apart. */
  readonly #salt = Math.floor(Math.random() * NANOSECONDS);

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  /** Never rejects. Tries again while there is no answer, or one that may be another the next time. */
  async write(series: EventSeries, pending: PendingEvent, signal: AbortSignal): Promise<Written> {
    for (let attempt = 1; !signal.aborted; attempt++) {
      const written = await this.#try(series, pending, signal);
      if (written.kind !== 'unanswered' || attempt === MAX_ATTEMPTS) return written;
      await sleep(this.#options.clock, retryAfterMs(attempt, written.error), signal);
    }
    return { kind: 'unsent' };
  }

  async #try(series: EventSeries, pending: PendingEvent, signal: AbortSignal): Promise<Written> {
    try {
      await this.#store(series, pending, signal);
      return { kind: 'stored' };
    } catch (error) {
      if (isNotFound(error) || isNamespaceTerminating(error)) return { kind: 'namespaceGone', error };
      return { kind: isRefused(error) ? 'refused' : 'unanswered', error };
    }
  }

  async #store(series: EventSeries, pending: PendingEvent, signal: AbortSignal): Promise<void> {
    const options = { priority: 'background', signal, timeoutMs: REQUEST_TIMEOUT_MS } as const;
    const key = { namespace: namespaceOf(pending), name: this.#nameOf(series, pending) };
    const shown = { message: pending.message, count: series.count, lastTimestamp: formatSeconds(pending.lastAtS) };
    if (series.isStored) {
      try {
        await this.#options.client.patch(events, key, { kind: 'merge', body: shown }, options);
        return;
      } catch (error) {
        // The API server keeps them for an hour, and somebody may have deleted it.
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
      ...shown,
      firstTimestamp: formatSeconds(firstAtS),
      source: { component },
      reportingComponent: component,
      reportingInstance: instance,
    };
    try {
      await this.#options.client.create(events, event, options);
    } catch (error) {
      // The answer to an earlier attempt got lost.
      if (!isAlreadyExists(error)) throw error;
    }
    series.isStored = true;
  }

  /** The same for each request of a series, from what is kept of it anyway. */
  #nameOf({ firstAtS, serial }: EventSeries, { involvedObject }: PendingEvent): string {
    const withinSecond = (this.#salt + serial) % NANOSECONDS;
    return eventName(involvedObject.name, BigInt(firstAtS) * BigInt(NANOSECONDS) + BigInt(withinSecond));
  }
}

/** Doubles with each attempt. A server in trouble may ask for more, and gets no more than an Event is worth. */
function retryAfterMs(attempt: number, error: unknown): number {
  const { retryAfterMs: asked = 0 } = apiErrorOf(error) ?? {};
  return Math.min(Math.max(FIRST_RETRY_AFTER_MS * 2 ** (attempt - 1), asked), MAX_RETRY_AFTER_MS);
}
