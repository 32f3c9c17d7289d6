/**
 * Mirrors one collection of the API server, through every kind of failure. First it reads all objects, as the beginning
 * of a watch (`sendInitialEvents`; from servers without it, in pages), then every change. A broken watch continues from
 * the last resource version. Only when the server no longer has that version, or sends nothing from there on, does the
 * reflector read everything again and compare. The rules follow client-go's `tools/cache/reflector.go`, which does not
 * detect silence.
 */
import { findApiError, isExpired } from '../client/errors.ts';
import { formatLabelQuery, type LabelSelector } from '../client/label-selector.ts';
import { type ListPage, listPages } from '../client/list-pages.ts';
import { parseObject, withTypeMeta } from '../client/live-client.ts';
import type { Transport } from '../client/transport.ts';
import { type Clock, sleep } from '../clock/clock.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { formatKey, type Resource, resourcePath } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import { ACCEPT_METADATA, ACCEPT_METADATA_LIST, toPartialObjectMetadata } from './partial-object.ts';
import { WatchRetries } from './watch-retries.ts';
import { readWatchEvents, type WatchEvent } from './watch-stream.ts';
import { WatchWatchdog } from './watch-watchdog.ts';

/** Receives what a reflector reads. */
export interface ReflectorSink<T> {
  /**
   * Returns the part of an incoming object to keep, because whole objects take several times as much memory. Default:
   * the whole object.
   */
  convert?(object: T): T;
  /** Returns the object that is already held in this version and need not be parsed again. Default: `undefined`. */
  findByVersion?(resourceVersion: string): T | undefined;
  /** The reflector is about to read all objects again, because it does not know their state. */
  onRelist?(): void;
  /** Gets all objects that exist; objects that are missing from the list are gone. Changes wait until it resolves. */
  replace(objects: readonly T[]): void | Promise<void>;
  upsert(object: T): void;
  remove(object: T): void;
  /** A watch is open again after a watch failed or could not be opened. */
  onResume?(): void;
}

