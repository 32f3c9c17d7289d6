/**
 * An API server for tests. The fake API server serves HTTP on 127.0.0.1, stores objects of any kind in memory, and
 * injects faults.
 *
 * The server supports resource versions and conflicts, `/status`, generations, patches, server-side apply, finalizers,
 * garbage collection, deletions of collections, `/scale`, evictions and tokens, deletion of namespaces, paginated
 * lists, label selectors, watches with history, bookmarks and initial events. For the kinds in its options, the server
 * also supports validation, defaults, removal of unknown fields, the rules of `apiRule`, conversions and the CRD.
 * The server does not support CEL rules without `apiRule`, schemas of built-in kinds, or webhooks. Server-side apply
 * detects no conflicts with other field managers, and replaces lists as a whole. To test features that the fake API
 * server does not support, use a real API server: {@link startTestEnvironment}.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TlsOptions } from 'node:tls';
import { LiveClient } from '../client/live-client.ts';
import { HttpTransport } from '../client/transport.ts';
import type { Clock } from '../clock/clock.ts';
import { SystemClock } from '../clock/system-clock.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { formatApiVersion, formatKey, type ObjectKey, type Resource, resourcePath } from '../kubernetes/resource.ts';
import type { ConnectOptions, TestCluster, UserRoles } from './cluster.ts';
import { type ApiCall, type CallMatch, matchesCall, parseCall } from './fake-api/api-request.ts';
import { Authorizer } from './fake-api/authorizer.ts';
import type { CustomKindOptions } from './fake-api/custom-kinds.ts';
import { type Fault, FaultQueue, isResponseFault, type LiveWatchFault } from './fake-api/faults.ts';
import { handleCall } from './fake-api/handlers.ts';
import { formatKubeconfig } from './fake-api/kubeconfig.ts';
import { TcpListener } from './fake-api/listener.ts';
import { ObjectStore, type StoreChange } from './fake-api/object-store.ts';
import type { JsonObject, ObjectInput } from './fake-api/object-types.ts';
import { OpenWatches } from './fake-api/open-watches.ts';
import { checkPath } from './fake-api/prepare-object.ts';
import { applyFault, readBody, sendError, sendJson } from './fake-api/responses.ts';
import { createServerState, type ServerState } from './fake-api/server-state.ts';
import { StatusError } from './fake-api/status-error.ts';
import { buildStoredVersions } from './fake-api/stored-versions.ts';

/** Options of a fake API server. */
export interface FakeApiServerOptions extends CustomKindOptions {
  /** Serves HTTPS. Default: plain HTTP. */
  readonly tls?: TlsOptions;
  /** Clock for the fault `delay`. Default: the system clock. */
  readonly clock?: Clock;
}

/**
 * An API server in memory, which runs from `start` to `close`:
 *
 *     await using server = await FakeApiServer.start({ kinds: [Website] });
 *     server.put(Website, { metadata: { namespace: 'default', name: 'blog' }, spec: { image: 'nginx:1.29', replicas: 1 } });
 *     server.fail({ verb: 'update', resource: Website }, { kind: 'error', code: 409 });
 */
export class FakeApiServer implements TestCluster, AsyncDisposable {
  /** A client that is connected to the server over HTTP. */
  readonly client: LiveClient;
  /**
   * Whether watches can use `sendInitialEvents`. If false, a watch with `sendInitialEvents` fails with 422, as on older
   * API servers. Default true.
   */
  watchList = true;
  /** Required bearer token. Requests without the required token fail with 401. Default: requests need no token. */
  bearerToken: string | undefined;

  /** All API requests in the order of their arrival, including requests with a fault. */
  readonly requests: ApiCall[] = [];

  readonly #store: ObjectStore;
  readonly #state: ServerState;
  readonly #authorizer = new Authorizer();
  readonly #faults = new FaultQueue();
  readonly #watches: OpenWatches;
  readonly #waiters = new Set<() => void>();
  readonly #listener: TcpListener;
  readonly #clock: Clock;
  readonly #transports: HttpTransport[] = [];

