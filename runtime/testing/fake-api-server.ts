/**
 * An API server for tests: real HTTP on 127.0.0.1, objects of any kind in memory, and faults on demand.
 *
 * It speaks enough Kubernetes for clients, caches and controllers: versions and conflicts, `/status`, patches, server-side apply,
 * finalizers, consistent pages, label selectors, watches with history, bookmarks and initial events. What it does not do: it knows
 * no schemas and no CRDs, so it validates nothing, fills in no defaults and takes objects of any kind; it collects no garbage; it
 * calls no webhooks; it has every right given. Server-side apply knows nothing of other managers' fields, and takes a list as one
 * value. What needs these needs a real API server: {@link startTestEnvironment}.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TlsOptions } from 'node:tls';
import { LiveClient } from '../client/live-client.ts';
import { HttpTransport } from '../client/transport.ts';
import type { Clock } from '../clock/clock.ts';
import { SystemClock } from '../clock/system-clock.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { apiVersionOf, keyOf, type ObjectKey, pathOf, type Resource } from '../kubernetes/resource.ts';
import type { ConnectOptions, TestCluster } from './cluster.ts';
import { answer, readBody, refuse, strike } from './fake-api/answers.ts';
import { type ApiCall, type CallMatch, matches, readCall } from './fake-api/api-request.ts';
import { type Fault, FaultQueue, isAnswerFault, type LiveWatchFault, type WatchFault } from './fake-api/faults.ts';
import { handle, type Learned } from './fake-api/handlers.ts';
import { kubeconfigOf } from './fake-api/kubeconfig.ts';
import { Listener } from './fake-api/listener.ts';
import { type Change, type JsonObject, type ObjectInput, ObjectStore } from './fake-api/object-store.ts';
import { Refusal } from './fake-api/refusal.ts';
import { WatchStream } from './fake-api/watch-stream.ts';

/** How a fake API server serves. */
export interface FakeApiServerOptions {
  /** Serve HTTPS. Plain HTTP when absent. */
  readonly tls?: TlsOptions;
  /** Of the fault `delay`. Default the machine's; a FakeClock makes the test say when. */
  readonly clock?: Clock;
}

/**
 * An API server in memory. It runs from `start` to `close`:
 *
 *     await using server = await FakeApiServer.start();
 *     server.put(Website, { metadata: { namespace: 'default', name: 'blog' }, spec: { image: 'nginx:1.29', replicas: 1 } });
 *     server.fail({ verb: 'update', resource: Website }, { kind: 'error', code: 409 });
 */
export class FakeApiServer implements TestCluster, AsyncDisposable {
  /** Asks this server, over HTTP as everybody does. */
  readonly client: LiveClient;
  /** Whether `sendInitialEvents` is served; old servers answer 422. */
  watchList = true;
  /** When set, requests must carry this bearer token; others are answered 401. */
  bearerToken: string | undefined;

  /** Every API request so far, those that a fault struck too. */
  readonly requests: ApiCall[] = [];

  readonly #store = new ObjectStore((change) => this.#broadcast(change));
  readonly #learned: Learned = { kinds: new Map(), applied: new Map() };
  readonly #faults = new FaultQueue();
  readonly #watches = new Set<WatchStream>();
  readonly #waiting = new Set<() => void>();
  readonly #listener: Listener;
  readonly #clock: Clock;
  readonly #transports: HttpTransport[] = [];

