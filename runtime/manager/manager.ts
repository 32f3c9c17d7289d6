/**
 * Starts and stops the servers, caches and controllers of an operator.
 *
 * The servers for probes, metrics and webhooks start first, and then the caches. Controllers start after the caches
 * have synced and this process has acquired the lease. During shutdown, controllers first finish their reconciles. Then
 * the manager releases the lease and sends the remaining Events. Finally, the caches and then the servers stop.
 */

import { hostname } from 'node:os';
import { Cache } from '../cache/cache.ts';
import { CachedClient } from '../cache/cached-client.ts';
import type { CachedReader, LiveReader, Writer } from '../client/client.ts';
import { LiveClient } from '../client/live-client.ts';
import type { Transport } from '../client/transport.ts';
import { aborted, type Clock, sleep } from '../clock/clock.ts';
import { type BuilderOptions, NamedController } from '../controller/controller-builder.ts';
import { createWatchRule } from '../controller/controller-rules.ts';
import { EventRecorder } from '../events/event-recorder.ts';
import { flushRecorders } from '../events/flush-recorders.ts';
import { createMetadataOnlyTransport } from '../events/metadata-only-transport.ts';
import { HealthChecks } from '../http/healthz.ts';
import { mergeRules, type ResourceRule } from '../kubernetes/policy-rule.ts';
import { createFencedTransport } from '../leader-election/fenced-transport.ts';
import { type LeaderElectionTimings, LeaderElector, LeadershipLostError } from '../leader-election/leader-elector.ts';
import type { Logger } from '../log/logger.ts';
import type { PrometheusMetrics } from '../metrics/prometheus-metrics.ts';
import { listenForRejections } from '../process/unhandled-rejections.ts';
import type { WebhookRegistrar } from '../webhook/admission.ts';
import { type ConvertingRegistrar, WebhookRegistry } from '../webhook/webhook-registry.ts';
import {
  type Cluster,
  type ClusterProvider,
  ClusterRunner,
  ControllerNames,
  type SharedClusterOptions,
} from './clusters.ts';
import type { ManagerOptions } from './manager-options.ts';
import { type NamedRunnable, type Runnable, RunnableGroup } from './runnable-group.ts';

/** Options of the constructor. Instead of the constructor, operators use {@link createManager}. */
export interface ManagerConstructorOptions
  extends Pick<ManagerOptions, 'name' | 'syncPeriodMs' | 'gracefulShutdownTimeoutMs' | 'controllers'>,
    SharedClusterOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: PrometheusMetrics;
  /** The lease that this process must hold to run controllers. Default: no leader election. */
  readonly leaderElection?: ManagerLeaseOptions | undefined;
  /** Creates the {@link WebhookRegistrar}. Default: the manager does not serve webhooks. */
  readonly webhooks?: (manager: Manager) => ConvertingRegistrar;
  /** {@link Manager.start} calls this function before anything else, and rejects if the function throws. */
  readonly prepare?: () => void;
  /** Called at the end of {@link Manager.run}. */
  readonly close?: () => Promise<void>;
}

export interface ManagerLeaseOptions {
  /**
   * Namespace of the lease, or a function that returns the namespace. {@link Manager.start} calls the function, and
   * rejects if the function throws.
   */
  readonly namespace: string | (() => string);
  /** Name of the lease. */
  readonly name: string;
  /**
   * Transport for requests of the lease. The lease needs separate connections, because slow requests of controllers
   * must not delay a renewal (docs/adr/0015-fair-share.md).
   */
  readonly transport: Transport;
  /** Timings of the lease. Default: the timings of client-go. */
  readonly timings?: LeaderElectionTimings;
}

export const DEFAULT_SYNC_PERIOD_MS = 600_000;
export const DEFAULT_GRACEFUL_SHUTDOWN_TIMEOUT_MS = 30_000;

