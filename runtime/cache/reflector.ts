/**
 * Copies a collection of objects from the API server and keeps the copy up to date despite failures. The reflector
 * first reads all objects: as initial events of a watch, or in pages if the server does not support
 * `sendInitialEvents`. After it has read all objects, the reflector watches for changes. After a failure, a new watch
 * continues from the last resource version. The reflector reads all objects again only if the server no longer has the
 * last resource version, or if a watch from that version receives no data. The rules follow client-go's
 * `tools/cache/reflector.go`. Unlike client-go, the reflector replaces a watch that delivers no data.
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
import { METADATA_ACCEPT_HEADER, METADATA_LIST_ACCEPT_HEADER, toPartialObjectMetadata } from './partial-object.ts';
import { WatchRetries } from './watch-retries.ts';
import { readWatchEvents, type WatchEvent } from './watch-stream.ts';
import { WatchWatchdog } from './watch-watchdog.ts';

/** Receives objects and changes from a reflector. */
export interface ReflectorSink<T> {
  /** Converts an incoming object to its stored form. Default: the sink stores the whole object. */
  convert?(object: T): T;
  /** Returns the stored object with this resource version, which saves parsing it again. Default: `undefined`. */
  findByVersion?(resourceVersion: string): T | undefined;
  /** Called before the reflector reads all objects. */
  onRelist?(): void;
  /**
   * Replaces all stored objects. Objects that are missing from `objects` were deleted. The reflector waits for the
   * returned promise before it delivers changes.
   */
  replace(objects: readonly T[]): void | Promise<void>;
  upsert(object: T): void;
  remove(object: T): void;
  /** Called when a watch has opened after a failure. */
  onResume?(): void;
  /** Called after a failure, except the failure of a watch that had worked. */
  onFailure?(error: unknown): void;
}