  private constructor({ tls, clock = new SystemClock() }: FakeApiServerOptions) {
    this.#clock = clock;
    this.#listener = new Listener({
      tls,
      onRequest: (message, response) => void this.#respond(message, response),
      onConnections: () => this.#happened(),
    });
    this.client = new LiveClient(this.connect(), { fieldManager: 'test' });
  }

  /** A server that accepts connections, on a port of its own. */
  static async start(options: FakeApiServerOptions = {}): Promise<FakeApiServer> {
    const server = new FakeApiServer(options);
    await server.#listener.start();
    return server;
  }

  /** `http://127.0.0.1:<port>`, or https. */
  get url(): URL {
    return this.#listener.url;
  }

  /** A kubeconfig for programs that want one: write it into a file, and say `kubeconfig` or `KUBECONFIG`. */
  get kubeconfig(): string {
    return kubeconfigOf(this.url, this.bearerToken ?? 'any');
  }

  /** A transport to this server, for clients of your own. It is closed with the server. */
  connect({ userAgent = 'test', clock = new SystemClock() }: ConnectOptions = {}): HttpTransport {
    const authorization = () => ({ authorization: `Bearer ${this.bearerToken ?? 'any'}` });
    const current = async () => ({ server: this.url, tls: { rejectUnauthorized: false }, headers: authorization() });
    const transport = new HttpTransport({ userAgent, credentials: { current, refresh() {} }, clock });
    this.#transports.push(transport);
    return transport;
  }

  /** TCP connections accepted so far. */
  get connectionsAccepted(): number {
    return this.#listener.accepted;
  }

  /** TCP connections that are open now. */
  get openConnections(): number {
    return this.#listener.open;
  }

  /** Watches that are being served now. */
  get openWatches(): number {
    return [...this.#watches].filter((watch) => watch.isOpen).length;
  }

  /** Faults that have not struck yet: queued, or waiting in an open watch for their event. */
  get pendingFaults(): number {
    return this.#faults.length + [...this.#watches].filter((watch) => watch.isDoomed).length;
  }

  /** resourceVersion of the last change. */
  get version(): string {
    return String(this.#store.version);
  }

  /** How many requests fit `match`. */
  count(match: CallMatch = {}): number {
    return this.requests.filter((call) => matches(match, call)).length;
  }

  /** Creates or replaces an object behind the clients' backs; watches see it. Returns what is stored. */
  put<T extends KubernetesObject>(resource: Resource<T>, object: ObjectInput & Partial<Omit<T, 'metadata'>>): T {
    const collection = pathOf(resource);
    this.#learned.kinds.set(collection, resource.kind);
    const key = keyOf(object.metadata as ObjectKey); // a name is all that keyOf needs
    const { resourceVersion: _, uid: __, ...metadata } = object.metadata;
    const typed = { ...(object as JsonObject), metadata, apiVersion: apiVersionOf(resource), kind: resource.kind };
    const stored = this.#store.find(collection, key)
      ? this.#store.update(collection, key, typed, { scope: 'all' })
      : this.#store.create(collection, key, typed);
    return stored as KubernetesObject as T;
  }

  /** Removes an object, finalizers or not. Throws when there is none. */
  remove(resource: Resource, key: ObjectKey): void {
    this.#store.remove(pathOf(resource), keyOf(key));
  }

  /** The object as it is stored. */
  get<T extends KubernetesObject>(resource: Resource<T>, key: ObjectKey): T | undefined {
    return this.#store.find(pathOf(resource), keyOf(key)) as KubernetesObject | undefined as T | undefined;
  }

  /** What clients should see, in the order of keys. */
  list<T extends KubernetesObject>(resource: Resource<T>, namespace?: string): T[] {
    return this.#store.all(pathOf(resource), namespace) as KubernetesObject[] as T[];
  }

  /** Forgets history: older resourceVersions and continue tokens are answered 410. Open watches go on. */
  compact(): void {
    this.#store.compact();
  }

  /** Sends a bookmark on every open watch that wants them. */
  bookmark(): void {
    for (const watch of this.#watches) watch.bookmark(this.#store.version);
  }

  /** The next `times` requests that fit `match`, and that no earlier fault strikes, meet this one. `Infinity`: until `clearFaults`. */
  fail(match: CallMatch, fault: Fault, times = 1): void {
    this.#faults.add(match, fault, times);
  }

  /** Takes back every fault that waits, in the queue or in an open watch. */
  clearFaults(): void {
    this.#faults.clear();
    for (const watch of this.#watches) watch.clearFault();
  }

  /** Every open watch meets this fault. */
  breakWatches(fault: LiveWatchFault): void {
    for (const watch of [...this.#watches]) watch.break(fault);
  }

  /** The next so many connections are reset as soon as they are accepted. */
  rejectConnections(count: number): void {
    this.#listener.rejectConnections(count);
  }

  /** Resets every connection; new ones are accepted. */
  dropConnections(): void {
    this.#listener.dropConnections();
  }

  /** Resets every connection, and new ones as soon as they are accepted; objects, history and the port stay. */
  async goDown(): Promise<void> {
    // A port that was closed could be another server's in between, and be taken when this one is to come back.
    this.#listener.rejectConnections(Number.POSITIVE_INFINITY);
    this.#listener.dropConnections();
  }

  /** Accepts connections again. */
  async comeBack(): Promise<void> {
    this.#listener.rejectConnections(0);
  }

  /** Ends the server and every connection. */
  async close(): Promise<void> {
    await this.#listener.stop();
    await Promise.all(this.#transports.map((transport) => transport.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Resolves when `condition`, asked again after everything that happens at the server, holds. */
  until(condition: (server: this) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!condition(this)) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }

  /** Resolves when at least `count` watches are open. */
  watchOpened(count = 1): Promise<void> {
    return this.until(() => this.openWatches >= count);
  }

  #happened(): void {
    for (const check of [...this.#waiting]) check();
  }

  #broadcast(change: Change): void {
    for (const watch of [...this.#watches]) watch.deliver(change);
    this.#happened();
  }

  async #respond(message: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const call = readCall(message);
      this.requests.push(call);
      const fault = this.#faults.take(call);
      const body = await readBody(message);
      this.#happened();
      if (fault && isAnswerFault(fault) && (await strike(fault, response, this.#clock))) return;
      this.#authenticate(call);
      if (call.verb === 'watch') this.#watch(call, response, fault && !isAnswerFault(fault) ? fault : undefined);
      else answer(response, handle(this.#store, this.#learned, call, body), fault?.kind === 'cutAnswer');
    } catch (error) {
      refuse(response, error);
    }
    this.#happened();
  }

  #authenticate({ headers }: ApiCall): void {
    if (this.bearerToken === undefined || headers.authorization === `Bearer ${this.bearerToken}`) return;
    throw new Refusal(401, 'Unauthorized');
  }

  #watch(call: ApiCall, response: ServerResponse, fault: WatchFault | undefined): void {
    const { collection, namespace, query } = call;
    const isInitialAsked = query.get('sendInitialEvents') === 'true';
    if (isInitialAsked && !(this.watchList && query.get('resourceVersionMatch') === 'NotOlderThan')) {
      throw new Refusal(422, 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch');
    }
    const kind = this.#learned.kinds.get(collection) ?? 'Unknown';
    const onStruck = () => this.#happened();
    const stream = new WatchStream({ call, response, kind, fault, onStruck });
    this.#watches.add(stream);
    response.once('close', () => {
      this.#watches.delete(stream);
      this.#happened();
    });
    const version = query.get('resourceVersion') || '0';
    if (isInitialAsked || version === '0') {
      stream.sendInitial(this.#store.all(collection, namespace), () => this.#store.version, isInitialAsked);
    } else {
      this.#replay(stream, Number(version));
    }
    stream.begin();
  }

  #replay(stream: WatchStream, version: number): void {
    try {
      for (const change of this.#store.changesSince(stream.call.collection, version)) stream.deliver(change);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      stream.refuse(error);
    }
  }
}