export interface ReflectorOptions<T extends KubernetesObject> {
  readonly resource: Resource<T>;
  /** Only this namespace. All namespaces when absent. */
  readonly namespace?: string | undefined;
  /**
   * Only objects that match, such as `metadata.name=a`: all that a client may request when its rights are limited to
   * one name.
   */
  readonly fieldSelector?: string | undefined;
  /** Only objects whose labels match. Throws when the selector is not valid. */
  readonly labelSelector?: LabelSelector | undefined;
  /** Requests metadata only. The sink gets objects without spec and status. Default false. */
  readonly metadataOnly?: boolean | undefined;
  readonly transport: Transport;
  readonly sink: ReflectorSink<T>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Jitter of back-off and watch length, in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/** A watch that sends nothing for this long counts as dead. API servers send a bookmark about every minute. */
export const MAX_SILENCE_MS = 150_000;
/** The reflector asks the server to end each watch after this long, up to twice as long. */
const MIN_WATCH_SECONDS = 300;
/**
 * A watch that ends sooner, without an event, counts as a failure: otherwise the reflector would flood a broken proxy
 * with requests.
 */
const MIN_HEALTHY_WATCH_MS = 1000;

export class Reflector<T extends KubernetesObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #path: string;
  readonly #selectors: { readonly labelSelector: string | undefined; readonly fieldSelector: string | undefined };
  readonly #log: Logger;
  /** Where the next watch continues; absent when the reflector has to read everything again. */
  #resourceVersion: string | undefined;
  #supportsWatchList = true;
  #lastActivityMs: number;
  readonly #retries: WatchRetries;
  #hasFailed = false;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#path = resourcePath(options.resource, options.namespace);
    const { labelSelector, fieldSelector } = options;
    this.#selectors = { labelSelector: formatLabelQuery(labelSelector), fieldSelector: fieldSelector || undefined };
    this.#log = options.log.with({ resource: options.resource.plural, namespace: options.namespace });
    this.#retries = new WatchRetries(this.#log, () => this.#random());
    this.#lastActivityMs = options.clock.monotonicMs();
  }

  /** Time since the server last sent anything, in milliseconds. */
  get silenceMs(): number {
    return this.#options.clock.monotonicMs() - this.#lastActivityMs;
  }

  /** Mirrors the collection until `signal` aborts. Never rejects because of the server or the network. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#resourceVersion === undefined) await this.#listIfNeeded(signal);
        await this.#watch(signal);
      } catch (error) {
        if (signal.aborted) return;
        await this.#recover(error, signal);
      }
    }
  }

  /** Lists the objects if the next watch does not send them. */
  async #listIfNeeded(signal: AbortSignal): Promise<void> {
    this.#options.sink.onRelist?.();
    if (!this.#supportsWatchList) await this.#listInPages(signal);
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    this.#hasFailed = true;
    if (this.#resourceVersion === undefined && this.#supportsWatchList && isWatchListUnsupported(error)) {
      this.#log.info('the API server does not support WatchList, listing in pages instead');
      this.#supportsWatchList = false;
      return;
    }
    const retryAfterMs = this.#retries.recordFailure({ error, resourceVersion: this.#resourceVersion });
    if (isExpired(error)) this.#resourceVersion = undefined;
    await sleep(this.#options.clock, retryAfterMs, signal);
  }

  /** Runs one watch, from its request to its end. Returns when the server ends it normally. */
  async #watch(signal: AbortSignal): Promise<void> {
    const { clock, transport } = this.#options;
    using watchdog = new WatchWatchdog(clock, MAX_SILENCE_MS, signal);
    const chunks = await transport.stream({
      method: 'GET',
      path: this.#path,
      query: this.#watchQuery(),
      signal: watchdog.signal,
      ...(this.#options.metadataOnly && { accept: ACCEPT_METADATA }),
    });
    if (this.#hasFailed) this.#options.sink.onResume?.();
    this.#hasFailed = false;
    this.#retries.recordOpened();
    const openedMs = clock.monotonicMs();
    const isHealthy = () => clock.monotonicMs() - openedMs >= MIN_HEALTHY_WATCH_MS;
    try {
      const events = await this.#handleWatch(watchdog, this.#trackActivity(chunks, watchdog));
      if (events === 0 && !isHealthy()) throw new Error('the API server closed the watch immediately');
    } finally {
      if (this.#resourceVersion !== undefined && isHealthy()) this.#retries.reset();
    }
  }

  /**
   * Like {@link Reflector.#handleEvents}. A watch that never sends anything may start at a version that the server has
   * yet to reach, because its etcd was restored.
   */
  async #handleWatch(watchdog: WatchWatchdog, chunks: AsyncIterable<Uint8Array>): Promise<number> {
    try {
      const { clock, sink } = this.#options;
      return await this.#handleEvents(readWatchEvents<T>(chunks, clock, (version) => sink.findByVersion?.(version)));
    } catch (error) {
      if (watchdog.receivedNothing) this.#resourceVersion = undefined;
      throw error;
    }
  }

  /** Handles events until the stream ends; returns how many of them were about an object. */
  async #handleEvents(events: AsyncIterable<WatchEvent<T>>): Promise<number> {
    let initial = this.#resourceVersion === undefined ? new Map<string, T>() : undefined;
    let count = 0;
    for await (const event of events) {
      if (event.type !== 'BOOKMARK') count++;
      if (initial === undefined) {
        this.#apply(event);
      } else if (event.type === 'BOOKMARK' && isInitialEventsEnd(event.object)) {
        await this.#replace([...initial.values()], event.object.metadata.resourceVersion);
        initial = undefined;
      } else {
        this.#collect(initial, event);
      }
    }
    if (initial !== undefined) throw new Error('the watch ended before its initial events were complete');
    return count;
  }

  /** Changes and deletions may arrive among the initial events. */
  #collect(initial: Map<string, T>, event: WatchEvent<T>): void {
    if (event.type === 'BOOKMARK') return;
    if (event.type === 'DELETED') initial.delete(formatKey(event.object));
    else initial.set(formatKey(event.object), this.#convert(event.object));
  }

  /** The object as the sink gets it. */
  #convert(incoming: T): T {
    const { metadataOnly, resource, sink } = this.#options;
    // T has no spec in this case
    const object = metadataOnly ? (toPartialObjectMetadata(resource, incoming) as T) : parseObject(resource, incoming);
    return sink.convert?.(object) ?? object;
  }

  #apply(event: WatchEvent<T>): void {
    const { sink } = this.#options;
    if (event.type === 'DELETED') sink.remove(event.object);
    else if (event.type !== 'BOOKMARK') sink.upsert(this.#convert(event.object));
    this.#resourceVersion = event.object.metadata.resourceVersion;
    this.#retries.reset();
  }

  async #replace(objects: readonly T[], resourceVersion: string): Promise<void> {
    await this.#options.sink.replace(objects);
    this.#resourceVersion = resourceVersion;
    this.#retries.reset();
    this.#log.debug('listed all objects', { objects: objects.length, resourceVersion });
  }

  async #listInPages(signal: AbortSignal): Promise<void> {
    const { resource, metadataOnly, transport } = this.#options;
    const accept = metadataOnly && { accept: ACCEPT_METADATA_LIST };
    const { objects, resourceVersion } = await listPages({
      read: async (page) => {
        const query = { ...page, ...this.#selectors };
        const request = { method: 'GET', path: this.#path, query, signal, ...accept } as const;
        const answer = (await transport.request(request)) as ListPage<T>;
        this.#recordActivity();
        return answer;
      },
      convert: (item) => this.#convert(withTypeMeta(resource, item)),
    });
    await this.#replace(objects, resourceVersion);
  }

  #watchQuery() {
    const isFullRead = this.#resourceVersion === undefined;
    return {
      watch: true,
      ...this.#selectors,
      allowWatchBookmarks: true,
      resourceVersion: this.#resourceVersion,
      timeoutSeconds: Math.floor(MIN_WATCH_SECONDS * (1 + this.#random())),
      sendInitialEvents: isFullRead ? true : undefined,
      resourceVersionMatch: isFullRead ? 'NotOlderThan' : undefined,
    };
  }

  async *#trackActivity(chunks: AsyncIterable<Uint8Array>, watchdog: WatchWatchdog): AsyncGenerator<Uint8Array> {
    this.#recordActivity();
    for await (const chunk of chunks) {
      this.#recordActivity();
      watchdog.reset();
      yield chunk;
    }
  }

  #recordActivity(): void {
    this.#lastActivityMs = this.#options.clock.monotonicMs();
  }

  #random(): number {
    return (this.#options.random ?? Math.random)();
  }
}

/** Servers before 1.32, and servers with the feature off, do not know `sendInitialEvents` on a watch. */
function isWatchListUnsupported(error: unknown): boolean {
  const code = findApiError(error)?.code;
  return code === 400 || code === 422;
}

function isInitialEventsEnd({ metadata }: Pick<KubernetesObject, 'metadata'>): boolean {
  return metadata.annotations?.['k8s.io/initial-events-end'] === 'true';
}
