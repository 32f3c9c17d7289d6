/**
 * Owns what controllers share, and the order of start and stop.
 *
 * Start: servers (probes, metrics, webhooks), then caches, and once those have synced and the lease is held,
 * controllers. Stop is the reverse: controllers finish their passes, the lease is released, events are sent, caches
 * close, and the servers answer until the end.
 */

import { hostname } from 'node:os';
import { Cache } from '../cache/cache.ts';
import { CachedClient } from '../cache/cached-client.ts';
import type { CachedReader, LiveReader, Writer } from '../client/client.ts';
import { LiveClient } from '../client/live-client.ts';
import type { Transport } from '../client/transport.ts';
import { aborted, type Clock, sleep } from '../clock/clock.ts';
import { NamedController } from '../controller/builder.ts';
import { EventRecorder } from '../events/recorder.ts';
import { requestMetadataOnly } from '../events/request-metadata-only.ts';
import { HealthChecks } from '../http/healthz.ts';
import { fencedTransport } from '../leader-election/fenced-transport.ts';
import { type LeaderElectionTimings, LeaderElector, LeadershipLostError } from '../leader-election/leader-elector.ts';
import type { Logger } from '../log/logger.ts';
import type { PrometheusMetrics } from '../metrics/prometheus-metrics.ts';
import { listenForRejections } from '../process/unhandled-rejections.ts';
import type { WebhookRegistrar } from '../webhook/admission.ts';
import { WebhookRegistry } from '../webhook/registration.ts';
import type { ManagerOptions } from './manager-options.ts';
import { type Runnable, RunnableGroup } from './runnable-group.ts';

/** The parts of a manager. Operators use {@link createManager} instead. */
export interface ManagerParts
  extends Pick<ManagerOptions, 'name' | 'namespaces' | 'syncPeriodMs' | 'gracefulShutdownTimeoutMs'> {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: PrometheusMetrics;
  /** The lease to hold while controllers run. Default: no leader election. */
  readonly leaderElection?: LeaderElectionParts | undefined;
  /** Creates the registrar of webhooks. Default: no webhooks. */
  readonly webhooks?: (manager: Manager) => WebhookRegistrar;
  /** Called first at the start. The start fails with its error. */
  readonly prepare?: () => void;
  /** Called last, only by {@link Manager.run}. */
  readonly close?: () => Promise<void>;
}

export interface LeaderElectionParts {
  /** Namespace of the lease. A function is called at the start, which fails with its error. */
  readonly namespace: string | (() => string);
  /** Name of the lease. */
  readonly name: string;
  /**
   * Only for the lease, with separate connections: hanging requests of controllers must not delay a renewal
   * (docs/adr/0015-fair-share.md).
   */
  readonly transport: Transport;
  /** Default: the timings of client-go. */
  readonly timings?: LeaderElectionTimings;
}

export const DEFAULT_SYNC_PERIOD_MS = 600_000;
export const DEFAULT_GRACEFUL_SHUTDOWN_TIMEOUT_MS = 30_000;
/** Events that are not sent by then are dropped, because nothing depends on them. */
export const EVENT_FLUSH_TIMEOUT_MS = 2_000;

export class Manager {
  /** Name of the operator. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: PrometheusMetrics;
  readonly cache: Cache;
  /** Reads from the cache, writes to the API server. */
  readonly client: CachedReader & Writer;
  /** Reads from the API server. */
  readonly apiReader: LiveReader;
  readonly syncPeriodMs: number;
  readonly healthz = new HealthChecks();
  readonly readyz = new HealthChecks();
  readonly webhooks: WebhookRegistrar;
  readonly #parts: ManagerParts;
  readonly #eventClient: LiveClient;
  readonly #gracefulShutdownTimeoutMs: number;
  readonly #servers = new RunnableGroup();
  readonly #caches = new RunnableGroup();
  readonly #controllers = new RunnableGroup();
  readonly #recorders: EventRecorder[] = [];
  /** Aborts passes that do not finish in time, or must not continue. */
  readonly #abort = new AbortController();
  #elector: LeaderElector | undefined;

