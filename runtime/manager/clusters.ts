/** Controllers for objects of other clusters. A provider adds and removes clusters while the manager runs. */
import { hostname } from 'node:os';
import { Cache } from '../cache/cache.ts';
import { CachedClient } from '../cache/cached-client.ts';
import type { CachedReader, LiveReader, Writer } from '../client/client.ts';
import { LiveClient } from '../client/live-client.ts';
import { type CredentialsSource, HttpTransport, type Transport } from '../client/transport.ts';
import { aborted, type Clock } from '../clock/clock.ts';
import { type BuilderOptions, type ControllerHost, NamedController } from '../controller/controller-builder.ts';
import { EventRecorder } from '../events/event-recorder.ts';
import { flushRecorders } from '../events/flush-recorders.ts';
import { createMetadataOnlyTransport } from '../events/metadata-only-transport.ts';
import type { Logger } from '../log/logger.ts';
import type { PrometheusMetrics } from '../metrics/prometheus-metrics.ts';
import type { ManagerOptions } from './manager-options.ts';
import { type NamedRunnable, type Runnable, RunnableGroup } from './runnable-group.ts';

/** The clusters of a manager. A {@link ClusterProvider} adds and removes clusters. */
export interface ClusterRegistry {
  /** Connects to a cluster and starts its controllers. Throws an error if a cluster already has this name. */
  add(name: string, credentials: CredentialsSource): void;
  /** Aborts the reconciles of a cluster, and closes its connections. Does nothing if no cluster has this name. */
  remove(name: string): void;
}

/** Finds clusters, for example in Secrets or in a folder of kubeconfigs. */
export interface ClusterProvider {
  /** Adds and removes clusters until `signal` aborts. May end earlier. If the promise rejects, the manager stops. */
  run(clusters: ClusterRegistry, signal: AbortSignal): Promise<void>;
}

/** The options of a manager that also apply to each of its clusters. */
export type SharedClusterOptions = Pick<ManagerOptions, 'namespaces' | 'cacheSyncTimeoutMs' | 'maxInFlightRequests'>;

/** The parts of a manager that its clusters share. */
export interface ClusterHost {
  readonly manager: Omit<ControllerHost, 'cache' | 'client' | 'apiReader' | 'metrics' | 'cluster'> & {
    readonly name: string;
    readonly metrics: PrometheusMetrics;
  };
  /** Prevents writes after the manager has lost its lease. */
  readonly fence: (transport: Transport) => Transport;
  readonly options: SharedClusterOptions;
}

interface ClusterOptions extends ClusterHost {
  /** Aborts the reconciles of the cluster. */
  readonly abortSignal: AbortSignal;
}

/** The names of the controllers of a manager or of a cluster. */
export class ControllerNames {
  readonly #names = new Set<string>();
  readonly #incompleteNames = new Set<string>();

  /** Throws an error if a controller already has this name. */
  add(name: string): void {
    if (this.#names.has(name))
      throw new Error(`a controller ${name} exists already; its metrics and logs need another name`);
    this.#names.add(name);
    this.#incompleteNames.add(name);
  }

  /** Records that the builder has added the controller. */
  complete({ name }: NamedRunnable): void {
    if (name !== undefined) this.#incompleteNames.delete(name);
  }

  /** Throws an error if a builder has not added its controller, so the controller would never run. */
  throwIfIncomplete(): void {
    const [name] = this.#incompleteNames;
    if (name === undefined) return;
    throw new Error(
      `controller ${name}: call reconcile() or complete() last; without this call, the controller does not run`,
    );
  }
}

/** A cluster that a provider has added, with its own cache and clients. */
export class Cluster implements ControllerHost {
  /**
   * Name of the cluster. Logs contain this name as a field. In metrics, the name follows the name of the controller:
   * `website@eu`.
   */
  readonly cluster: string;
  /** Clock of the manager. */
  readonly clock: Clock;
  /** Log of the manager, with the name of the cluster as a field. */
  readonly log: Logger;
  /** Metrics of the manager. */
  readonly metrics: Pick<PrometheusMetrics, 'queue' | 'reconcile'>;
  /** The caches of the cluster. */
  readonly cache: Cache;
  /** A client that reads from the cache of the cluster and writes to its API server. */
  readonly client: CachedReader & Writer;
  /** A client that reads from the API server of the cluster. */
  readonly apiReader: LiveReader;
  /** Interval at which every object is reconciled even without an event, in milliseconds. */
  readonly syncPeriodMs: number;
  /** Default options of the controllers. */
  readonly controllerDefaults: BuilderOptions;
  /** Aborts when reconciles in progress must stop, for example because the cluster was removed. */
  readonly abortSignal: AbortSignal;
  readonly #controllers = new RunnableGroup();
  readonly #controllerNames = new ControllerNames();
  readonly #recorders: EventRecorder[] = [];
  readonly #eventClient: LiveClient;
  readonly #cacheSyncTimeoutMs: number | undefined;