  private constructor({ tls, clock = new SystemClock(), ...options }: FakeApiServerOptions) {
    this.#clock = clock;
    this.#store = new ObjectStore((change) => this.#broadcast(change), buildStoredVersions(options.kinds));
    this.#watches = new OpenWatches(this.#store, () => this.#notifyWaiters());
    this.#state = createServerState(this.#store, options);
    this.#listener = new TcpListener({
      tls,
      onRequest: (message, response) => void this.#respond(message, response),
      onConnections: () => this.#notifyWaiters(),
    });
    this.client = new LiveClient(this.connect(), { fieldManager: 'test' });
  }

  /** Starts a server on a free port. */
  static async start(options: FakeApiServerOptions = {}): Promise<FakeApiServer> {
    const server = new FakeApiServer(options);
    await server.#listener.start();
    return server;
  }

  /** URL of the server: `http://127.0.0.1:<port>`, or with https. */
  get url(): URL {
    return this.#listener.url;
  }

  /** Content of a kubeconfig for the server. */
  get kubeconfig(): string {
    return formatKubeconfig(this.url, this.bearerToken ?? 'any');
  }

  /** Returns a transport to the server. {@link close} closes it. */
  connect({ userAgent = 'test', clock = new SystemClock(), user }: ConnectOptions = {}): HttpTransport {
    const impersonation = user === undefined ? {} : { 'impersonate-user': user };
    const headers = () => ({ authorization: `Bearer ${this.bearerToken ?? 'any'}`, ...impersonation });
    const current = async () => ({ server: this.url, tls: { rejectUnauthorized: false }, headers: headers() });
    const transport = new HttpTransport({ userAgent, credentials: { current, refresh() {} }, clock });
    this.#transports.push(transport);
    return transport;
  }

  /** Creates a user with only these roles. A user without roles has all permissions. */
  async createUser(roles: UserRoles): Promise<string> {
    return this.#authorizer.addUser(roles);
  }

  /** Number of TCP connections that the server has accepted. */
  get connectionsAccepted(): number {
    return this.#listener.accepted;
  }

  /** Number of open TCP connections. */
  get openConnections(): number {
    return this.#listener.open;
  }

  /** Number of open watches. */
  get openWatches(): number {
    return this.#watches.openCount;
  }

  /** Number of faults that have not occurred yet, including faults of open watches. */
  get pendingFaults(): number {
    return this.#faults.length + this.#watches.pendingFaults;
  }

  /** Resource version of the last change. */
  get version(): string {
    return String(this.#store.version);
  }

  /** Returns the number of requests that match `match`. */
  count(match: CallMatch = {}): number {
    return this.requests.filter((call) => matchesCall(match, call)).length;
  }

  /** Creates or replaces an object without an API request, and notifies watches. Returns the stored object. */
  put<T extends KubernetesObject>(resource: Resource<T>, object: ObjectInput & Partial<Omit<T, 'metadata'>>): T {
    const collection = resourcePath(resource);
    this.#state.kinds.set(collection, resource.kind);
    const key = formatKey(object.metadata as ObjectKey); // formatKey needs only a name
    const { resourceVersion: _, uid: __, ...metadata } = object.metadata;
    const typed = { ...(object as JsonObject), metadata, apiVersion: formatApiVersion(resource), kind: resource.kind };
    const stored = this.#store.find(collection, key)
      ? this.#store.update(collection, key, typed, { scope: 'all' })
      : this.#store.create(collection, key, typed);
    return stored as KubernetesObject as T;
  }

  /** Removes an object, even with finalizers. Throws an error if the object does not exist. */
  remove(resource: Resource, key: ObjectKey): void {
    this.#store.remove(resourcePath(resource), formatKey(key));
  }

  /** Returns the stored object. */
  get<T extends KubernetesObject>(resource: Resource<T>, key: ObjectKey): T | undefined {
    return this.#store.find(resourcePath(resource), formatKey(key)) as KubernetesObject | undefined as T | undefined;
  }

  /** Returns the stored objects, sorted by key. */
  list<T extends KubernetesObject>(resource: Resource<T>, namespace?: string): T[] {
    return this.#store.all(resourcePath(resource), namespace) as KubernetesObject[] as T[];
  }

  /**
   * Compacts the history. After this call, the server responds with 410 to older resource versions and continue tokens.
   * Open watches continue.
   */
  compact(): void {
    this.#store.compact();
  }

  /** Sends a bookmark to every open watch that allows bookmarks. */
  bookmark(): void {
    this.#watches.bookmark();
  }

  /**
   * Applies `fault` to the next `times` requests that match. Only the oldest fault is applied to a request. With
   * `times` = `Infinity`, the fault applies until {@link clearFaults}.
   */
  fail(match: CallMatch, fault: Fault, times = 1): void {
    this.#faults.add(match, fault, times);
  }

  /** Removes all pending faults, including faults of open watches. */
  clearFaults(): void {
    this.#faults.clear();
    this.#watches.clearFaults();
  }

  /** Applies `fault` to every open watch. */
  breakWatches(fault: LiveWatchFault): void {
    this.#watches.break(fault);
  }

  /** Resets the next `count` connections when clients open them. */
  rejectConnections(count: number): void {
    this.#listener.rejectConnections(count);
  }

  /** Resets all open connections. New connections are accepted. */
  dropConnections(): void {
    this.#listener.dropConnections();
  }

  /** Resets all open and new connections until {@link comeBack}. Objects, history and port are unchanged. */
  async goDown(): Promise<void> {
    // The port stays open, because another process could otherwise use it before comeBack.
    this.#listener.rejectConnections(Number.POSITIVE_INFINITY);
    this.#listener.dropConnections();
  }

  /** Accepts connections again after {@link goDown}. */
  async comeBack(): Promise<void> {
    this.#listener.rejectConnections(0);
  }

  /** Stops the server and closes every connection. */
  async close(): Promise<void> {
    await this.#listener.stop();
    await Promise.all(this.#transports.map((transport) => transport.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Resolves when `condition` returns true. The server evaluates the condition after every request, change and closed
   * connection.
   */
  until(condition: (server: this) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!condition(this)) return;
        this.#waiters.delete(check);
        resolve();
      };
      this.#waiters.add(check);
      check();
    });
  }

  /** Resolves when at least `count` watches are open. */
  watchOpened(count = 1): Promise<void> {
    return this.until(() => this.openWatches >= count);
  }

  #notifyWaiters(): void {
    for (const check of [...this.#waiters]) check();
  }

  #broadcast(change: StoreChange): void {
    this.#watches.deliver(change);
    this.#notifyWaiters();
  }

  async #respond(message: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const call = parseCall(message);
      this.requests.push(call);
      const fault = this.#faults.take(call);
      const body = await readBody(message);
      this.#notifyWaiters();
      if (fault && isResponseFault(fault) && (await applyFault(fault, response, this.#clock))) return;
      this.#authenticate(call);
      this.#authorizer.authorize(call, (key) => this.#store.find(call.collection, key) !== undefined);
      checkPath(this.#state, call);
      if (call.verb === 'watch') {
        const kind = this.#state.kinds.get(call.collection) ?? 'Unknown';
        const watchFault = fault && !isResponseFault(fault) ? fault : undefined;
        this.#watches.open({ call, response, kind, fault: watchFault, supportsInitialEvents: this.watchList });
      } else sendJson(response, handleCall(this.#store, this.#state, call, body), fault?.kind === 'cutAnswer');
    } catch (error) {
      sendError(response, error);
    }
    this.#notifyWaiters();
  }

  #authenticate({ headers }: ApiCall): void {
    if (this.bearerToken === undefined || headers.authorization === `Bearer ${this.bearerToken}`) return;
    throw new StatusError(401, 'Unauthorized');
  }
}
