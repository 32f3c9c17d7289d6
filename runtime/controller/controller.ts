import { randomUUID } from 'node:crypto';
import type { Informer } from '../cache/informer.ts';
import { findApiError, isForbidden } from '../client/errors.ts';
import { aborted, type Cancel, type Clock, sleep } from '../clock/clock.ts';
import { withTimeoutSignal } from '../clock/timeout.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { parseKey } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import { runWithRejectionHandler } from '../process/unhandled-rejections.ts';
import { WorkQueue, type WorkQueueOptions } from '../workqueue/work-queue.ts';
import type { ChannelSource } from './channel-source.ts';
import { EnqueuingHandler, type PriorityFunction } from './enqueuing-handler.ts';
import type { MapToRequests } from './map-to-requests.ts';
import type { Predicate } from './predicate.ts';
import { needsRetry, parseResult, type Reconciler, type Request, type Result, TerminalError } from './reconcile.ts';
import type { ReconcileMetrics, ReconcileOutcome } from './reconcile-metrics.ts';
import type { StatusWrites } from './status-writes.ts';

/** By default, a controller runs one reconcile at a time, as in Go's controller-runtime. */
const DEFAULT_MAX_CONCURRENT_RECONCILES = 1;

/** Minimum time between two retries of all failed objects, to limit the load when watches break often. */
const MIN_RETRY_ALL_INTERVAL_MS = 30_000;

/** A quota or a webhook also rejects requests with 403. */
const FORBIDDEN_FIX = 'if the manager lacks a permission, add owns() for the kind, or `rules` to the manifests';

/** Maximum time for which reconciles may block the event loop. */
const MAX_BLOCKING_MS = 10;

export interface ControllerOptions<T extends KubernetesObject = KubernetesObject>
  extends Omit<WorkQueueOptions, 'maxConcurrentKeys'> {
  readonly name: string;
  readonly reconciler: Reconciler<T>;
  readonly log: Logger;
  /**
   * Maximum number of concurrent reconciles, at least 1. Default 1. If the maximum is at least 4, one namespace cannot
   * use all workers, so that its hanging reconciles do not block other namespaces.
   */
  readonly maxConcurrentReconciles?: number | undefined;
  readonly reconcileMetrics?: ReconcileMetrics;
  /** Aborts the signal of a reconcile after this time, and counts the reconcile as failed. Default: reconciles have no timeout. */
  readonly reconcileTimeoutMs?: number | undefined;
  /** Name of the cluster that contains the objects. Default: the cluster of the manager. */
  readonly cluster?: string | undefined;
  /**
   * Returns whether the controller no longer watches the object. The controller then skips the reconciles of the
   * object. Default: false.
   */
  readonly isDeselected?: (request: Request<T>) => boolean;
  /** Aborts reconciles in progress. The signal of {@link Controller.start} only prevents new reconciles. */
  readonly abortSignal: AbortSignal;
}

/** Selects the events of a watched kind that trigger a reconcile, and sets the priority of the events. */
export interface SourceOptions<T> {
  /** Predicates that an event must pass. Default: every event passes. */
  readonly predicates?: readonly Predicate<T>[] | undefined;
  /**
   * Returns the priority of an event. Objects with priority `low` wait until no object with priority `normal` waits.
   * Use `low` for events that only change a status or only require cleanup. Default: `normal` for every event.
   */
  readonly priority?: PriorityFunction<T> | undefined;
  /**
   * Whether the deletion of a watched object shortens the back-off of its owner, or of the objects that the mapper
   * returns, to about a second. The deletion may have released a quota or a name that a failed reconcile needed.
   * Default: true for `owns`, false for `for` and `watches`.
   */
  readonly deletionShortensBackOff?: boolean | undefined;
}

interface ControllerSourceOptions<T> extends SourceOptions<T> {
  /** Tracks the reconciler's own status writes to the watched objects. Default: no tracking. */
  readonly statusWrites?: StatusWrites | undefined;
}

/** Adds the keys of changed objects to a queue, and calls the reconciler for each key. */
export class Controller<T extends KubernetesObject = KubernetesObject> {
  /** Name in logs and metrics. */
  readonly name: string;
  readonly #options: ControllerOptions<T>;
  readonly #queue: WorkQueue;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: ReconcileMetrics | undefined;
  readonly #maxConcurrentReconciles: number;
  #lastRetryAllMs = Number.NEGATIVE_INFINITY;
  #cancelRetryAll: Cancel | undefined;
  #lastYieldMs = 0;
  #yieldPromise: Promise<void> | undefined;
  readonly #startSourceFunctions: ((signal: AbortSignal) => void | Promise<void>)[] = [];