  constructor(name: string, transport: Transport, { manager, fence, options, abortSignal }: ClusterOptions) {
    const { clock, log, metrics } = manager;
    this.cluster = name;
    this.clock = clock;
    this.log = log.with({ cluster: name });
    this.metrics = {
      queue: (controller) => metrics.queue(`${controller}@${name}`),
      reconcile: (controller) => metrics.reconcile(`${controller}@${name}`),
    };
    this.syncPeriodMs = manager.syncPeriodMs;
    this.controllerDefaults = manager.controllerDefaults;
    this.abortSignal = abortSignal;
    this.#cacheSyncTimeoutMs = options.cacheSyncTimeoutMs;
    this.cache = new Cache({ transport, clock, log: this.log, namespaces: options.namespaces });
    const writeTransport = fence(transport);
    const liveClient = new LiveClient(writeTransport, { fieldManager: manager.name });
    this.apiReader = liveClient;
    this.client = new CachedClient(this.cache, liveClient);
    this.#eventClient = new LiveClient(createMetadataOnlyTransport(writeTransport), { fieldManager: manager.name });
  }

  /**
   * Returns a builder for a controller of objects in this cluster.
   * @param name Name in logs and metrics. Throws an error if a controller of the cluster already has this name.
   */
  controller(name: string): NamedController {
    this.#controllerNames.add(name);
    return new NamedController(this, name);
  }

  /** Adds a runnable that runs after the caches of the cluster have synced. */
  addController(controller: NamedRunnable): void {
    this.#controllerNames.complete(controller);
    this.#controllers.add(controller);
  }

  /**
   * Does nothing, because the generated role applies only to the cluster of the manager. `collectRules` returns the rules
   * for the other clusters.
   */
  addRules(): void {}

  /** @param component Name of the component that reports the Events. */
  recorderFor(component: string): EventRecorder {
    const { clock, log } = this;
    const recorder = new EventRecorder({ client: this.#eventClient, clock, log, component, instance: hostname() });
    this.#recorders.push(recorder);
    return recorder;
  }

  /** Runs the caches and the controllers until `signal` aborts. Logs the errors of controllers. */
  async run(signal: AbortSignal): Promise<void> {
    this.#controllerNames.throwIfIncomplete();
    const cacheController = new AbortController();
    const cacheRun = this.cache.start(cacheController.signal);
    const onTimeout = (error: Error) => this.log.error('cluster has not synced in time, still waiting', error);
    if (await this.cache.waitForSync(signal, { timeoutMs: this.#cacheSyncTimeoutMs, onTimeout })) {
      this.log.info('cluster synced');
      this.#controllers.start((error) => this.log.error('controller of a cluster failed', error));
      await aborted(signal);
      await this.#controllers.stop();
    }
    await flushRecorders(this.#recorders, this.clock);
    cacheController.abort();
    await cacheRun;
  }
}

/** Runs the clusters of a provider while the manager is the leader. */
export class ClusterRunner implements Runnable {
  readonly #provider: ClusterProvider;
  readonly #setUp: (cluster: Cluster) => void;
  readonly #host: ClusterHost;
  /** Functions that remove a cluster, by the name of the cluster. */
  readonly #removers = new Map<string, () => void>();
  readonly #runs = new Set<Promise<void>>();

  constructor(provider: ClusterProvider, setUp: (cluster: Cluster) => void, host: ClusterHost) {
    this.#provider = provider;
    this.#setUp = setUp;
    this.#host = host;
  }

  async start(signal: AbortSignal): Promise<void> {
    const clusters: ClusterRegistry = {
      add: (name, credentials) => {
        if (this.#removers.has(name)) throw new Error(`cluster ${name} exists already; remove it first`);
        if (!signal.aborted) this.#add(name, credentials, signal);
      },
      remove: (name) => {
        this.#removers.get(name)?.();
        this.#removers.delete(name);
      },
    };
    await this.#provider.run(clusters, signal);
    await aborted(signal);
    while (this.#runs.size > 0) await Promise.all(this.#runs);
  }

  #add(name: string, credentials: CredentialsSource, signal: AbortSignal): void {
    const { abortSignal } = this.#host.manager;
    const [stop, abort] = [new AbortController(), new AbortController()];
    const onStop = () => stop.abort();
    const onAbort = () => abort.abort(abortSignal.reason);
    signal.addEventListener('abort', onStop);
    abortSignal.addEventListener('abort', onAbort);
    const remove = () => {
      abort.abort(new Error(`cluster ${name} was removed`));
      stop.abort();
    };
    const run = this.#run(name, credentials, { stop: stop.signal, abort: abort.signal }).finally(() => {
      signal.removeEventListener('abort', onStop);
      abortSignal.removeEventListener('abort', onAbort);
      this.#runs.delete(run);
    });
    this.#runs.add(run);
    this.#removers.set(name, remove);
  }

  /** Never rejects: the failure of a cluster does not affect the other clusters. */
  async #run(
    name: string,
    credentials: CredentialsSource,
    signals: { readonly stop: AbortSignal; readonly abort: AbortSignal },
  ): Promise<void> {
    const { clock, log, metrics, name: userAgent } = this.#host.manager;
    const { maxInFlightRequests: maxInFlight } = this.#host.options;
    const transport = new HttpTransport({
      ...{ credentials, clock, userAgent, metrics: metrics.requests() },
      ...(maxInFlight !== undefined && { maxInFlight }),
    });
    try {
      const cluster = new Cluster(name, transport, { ...this.#host, abortSignal: signals.abort });
      this.#setUp(cluster);
      cluster.log.info('cluster added');
      await cluster.run(signals.stop);
      cluster.log.info('cluster removed');
    } catch (error) {
      log.error('cluster failed', error, { cluster: name });
    } finally {
      await transport.close();
    }
  }
}