/** Runs the controllers, caches and servers of an operator. Use {@link createManager} to create a manager. */
export class Manager {
  /** Name of the operator. */
  readonly name: string;
  /** Clock of the controllers, the cache and the lease. */
  readonly clock: Clock;
  /** The log of the manager. */
  readonly log: Logger;
  /** The metrics of the library. Create your own metrics with `manager.metrics.registry`. */
  readonly metrics: PrometheusMetrics;
  /** The caches of all watched kinds, for example to add field indexes. */
  readonly cache: Cache;
  /** A client that reads from the cache and writes to the API server. */
  readonly client: CachedReader & Writer;
  /** A client that reads from the API server. */
  readonly apiReader: LiveReader;
  /** Interval at which every object is reconciled even without an event, in milliseconds. */
  readonly syncPeriodMs: number;
  /** Default options of the controllers. */
  readonly controllerDefaults: BuilderOptions;
  /** Checks of `/healthz`. Add your own checks with `manager.healthz.add(name, check)`. */
  readonly healthz = new HealthChecks();
  /**
   * Checks of `/readyz`, including the sync of the caches. Add your own checks with `manager.readyz.add(name, check)`.
   */
  readonly readyz = new HealthChecks();
  /** Registers defaulting and validating webhooks. */
  readonly webhooks: WebhookRegistrar;
  readonly #options: ManagerConstructorOptions;
  readonly #eventClient: LiveClient;
  readonly #gracefulShutdownTimeoutMs: number;
  readonly #servers = new RunnableGroup();
  readonly #caches = new RunnableGroup();
  readonly #controllers = new RunnableGroup();
  readonly #recorders: EventRecorder[] = [];
  readonly #controllerNames = new ControllerNames();
  readonly #rules: ResourceRule[] = [];
  /** Aborts reconciles that exceed the graceful shutdown timeout. Aborts all reconciles when the leader has lost the lease. */
  readonly #reconcileAbortController = new AbortController();
  #elector: LeaderElector | undefined;

  constructor(options: ManagerConstructorOptions) {
    const { name, transport, clock, log, metrics, namespaces } = options;
    this.#options = options;
    this.name = name;
    this.clock = clock;
    this.log = log;
    this.metrics = metrics;
    this.syncPeriodMs = options.syncPeriodMs ?? DEFAULT_SYNC_PERIOD_MS;
    this.controllerDefaults = options.controllers ?? {};
    this.#gracefulShutdownTimeoutMs = options.gracefulShutdownTimeoutMs ?? DEFAULT_GRACEFUL_SHUTDOWN_TIMEOUT_MS;
    this.cache = new Cache({ transport, clock, log, namespaces });
    const writeTransport = this.#fence(transport);
    const liveClient = new LiveClient(writeTransport, { fieldManager: name });
    this.#eventClient = new LiveClient(createMetadataOnlyTransport(writeTransport), { fieldManager: name });
    this.apiReader = liveClient;
    this.client = new CachedClient(this.cache, liveClient);
    this.#caches.add(this.cache);
    const webhooks = options.webhooks?.(this);
    // The API server calls the conversion only in replicas that are ready, and the cache may need the conversion to sync.
    this.readyz.add('caches', () => this.cache.check(webhooks?.convertedKinds));
    this.webhooks = webhooks ?? new WebhookRegistry();
  }

  #fence(transport: Transport): Transport {
    return this.#options.leaderElection === undefined
      ? transport
      : createFencedTransport(transport, () => this.#elector?.throwIfLeaseExpired());
  }

  /** Aborts when reconciles in progress must stop. */
  get abortSignal(): AbortSignal {
    return this.#reconcileAbortController.signal;
  }

  /** Adds a runnable that starts before the caches and stops last. */
  addServer(server: Runnable): void {
    this.#servers.add(server);
  }

  /** Adds a runnable that runs after the caches have synced and while this process is the leader. */
  addController(controller: NamedRunnable): void {
    this.#controllerNames.complete(controller);
    this.#controllers.add(controller);
  }

  /** Adds RBAC rules for the generated role. Controllers add the rules for their watches. */
  addRules(rules: readonly ResourceRule[]): void {
    this.#rules.push(...rules);
  }

