/** Tells people what happened to an object, by core/v1 Events that `kubectl describe` shows below it. */
import type { Client } from '../client/client.ts';
import { apiErrorOf, isAlreadyExists, isNotFound } from '../client/errors.ts';
import type { KubernetesObject, NewObject, ObjectKey, Resource } from '../client/object.ts';
import { aborted, type Clock, sleep } from '../clock/clock.ts';
import type { Logger } from '../log/logger.ts';
import { EventCorrelator, type EventType, type Tally } from './event-correlator.ts';

/** The parts of a core/v1 Event that are written. */
export interface CoreEvent extends KubernetesObject {
  readonly involvedObject: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  /** RFC 3339, whole seconds, as {@link lastTimestamp}. */
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly source: { readonly component: string };
  readonly reportingComponent: string;
  readonly reportingInstance: string;
}

const EVENT: Resource<CoreEvent> = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true };

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
const MAX_NAME_LENGTH = 253;

export interface EventRecorderOptions {
  readonly client: Pick<Client, 'create' | 'patch'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Who reports, as shown by kubectl: `cronjob-controller`. */
  readonly component: string;
  /** Which process of it reports, such as the pod's name. */
  readonly instance: string;
}

/** An Event on its way to the API server, and afterwards the way to count in it. */
interface Entry {
  readonly key: Required<ObjectKey>;
  readonly occurrence: Pick<CoreEvent, 'involvedObject' | 'type' | 'reason'>;
  readonly tally: Tally;
  /** `changed`: has counted further while it was being sent, so it must be sent again. */
  state: 'idle' | 'queued' | 'sending' | 'changed';
  isStored: boolean;
}

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
  /** The Event that shows a tally. Goes when the correlator forgets the tally. */
  readonly #entries = new WeakMap<Tally, Entry>();
  /** By namespace. */
  readonly #lines = new Map<string, Line>();
  /** In all lines. */
  #queued = 0;
  readonly #stop = new AbortController();
  #names = 0;
  #onIdle: (() => void)[] = [];

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
    if (this.#stop.signal.aborted) return;
    const correlation = this.#correlator.correlate({
      objectKey: `${object.kind}/${object.metadata.uid}`,
      type,
      reason,
      message: message.slice(0, MAX_MESSAGE_LENGTH),
    });
    if (correlation.kind === 'tooMany') {
      this.#options.log.debug('dropped event: too many about this object', { reason, message });
      return;
    }
    const { tally } = correlation;
    const entry = this.#entries.get(tally) ?? this.#newEntry(object, { type, reason }, tally);
    if (entry.state === 'sending') entry.state = 'changed';
    if (entry.state === 'idle') this.#enqueue(entry);
  }

  /** Resolves when everything has been sent. When `signal` aborts before that, the rest is dropped and recording ends. */
  async flush(signal: AbortSignal): Promise<void> {
    if (this.#lines.size === 0) return;
    const idle = new Promise<void>((resolve) => this.#onIdle.push(resolve));
    await Promise.race([idle, aborted(signal)]);
    if (this.#lines.size === 0) return;
    this.#options.log.debug('dropped events: stopping', { queued: this.#queued });
    for (const { queue } of this.#lines.values()) queue.length = 0;
    this.#queued = 0;
    this.#stop.abort();
  }

  #newEntry(object: KubernetesObject, { type, reason }: Pick<CoreEvent, 'type' | 'reason'>, tally: Tally): Entry {
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
      key: { namespace: namespace ?? 'default', name: this.#newName(name) },
      occurrence: { involvedObject, type, reason },
      tally,
      state: 'idle',
      isStored: false,
    };
    this.#entries.set(tally, entry);
    return entry;
  }

  /** `<object>.<hex>`, as client-go's; the hex are nanoseconds there, here milliseconds and a count. */
  #newName(objectName: string): string {
    this.#names = (this.#names + 1) % 1_000_000;
    const suffix = (BigInt(this.#options.clock.now().getTime()) * 1_000_000n + BigInt(this.#names)).toString(16);
    const prefix = objectName.slice(0, MAX_NAME_LENGTH - suffix.length - 1).replace(/[.-]+$/, '');
    return `${prefix}.${suffix}`;
  }

  #enqueue(entry: Entry): void {
    const { namespace } = entry.key;
    const line = this.#lines.get(namespace) ?? { queue: [], senders: 0 };
    if (!this.#hasRoom(line)) {
      this.#options.log.debug('dropped event: too many are waiting', { event: entry.key.name });
      entry.state = 'idle';
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
      await this.#send(entry);
      if (hasChanged(entry)) this.#enqueue(entry);
      else entry.state = 'idle';
    }
    line.senders--;
    if (line.senders > 0) return;
    this.#lines.delete(namespace);
    if (this.#lines.size > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  /** Never rejects. Tries again only while there is no answer: an answer would be the same next time. */
  async #send(entry: Entry): Promise<void> {
    const { clock, log } = this.#options;
    for (let attempt = 1; !this.#stop.signal.aborted; attempt++) {
      try {
        await this.#store(entry);
        return;
      } catch (error) {
        if (apiErrorOf(error) !== undefined || attempt === MAX_ATTEMPTS) {
          log.debug('dropped event: cannot store it', { event: entry.key.name, attempt, cause: error });
          return;
        }
      }
      await sleep(clock, RETRY_AFTER_MS, this.#stop.signal);
    }
  }

  async #store(entry: Entry): Promise<void> {
    if (entry.isStored && (await this.#patch(entry))) return;
    try {
      await this.#options.client.create(EVENT, this.#newEvent(entry), this.#writeOptions);
    } catch (error) {
      // The answer to an earlier attempt got lost.
      if (!isAlreadyExists(error)) throw error;
    }
    entry.isStored = true;
  }

  /** False when the Event is gone; the API server keeps them for an hour. */
  async #patch({ key, tally }: Entry): Promise<boolean> {
    const { message, count, lastAt } = tally;
    const body = { message, count, lastTimestamp: wholeSeconds(lastAt) };
    try {
      await this.#options.client.patch(EVENT, key, { kind: 'merge', body }, this.#writeOptions);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  #newEvent({ key, occurrence, tally }: Entry): NewObject<CoreEvent> {
    const { component, instance } = this.#options;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: key,
      ...occurrence,
      message: tally.message,
      count: tally.count,
      firstTimestamp: wholeSeconds(tally.firstAt),
      lastTimestamp: wholeSeconds(tally.lastAt),
      source: { component },
      reportingComponent: component,
      reportingInstance: instance,
    };
  }

  get #writeOptions() {
    return { priority: 'background', signal: this.#stop.signal, timeoutMs: REQUEST_TIMEOUT_MS } as const;
  }
}

/** A function, because the compiler does not know that the state moves on while a request is awaited. */
function hasChanged(entry: Entry): boolean {
  return entry.state === 'changed';
}

/** `metav1.Time`. */
function wholeSeconds(instant: Date): string {
  return instant.toISOString().replace(/\.\d+Z$/, 'Z');
}
