/** Tells people what happened to an object, by core/v1 Events that `kubectl describe` shows below it. */
import type { Client } from '../client/client.ts';
import { apiErrorOf, isAlreadyExists, isNotFound } from '../client/errors.ts';
import { aborted, type Clock, sleep } from '../clock/clock.ts';
import { core } from '../kubernetes/core.ts';
import type { KubernetesObject, NewObject } from '../kubernetes/object.ts';
import type { ObjectKey } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import { type CoreEvent, newEventName, wholeSeconds } from './core-event.ts';
import { EventCorrelator, type EventType, type OccurrenceCount } from './event-correlator.ts';

const { events } = core.v1;

/** Events that wait to be sent; more are dropped. One namespace gets at most half of it. */
const MAX_QUEUED = 10_000;
/** Of one namespace. How many there are in all, the transport bounds, which shares its places among namespaces. */
const MAX_SENDERS = 2;
/** As long as an API server may wait for a webhook. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How often an Event is sent when the API server cannot be reached, and the wait in between: two minutes in all. */
const MAX_ATTEMPTS = 12;
const RETRY_AFTER_MS = 10_000;
const MAX_MESSAGE_LENGTH = 1024;

export interface EventRecorderOptions {
  readonly client: Pick<Client, 'create' | 'patch'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Who reports, as shown by kubectl: `website-controller`. */
  readonly component: string;
  /** Which process of it reports, such as the pod's name. */
  readonly instance: string;
}

/** An Event on its way to the API server, and afterwards the way to count in it. */
interface Entry {
  readonly key: Required<ObjectKey>;
  readonly occurrence: Pick<CoreEvent, 'involvedObject' | 'type' | 'reason'>;
  readonly counted: OccurrenceCount;
  /** `changed`: has counted further while it was being sent, so it must be sent again. */
  state: 'idle' | 'queued' | 'sending' | 'changed';
  isStored: boolean;
  /** Callers who wait for the outcome of the next request. */
  waiting: ((outcome: EventOutcome) => void)[];
}

type Happened = Pick<CoreEvent, 'type' | 'reason' | 'message'>;

/** What became of an event. `dropped`: refused, no room for it, no answer, or too many about its object. */
export type EventOutcome = 'stored' | 'dropped';

/** The Events of one namespace. There is one only while it has something to send. */
interface Line {
  readonly queue: Entry[];
  senders: number;
}