  constructor(options: ControllerOptions<T>) {
    this.name = options.name;
    this.#options = options;
    this.#clock = options.clock;
    this.#log = options.log.with({ controller: options.name });
    this.#metrics = options.reconcileMetrics;
    this.#maxConcurrentReconciles = options.maxConcurrentReconciles ?? DEFAULT_MAX_CONCURRENT_RECONCILES;
    this.#queue = new WorkQueue({ ...options, maxConcurrentKeys: this.#maxConcurrentReconciles });
  }

  /** Watches a kind. For every change that the predicates accept, reconciles the objects that `toRequests` returns. */
  watch<U extends KubernetesObject>(
    informer: Informer<U>,
    toRequests: MapToRequests<U, T>,
    { predicates = [], priority, deletionShortensBackOff = false, statusWrites }: ControllerSourceOptions<U> = {},
  ): void {
    this.#startSourceFunctions.push((signal) =>
      informer.addEventHandler(
        new EnqueuingHandler({
          toRequests,
          predicates,
          ...(priority && { priority }),
          enqueue: (key, keyPriority) => this.#queue.add(key, keyPriority),
          ...(statusWrites && { statusWrites }),
          ...(deletionShortensBackOff && { shortenBackOff: (key: string) => this.#queue.shortenBackOff(key) }),
          // When a broken watch recovers, the controller retries all failed objects, because their back-off may be many
          // minutes long.
          onResume: () => {
            if (!signal.aborted) this.#retryAll();
          },
          log: this.#log,
        }),
      ),
    );
  }

  /** Reconciles the objects that `source` emits. */
  watchChannel(source: ChannelSource<T>): void {
    source.listen((key) => this.#queue.add(key));
  }

  /** Reconciles every object of `informer` once per `periodMs`, also without an event. */
  resync<U extends KubernetesObject>(informer: Informer<U>, periodMs: number): void {
    this.#startSourceFunctions.push(async (signal) => {
      for (;;) {
        await sleep(this.#clock, periodMs, signal);
        if (signal.aborted) return;
        for (const key of informer.store.keys()) this.#queue.add(key, 'low');
      }
    });
  }

  /** Runs the controller until `signal` aborts. Resolves after the last reconcile has finished. */
  async start(signal: AbortSignal): Promise<void> {
    this.#metrics?.setMaxConcurrentReconciles(this.#maxConcurrentReconciles);
    for (const startSource of this.#startSourceFunctions) void startSource(signal);
    this.#log.info('controller started', { maxConcurrentReconciles: this.#maxConcurrentReconciles });
    const reconcileLoop = this.#runReconciles();
    await aborted(signal);
    this.#cancelRetryAll?.();
    this.#queue.shutDown();
    await reconcileLoop;
    this.#log.info('controller stopped');
  }

  /** Retries all failed objects, at most once per {@link MIN_RETRY_ALL_INTERVAL_MS}. */
  #retryAll(): void {
    const nowMs = this.#clock.monotonicMs();
    const waitMs = this.#lastRetryAllMs + MIN_RETRY_ALL_INTERVAL_MS - nowMs;
    this.#cancelRetryAll?.();
    this.#cancelRetryAll = undefined;
    if (waitMs > 0) {
      this.#cancelRetryAll = this.#clock.schedule(waitMs, () => this.#retryAll());
      return;
    }
    this.#lastRetryAllMs = nowMs;
    this.#queue.retryNow();
  }

  /** Starts a reconcile for each key that the queue returns. Resolves after the last reconcile. */
  async #runReconciles(): Promise<void> {
    let activeReconciles = 0;
    let reconcileEnd = Promise.withResolvers<void>();
    const runReconcile = async (key: string) => {
      activeReconciles++;
      await this.#reconcileOnce(key);
      this.#queue.done(key);
      activeReconciles--;
      reconcileEnd.resolve();
      reconcileEnd = Promise.withResolvers<void>();
    };
    for (let key = await this.#queue.get(); key !== undefined; key = await this.#queue.get()) {
      await this.#yieldIfBusy();
      void runReconcile(key);
    }
    while (activeReconciles > 0) await reconcileEnd.promise;
  }