export interface ReflectorOptions<T extends KubernetesObject> {
  readonly resource: Resource<T>;
  /** Namespace of the objects (default: all namespaces). */
  readonly namespace?: string | undefined;
  /**
   * Selects objects by their fields, such as `metadata.name=a`. A client whose RBAC rules are limited to one name must
   * select this name.
   */
  readonly fieldSelector?: string | undefined;
  /** Selects objects by their labels. The constructor throws if the selector is invalid. */
  readonly labelSelector?: LabelSelector | undefined;
  /**
   * Requests only the metadata of objects. With this option, the sink receives objects without spec and status. Default
   * false.
   */
  readonly metadataOnly?: boolean | undefined;
  /** Whether the sink receives an empty list if the first list request fails with 403 or 404. Default false. */
  readonly optional?: boolean | undefined;
  readonly transport: Transport;
  readonly sink: ReflectorSink<T>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the jitter of the back-off and of the watch timeout, in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/** The reflector replaces a watch that sends no data for this long. API servers send a bookmark about every minute. */
export const MAX_WATCH_SILENCE_MS = 150_000;
/** Minimum timeout of a watch. Jitter increases each timeout by up to 100 %. */
const MIN_WATCH_TIMEOUT_SECONDS = 300;
/** A watch that ends sooner without an event counts as a failure, so the next watch waits for the back-off. */
const MIN_HEALTHY_WATCH_DURATION_MS = 1000;

export class Reflector<T extends KubernetesObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #collectionPath: string;
  readonly #selectors: { readonly labelSelector: string | undefined; readonly fieldSelector: string | undefined };
  readonly #log: Logger;
  /** The resource version from which the next watch continues; `undefined` if the reflector must read all objects. */
  #resourceVersion: string | undefined;
  #supportsWatchList = true;
  #lastActivityMs: number;
  readonly #retries: WatchRetries;
  #hasFailed = false;
  /** Whether the latest watch stayed open long enough to be useful. */
  #wasWatchHealthy = false;
  #hasListed = false;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#collectionPath = resourcePath(options.resource, options.namespace);
    const { labelSelector, fieldSelector } = options;
    this.#selectors = { labelSelector: formatLabelQuery(labelSelector), fieldSelector: fieldSelector || undefined };
    this.#log = options.log.with({ resource: options.resource.plural, namespace: options.namespace });
    this.#retries = new WatchRetries({
      log: this.#log,
      clock: options.clock,
      random: () => this.#random(),
      optional: options.optional ?? false,
    });
    this.#lastActivityMs = options.clock.monotonicMs();
  }

  /** Time since the server last sent data, in milliseconds. */
  get silenceMs(): number {
    return this.#options.clock.monotonicMs() - this.#lastActivityMs;
  }

  /** Whether the reflector has delivered all changes up to a resource version. */
  hasReached(resourceVersion: string): boolean {
    return this.#resourceVersion !== undefined && BigInt(this.#resourceVersion) >= BigInt(resourceVersion);
  }

  /** Keeps the copy up to date until `signal` aborts. Retries all errors of the server and the network. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        this.#wasWatchHealthy = false;
        if (this.#resourceVersion === undefined) await this.#listIfNeeded(signal);
        await this.#watch(signal);
      } catch (error) {
        if (signal.aborted) return;
        await this.#recover(error, signal);
      }
    }
  }

  /** Lists the objects, unless the next watch sends them as initial events. */
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
    if (!this.#wasWatchHealthy) this.#options.sink.onFailure?.(error);
    const retryAfterMs = this.#retries.recordFailure({ error, resourceVersion: this.#resourceVersion });
    if (isExpired(error)) this.#resourceVersion = undefined;
    if (this.#options.optional && isMissingKindError(error)) await this.#handleMissingKind();
    await sleep(this.#options.clock, retryAfterMs, signal);
  }

  /** A response with 403 or 404 also shows that the API server is reachable. */
  async #handleMissingKind(): Promise<void> {
    this.#recordActivity();
    if (this.#hasListed) return;
    this.#hasListed = true;
    await this.#options.sink.replace([]);
  }

  /** Runs one watch. Returns when the server ends the watch normally. */
  async #watch(signal: AbortSignal): Promise<void> {
    const { clock, transport } = this.#options;
    using watchdog = new WatchWatchdog(clock, MAX_WATCH_SILENCE_MS, signal);
    const chunks = await transport.stream({
      method: 'GET',
      path: this.#collectionPath,
      query: this.#createWatchQuery(),
      signal: watchdog.signal,
      ...(this.#options.metadataOnly && { accept: METADATA_ACCEPT_HEADER }),
    });
    if (this.#hasFailed) this.#options.sink.onResume?.();
    this.#hasFailed = false;
    this.#retries.recordWatchOpened();
    const openTimeMs = clock.monotonicMs();
    const isHealthy = () => clock.monotonicMs() - openTimeMs >= MIN_HEALTHY_WATCH_DURATION_MS;
    try {
      const events = await this.#handleWatch(watchdog, this.#trackActivity(chunks, watchdog));
      if (events === 0 && !isHealthy()) throw new Error('the API server closed the watch immediately');
    } finally {
      this.#wasWatchHealthy = this.#resourceVersion !== undefined && isHealthy();
      if (this.#wasWatchHealthy) this.#retries.reset();
    }
  }

  /**
   * Handles the events of a watch. If the watch times out without data, the next watch reads all objects again: after a
   * restore of etcd, the resource version of the watch may not exist yet.
   */
  async #handleWatch(watchdog: WatchWatchdog, chunks: AsyncIterable<Uint8Array>): Promise<number> {
    try {
      const { clock, sink } = this.#options;
      return await this.#handleEvents(readWatchEvents<T>(chunks, clock, (version) => sink.findByVersion?.(version)));
    } catch (error) {
      if (watchdog.hasTimedOutWithoutData) this.#resourceVersion = undefined;
      throw error;
    }
  }

  /** Handles events until the stream ends. Returns the number of events that are not bookmarks. */
  async #handleEvents(events: AsyncIterable<WatchEvent<T>>): Promise<number> {
    let initialObjects = this.#resourceVersion === undefined ? new Map<string, T>() : undefined;
    let objectEventCount = 0;
    for await (const event of events) {
      if (event.type !== 'BOOKMARK') objectEventCount++;
      if (initialObjects === undefined) {
        this.#apply(event);
      } else if (event.type === 'BOOKMARK' && isInitialEventsEnd(event.object)) {
        await this.#replace([...initialObjects.values()], event.object.metadata.resourceVersion);
        initialObjects = undefined;
      } else {
        this.#applyInitialEvent(initialObjects, event);
      }
    }
    if (initialObjects !== undefined) throw new Error('the watch ended before its initial events were complete');
    return objectEventCount;
  }

  #applyInitialEvent(initialObjects: Map<string, T>, event: WatchEvent<T>): void {
    if (event.type === 'BOOKMARK') return;
    if (event.type === 'DELETED') initialObjects.delete(formatKey(event.object));
    else initialObjects.set(formatKey(event.object), this.#convert(event.object));
  }

  #convert(incomingObject: T): T {
    const { metadataOnly, resource, sink } = this.#options;
    // T has no spec if only metadata is requested
    const object = metadataOnly
      ? (toPartialObjectMetadata(resource, incomingObject) as T)
      : parseObject(resource, incomingObject);
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
    this.#hasListed = true;
    this.#resourceVersion = resourceVersion;
    this.#retries.reset();
    this.#log.debug('listed all objects', { objects: objects.length, resourceVersion });
  }

  async #listInPages(signal: AbortSignal): Promise<void> {
    const { resource, metadataOnly, transport } = this.#options;
    const acceptOption = metadataOnly && { accept: METADATA_LIST_ACCEPT_HEADER };
    const { objects, resourceVersion } = await listPages({
      read: async (pageQuery) => {
        const query = { ...pageQuery, ...this.#selectors };
        const request = { method: 'GET', path: this.#collectionPath, query, signal, ...acceptOption } as const;
        const listPage = (await transport.request(request)) as ListPage<T>;
        this.#recordActivity();
        return listPage;
      },
      convert: (listItem) => this.#convert(withTypeMeta(resource, listItem)),
    });
    await this.#replace(objects, resourceVersion);
  }

  #createWatchQuery() {
    const isInitialList = this.#resourceVersion === undefined;
    return {
      watch: true,
      ...this.#selectors,
      allowWatchBookmarks: true,
      resourceVersion: this.#resourceVersion,
      timeoutSeconds: Math.floor(MIN_WATCH_TIMEOUT_SECONDS * (1 + this.#random())),
      sendInitialEvents: isInitialList ? true : undefined,
      resourceVersionMatch: isInitialList ? 'NotOlderThan' : undefined,
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

/** The API server does not serve the kind, or does not allow this client to read it. */
function isMissingKindError(error: unknown): boolean {
  const code = findApiError(error)?.code;
  return code === 404 || code === 403;
}

/** API servers reject `sendInitialEvents` before Kubernetes 1.32, or if the feature WatchList is disabled. */
function isWatchListUnsupported(error: unknown): boolean {
  const code = findApiError(error)?.code;
  return code === 400 || code === 422;
}

function isInitialEventsEnd({ metadata }: Pick<KubernetesObject, 'metadata'>): boolean {
  return metadata.annotations?.['k8s.io/initial-events-end'] === 'true';
}