  constructor(parts: ManagerParts) {
    const { name, transport, clock, log, metrics, namespaces } = parts;
    this.#parts = parts;
    this.name = name;
    this.clock = clock;
    this.log = log;
    this.metrics = metrics;
    this.syncPeriodMs = parts.syncPeriodMs ?? DEFAULT_SYNC_PERIOD_MS;
    this.#gracefulShutdownTimeoutMs = parts.gracefulShutdownTimeoutMs ?? DEFAULT_GRACEFUL_SHUTDOWN_TIMEOUT_MS;
    this.cache = new Cache({ transport, clock, log, namespaces });
    const writeTransport =
      parts.leaderElection === undefined ? transport : fencedTransport(transport, () => this.#elector?.throwIfStale());
    const liveClient = new LiveClient(writeTransport, { fieldManager: name });
    this.#eventClient = new LiveClient(requestMetadataOnly(writeTransport), { fieldManager: name });
    this.apiReader = liveClient;
    this.client = new CachedClient(this.cache, liveClient);
    this.#caches.add(this.cache);
    this.readyz.add('caches', this.cache.check);
    this.webhooks = parts.webhooks?.(this) ?? new WebhookRegistry();
  }

  /** Aborts passes in progress when the manager cannot wait for them. */
  get abortSignal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Adds a runnable that serves from the very start to the very end. */
  addServer(server: Runnable): void {
    this.#servers.add(server);
  }

  /** Adds a runnable that works only while this process leads, on caches that have synced. */
  addController(controller: Runnable): void {
    this.#controllers.add(controller);
  }

  /**
   * Returns a builder for a controller that runs while this process leads:
   *
   *     manager.controller('website').for(Website).owns(apps.v1.deployments).reconcile(async (site, { apply }) => { … });
   * @param name Name of the controller in logs and metrics.
   */
  controller(name: string): NamedController {
    return new NamedController(this, name);
  }

  /** @param component The reporting component of the Events. */
  recorderFor(component: string): EventRecorder {
    const { clock, log } = this;
    const recorder = new EventRecorder({ client: this.#eventClient, clock, log, component, instance: hostname() });
    this.#recorders.push(recorder);
    return recorder;
  }

  /**
   * For a main file: runs {@link start}, and then closes everything, the log last. Never rejects: it logs a failure and
   * sets the exit code of the process to 1.
   *
   * A promise that a pass or a review does not await, and that rejects, is logged with the object and counted as an
   * error, and the manager continues. Any other unhandled rejection is a failure of the manager: it stops in order, and
   * the exit code is 1.
   */
  async run(signal: AbortSignal): Promise<void> {
    const failure = new AbortController();
    const stopListening = listenForRejections((error) => {
      this.log.error('unhandled promise rejection, stopping', error);
      process.exitCode = 1;
      failure.abort();
    });
    try {
      await this.start(AbortSignal.any([signal, failure.signal]));
      this.log.info('manager stopped');
    } catch (error) {
      this.log.error('manager failed', error);
      process.exitCode = 1;
    } finally {
      await this.#parts.close?.();
      stopListening();
    }
  }

  /**
   * Runs everything until `signal` aborts; resolves when everything has stopped. Rejects, after the same orderly stop,
   * when a part failed or leadership was lost.
   */
  async start(signal: AbortSignal): Promise<void> {
    this.#parts.prepare?.();
    const elector = this.#newElector();
    this.#elector = elector;
    const failure = new AbortController();
    const fail = (error: unknown) => failure.abort(error);
    const stop = AbortSignal.any([signal, failure.signal]);
    try {
      this.#servers.start(fail);
      this.#caches.start(fail);
      if (await this.#waitForCaches(stop)) {
        const lead = (leading: AbortSignal) => this.#runControllers(leading, fail);
        await (elector ? elector.run(stop, lead) : lead(stop));
      }
    } finally {
      await this.#flushEvents();
      await this.#caches.stop();
      await this.#servers.stop();
    }
    failure.signal.throwIfAborted();
  }

  #newElector(): LeaderElector | undefined {
    const { leaderElection, clock, log, metrics } = this.#parts;
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

  async #waitForCaches(stop: AbortSignal): Promise<boolean> {
    const startedMs = this.clock.monotonicMs();
    this.log.info('waiting for caches to sync');
    const hasSynced = await this.cache.waitForSync(stop);
    if (hasSynced) this.log.info('caches synced', { tookMs: Math.round(this.clock.monotonicMs() - startedMs) });
    return hasSynced;
  }

  async #runControllers(leading: AbortSignal, fail: (error: unknown) => void): Promise<void> {
    this.#controllers.start(fail);
    await aborted(leading);
    if (leading.reason instanceof LeadershipLostError) {
      // Another manager may be at work already: what is under way must not go on.
      fail(leading.reason);
      this.#abort.abort(leading.reason);
    }
    await this.#stopControllers();
  }

  /** Lets passes finish; aborts passes that exceed the graceful shutdown timeout. */
  async #stopControllers(): Promise<void> {
    this.log.info('stopping controllers');
    const stopped = new AbortController();
    const abortLate = async () => {
      await sleep(this.clock, this.#gracefulShutdownTimeoutMs, stopped.signal);
      if (!stopped.signal.aborted) this.#abort.abort(new Error('the manager stopped'));
    };
    void abortLate();
    await this.#controllers.stop();
    stopped.abort();
  }

  async #flushEvents(): Promise<void> {
    const timeout = new AbortController();
    const cancel = this.clock.schedule(EVENT_FLUSH_TIMEOUT_MS, () => timeout.abort());
    await Promise.all(this.#recorders.map((recorder) => recorder.flush(timeout.signal)));
    cancel();
    for (const recorder of this.#recorders) recorder.stop();
  }
}