/**
 * Fire and forget: an event never fails, delays or outlives what it reports. Requests go out with the priority `background`,
 * and what has not been sent yet counts up in place instead of queueing twice. Namespaces have nothing in common but the
 * bound on all that waits: where requests of one hang or are sent again, only its own events wait.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #correlator: EventCorrelator;
  /** The Event that shows a count. Goes when the correlator forgets the count. */
  readonly #entries = new WeakMap<OccurrenceCount, Entry>();
  /** By namespace. */
  readonly #lines = new Map<string, Line>();
  /** In all lines. */
  #queued = 0;
  readonly #stop = new AbortController();
  /** Event names made so far. */
  #names = 0;
  readonly #onIdle = new Set<() => void>();

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#correlator = new EventCorrelator(options.clock);
  }

  /**
   * Returns at once and never throws.
   * @param reason One word in CamelCase, from a fixed set.
   * @param message What happened, for people; cut after 1024 characters.
   */
  event(object: KubernetesObject, type: EventType, reason: string, message: string): void {
    this.#record(object, { type, reason, message: message.slice(0, MAX_MESSAGE_LENGTH) });
  }

  /** As {@link event}, for those who want to know what became of it. Never rejects. May take as long as retries do: two minutes. */
  record(object: KubernetesObject, type: EventType, reason: string, message: string): Promise<EventOutcome> {
    const happened = { type, reason, message: message.slice(0, MAX_MESSAGE_LENGTH) };
    return new Promise((resolve) => this.#record(object, happened, resolve));
  }

  /**
   * Waits until everything has been sent; `false` when `signal` aborted before that. Events that are left are sent all the same, and
   * recording goes on: {@link stop} ends it.
   */
  async flush(signal: AbortSignal): Promise<boolean> {
    if (this.#lines.size === 0) return true;
    const { promise: idle, resolve } = Promise.withResolvers<void>();
    this.#onIdle.add(resolve);
    await Promise.race([idle, aborted(signal)]);
    this.#onIdle.delete(resolve);
    return this.#lines.size === 0;
  }

  /** Drops what has not been sent, and records nothing any more. */
  stop(): void {
    if (this.#queued > 0) this.#options.log.debug('dropped events: stopping', { queued: this.#queued });
    for (const { queue } of this.#lines.values()) {
      for (const entry of queue.splice(0)) drop(entry);
    }
    this.#queued = 0;
    this.#stop.abort();
  }

  #record(object: KubernetesObject, happened: Happened, tell?: (outcome: EventOutcome) => void): void {
    if (this.#stop.signal.aborted) {
      tell?.('dropped');
      return;
    }
    const { type, reason, message } = happened;
    const objectKey = `${object.kind}/${object.metadata.uid}`;
    const correlation = this.#correlator.correlate({ objectKey, type, reason, message });
    if (correlation.kind === 'tooMany') {
      this.#options.log.debug('dropped event: too many events for this object', { reason, message });
      tell?.('dropped');
      return;
    }
    const { counted } = correlation;
    const entry = this.#entries.get(counted) ?? this.#newEntry(object, { type, reason }, counted);
    if (tell) entry.waiting.push(tell);
    if (entry.state === 'sending') entry.state = 'changed';
    if (entry.state === 'idle') this.#enqueue(entry);
  }

  #newEntry(
    object: KubernetesObject,
    { type, reason }: Pick<CoreEvent, 'type' | 'reason'>,
    counted: OccurrenceCount,
  ): Entry {
    const { namespace, name, uid, resourceVersion } = object.metadata;
    const involvedObject = {
      apiVersion: object.apiVersion,
      kind: object.kind,
      ...(namespace !== undefined && { namespace }),
      name,
      uid,
      resourceVersion,
    };
    const entry: Entry = {
      key: { namespace: namespace ?? 'default', name: newEventName(name, this.#options.clock.now(), this.#names++) },
      occurrence: { involvedObject, type, reason },
      counted,
      state: 'idle',
      isStored: false,
      waiting: [],
    };
    this.#entries.set(counted, entry);
    return entry;
  }

  #enqueue(entry: Entry): void {
    const { namespace } = entry.key;
    const line = this.#lines.get(namespace) ?? { queue: [], senders: 0 };
    if (!this.#hasRoom(line)) {
      this.#options.log.debug('dropped event: queue is full', { event: entry.key.name });
      drop(entry);
      return;
    }
    entry.state = 'queued';
    line.queue.push(entry);
    this.#queued++;
    if (line.senders === MAX_SENDERS) return;
    line.senders++;
    this.#lines.set(namespace, line);
    void this.#sendAll(namespace, line);
  }

  /** A namespace may have no more waiting than others still find room for: those that have little in the queue drop nothing. */
  #hasRoom({ queue }: Line): boolean {
    return queue.length < MAX_QUEUED - this.#queued;
  }

  /** One of a namespace's senders: works until its queue is empty. Never rejects. */
  async #sendAll(namespace: string, line: Line): Promise<void> {
    for (let entry = line.queue.shift(); entry !== undefined; entry = line.queue.shift()) {
      this.#queued--;
      entry.state = 'sending';
      const waiting = entry.waiting.splice(0);
      const outcome = await this.#send(entry);
      for (const resolve of waiting) resolve(outcome);
      if (hasChanged(entry)) this.#enqueue(entry);
      else entry.state = 'idle';
    }
    line.senders--;
    if (line.senders > 0) return;
    this.#lines.delete(namespace);
    if (this.#lines.size > 0) return;
    for (const resolve of this.#onIdle) resolve();
  }

  /** Never rejects. Tries again only while there is no answer: an answer would be the same next time. */
  async #send(entry: Entry): Promise<EventOutcome> {
    const { clock, log } = this.#options;
    for (let attempt = 1; !this.#stop.signal.aborted; attempt++) {
      try {
        await this.#store(entry);
        return 'stored';
      } catch (error) {
        if (apiErrorOf(error) !== undefined || attempt === MAX_ATTEMPTS) {
          log.debug('dropped event: could not store it', { event: entry.key.name, attempt, cause: error });
          return 'dropped';
        }
      }
      await sleep(clock, RETRY_AFTER_MS, this.#stop.signal);
    }
    return 'dropped';
  }

  async #store(entry: Entry): Promise<void> {
    if (entry.isStored && (await this.#patch(entry))) return;
    try {
      await this.#options.client.create(events, this.#newEvent(entry), this.#writeOptions);
    } catch (error) {
      // The answer to an earlier attempt got lost.
      if (!isAlreadyExists(error)) throw error;
    }
    entry.isStored = true;
  }

  /** False when the Event is gone; the API server keeps them for an hour. */
  async #patch({ key, counted }: Entry): Promise<boolean> {
    const { message, count, lastAt } = counted;
    const body = { message, count, lastTimestamp: wholeSeconds(lastAt) };
    try {
      await this.#options.client.patch(events, key, { kind: 'merge', body }, this.#writeOptions);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  #newEvent({ key, occurrence, counted }: Entry): NewObject<CoreEvent> {
    const { component, instance } = this.#options;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: key,
      ...occurrence,
      message: counted.message,
      count: counted.count,
      firstTimestamp: wholeSeconds(counted.firstAt),
      lastTimestamp: wholeSeconds(counted.lastAt),
      source: { component },
      reportingComponent: component,
      reportingInstance: instance,
    };
  }

  get #writeOptions() {
    return { priority: 'background', signal: this.#stop.signal, timeoutMs: REQUEST_TIMEOUT_MS } as const;
  }
}

function drop(entry: Entry): void {
  entry.state = 'idle';
  for (const resolve of entry.waiting.splice(0)) resolve('dropped');
}

/** A function, because the compiler does not know that the state moves on while a request is awaited. */
function hasChanged(entry: Entry): boolean {
  return entry.state === 'changed';
}