  /** The RBAC rules that the controllers and caches need. `managerRules` returns the other rules of the manager. */
  get rules(): readonly ResourceRule[] {
    return mergeRules([...this.#rules, ...this.cache.resources.map((resource) => createWatchRule(resource))]);
  }

  /**
   * Returns a builder for a controller that runs while this process is the leader:
   *
   *     manager.controller('website').for(Website).owns(apps.v1.deployments).reconcile(async (site, { apply }) => { … });
   * @param name Name of the controller in logs and metrics. Throws an error if a controller already has this name.
   */
  controller(name: string): NamedController {
    this.#controllerNames.add(name);
    return new NamedController(this, name);
  }

  /**
   * Runs controllers for objects of other clusters. While the manager is the leader, `provider` adds and removes
   * clusters. `setUp` adds the controllers of each cluster:
   *
   *     manager.addClusters(provider, (cluster) => cluster.controller('website').for(Website).reconcile(…));
   */
  addClusters(provider: ClusterProvider, setUp: (cluster: Cluster) => void): void {
    const fence = (transport: Transport) => this.#fence(transport);
    this.addController(new ClusterRunner(provider, setUp, { manager: this, fence, options: this.#options }));
  }

  /** @param component Name of the component that reports the Events. */
  recorderFor(component: string): EventRecorder {
    const { clock, log } = this;
    const recorder = new EventRecorder({ client: this.#eventClient, clock, log, component, instance: hostname() });
    this.#recorders.push(recorder);
    return recorder;
  }

  /**
   * Calls {@link start} and then closes all connections and the log. Use `run` in the main file. Instead of rejecting, logs a
   * failure and sets the exit code of the process to 1.
   *
   * The manager logs and counts an unhandled rejection of a promise in a reconcile or a review, and continues. After any other
   * unhandled rejection, the manager stops, and the exit code is 1.
   */
  async run(signal: AbortSignal): Promise<void> {
    const failureController = new AbortController();
    const stopListening = listenForRejections((error) => {
      this.log.error('unhandled promise rejection, stopping', error);
      process.exitCode = 1;
      failureController.abort();
    });
    try {
      await this.start(AbortSignal.any([signal, failureController.signal]));
      this.log.info('manager stopped');
    } catch (error) {
      this.log.error('manager failed', error);
      process.exitCode = 1;
    } finally {
      await this.#options.close?.();
      stopListening();
    }
  }

  /**
   * Runs the servers, caches and controllers until `signal` aborts. Resolves after all runnables have stopped. If a
   * runnable fails, or the leader loses the lease, stops all runnables and then rejects.
   */
  async start(signal: AbortSignal): Promise<void> {
    this.#options.prepare?.();
    this.#controllerNames.throwIfIncomplete();
    const elector = this.#createElector();
    this.#elector = elector;
    const failureController = new AbortController();
    const reportFailure = (error: unknown) => failureController.abort(error);
    const stopSignal = AbortSignal.any([signal, failureController.signal]);
    try {
      this.#servers.start(reportFailure);
      this.#caches.start(reportFailure);
      if (await this.#waitForCaches(stopSignal, reportFailure)) {
        const runAsLeader = (leadershipSignal: AbortSignal) => this.#runControllers(leadershipSignal, reportFailure);
        await (elector ? elector.run(stopSignal, runAsLeader) : runAsLeader(stopSignal));
      }
    } finally {
      await flushRecorders(this.#recorders, this.clock);
      await this.#caches.stop();
      await this.#servers.stop();
    }
    failureController.signal.throwIfAborted();
  }

  #createElector(): LeaderElector | undefined {
    const { leaderElection, clock, log, metrics } = this.#options;
    if (leaderElection === undefined) return undefined;
    const { name, namespace, transport, timings } = leaderElection;
    return new LeaderElector({
      client: new LiveClient(transport, { fieldManager: this.name }),
      clock,
      log,
      lease: { name, namespace: typeof namespace === 'string' ? namespace : namespace() },
      metrics: metrics.leaderElection(name),
      ...(timings && { timings }),
    });
  }

  async #waitForCaches(stopSignal: AbortSignal, reportFailure: (error: unknown) => void): Promise<boolean> {
    const startMs = this.clock.monotonicMs();
    this.log.info('waiting for caches to sync');
    const timeoutMs = this.#options.cacheSyncTimeoutMs;
    const hasSynced = await this.cache.waitForSync(stopSignal, { timeoutMs, onTimeout: reportFailure });
    if (hasSynced) this.log.info('caches synced', { tookMs: Math.round(this.clock.monotonicMs() - startMs) });
    return hasSynced;
  }

  async #runControllers(leadershipSignal: AbortSignal, reportFailure: (error: unknown) => void): Promise<void> {
    this.#controllers.start(reportFailure);
    await aborted(leadershipSignal);
    if (leadershipSignal.reason instanceof LeadershipLostError) {
      // Another manager may have started its reconciles, so the reconciles in progress must stop.
      reportFailure(leadershipSignal.reason);
      this.#reconcileAbortController.abort(leadershipSignal.reason);
    }
    await this.#stopControllers();
  }

  async #stopControllers(): Promise<void> {
    this.log.info('stopping controllers');
    const stopController = new AbortController();
    const abortAfterTimeout = async () => {
      await sleep(this.clock, this.#gracefulShutdownTimeoutMs, stopController.signal);
      if (!stopController.signal.aborted) this.#reconcileAbortController.abort(new Error('the manager stopped'));
    };
    void abortAfterTimeout();
    await this.#controllers.stop();
    stopController.abort();
  }
}