  /**
   * Yields to the event loop if reconciles have blocked it for too long. A reconcile that only reads from the cache
   * never waits for IO. Thousands of cache-only reconciles in a row would block sockets, timers and probes.
   */
  async #yieldIfBusy(): Promise<void> {
    while (this.#clock.monotonicMs() - this.#lastYieldMs >= MAX_BLOCKING_MS) {
      this.#yieldPromise ??= this.#yieldToEventLoop();
      await this.#yieldPromise;
    }
  }

  async #yieldToEventLoop(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#lastYieldMs = this.#clock.monotonicMs();
    this.#yieldPromise = undefined;
  }

  async #reconcileOnce(key: string): Promise<void> {
    const request = parseKey(key) as Request<T>; // the queue contains only keys of T
    if (this.#options.isDeselected?.(request)) return this.#forget(key);
    const log = this.#log.with({ ...request, reconcileID: randomUUID() });
    const startTime = this.#clock.now();
    const startMs = this.#clock.monotonicMs();
    this.#metrics?.recordStart();
    let outcome: ReconcileOutcome;
    try {
      const result = parseResult(await this.#reconcile(key, request, log));
      // Also reads the wall clock, because the monotonic clock may stop while the machine sleeps.
      const wallClockElapsedMs = this.#clock.now().getTime() - startTime.getTime();
      this.#setWakeUp(key, result, Math.max(wallClockElapsedMs, this.#clock.monotonicMs() - startMs));
      if (result.requeue) this.#queue.add(key, result.requeue);
      outcome =
        result.error === undefined ? this.#handleResult(key, result) : this.#handleError(key, result.error, log);
    } catch (error) {
      outcome = this.#handleError(key, error, log);
    }
    this.#metrics?.recordEnd(outcome, this.#clock.monotonicMs() - startMs);
  }

  #forget(key: string): void {
    this.#queue.cancelWakeUp(key);
    this.#queue.forget(key);
  }

  /** Logs and counts rejections of promises that the reconcile does not await. */
  #reconcile(key: string, request: Request<T>, log: Logger): Promise<Result> {
    const onRejection = (error: unknown) => {
      this.#metrics?.recordUnhandledRejection();
      log.error('unhandled promise rejection in reconcile', error);
    };
    const { reconciler, abortSignal, cluster, reconcileTimeoutMs: timeoutMs } = this.#options;
    const contextWithoutSignal = {
      log,
      cluster,
      tryContinueAtLowPriority: () => this.#queue.tryLowerPriority(key),
      hasWaitingObjects: () => this.#queue.hasWaitingKeys,
    };
    const reconcile = (signal: AbortSignal) =>
      runWithRejectionHandler(onRejection, () => reconciler.reconcile(request, { ...contextWithoutSignal, signal }));
    if (timeoutMs === undefined) return reconcile(abortSignal);
    const message = `reconcile exceeded its timeout of ${timeoutMs} ms`;
    return withTimeoutSignal({ clock: this.#clock, timeoutMs, message, signal: abortSignal }, reconcile);
  }

  #setWakeUp(key: string, { requeueAfterMs, error }: Result, elapsedMs: number): void {
    if (requeueAfterMs !== undefined && requeueAfterMs > 0) this.#queue.addAfter(key, requeueAfterMs - elapsedMs);
    else if (requeueAfterMs !== undefined || error === undefined) this.#queue.cancelWakeUp(key);
  }

  #handleResult(key: string, result: Result): ReconcileOutcome {
    const { requeueAfterMs, retryAfterMs, keepsBackOff } = result;
    if (needsRetry(result)) {
      this.#queue.addRateLimited(key, retryAfterMs);
      return 'requeue';
    }
    if (keepsBackOff) this.#queue.cancelRetry(key);
    else this.#queue.forget(key);
    return requeueAfterMs === undefined ? 'success' : 'requeue_after';
  }

  #handleError(key: string, error: unknown, log: Logger): 'error' {
    if (error instanceof TerminalError) {
      this.#metrics?.recordTerminalError();
      this.#forget(key);
      log.error('reconcile failed, will not retry until the object changes or the next resync', error);
    } else {
      this.#queue.addRateLimited(key, findApiError(error)?.retryAfterMs);
      const fix = isForbidden(error) ? { fix: FORBIDDEN_FIX } : {};
      log.error('reconcile failed, will retry', error, { failures: this.#queue.getFailureCount(key), ...fix });
    }
    return 'error';
  }
}
