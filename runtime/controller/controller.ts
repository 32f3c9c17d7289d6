import { randomUUID } from 'node:crypto';
import type { Informer } from '../cache/informer.ts';
import { findApiError } from '../client/errors.ts';
import { aborted, type Cancel, type Clock, sleep } from '../clock/clock.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { parseKey } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import { ownRejections } from '../process/unhandled-rejections.ts';
import { WorkQueue, type WorkQueueOptions } from '../workqueue/work-queue.ts';
import type { ChannelSource } from './channel-source.ts';
import { EnqueuingHandler, type PriorityFunction } from './enqueuing-handler.ts';
import type { MapToRequests } from './handler.ts';
import type { Predicate } from './predicate.ts';
import { parseResult, type Reconciler, type Request, type Result, TerminalError } from './reconcile.ts';
import type { ReconcileMetrics, ReconcileOutcome } from './reconcile-metrics.ts';

/**
 * The default of Go's controller-runtime. Passes that mostly wait for the network cost little: a controller of such
 * passes may run thousands.
 */
const DEFAULT_MAX_CONCURRENT_RECONCILES = 1;

/** Minimum time between two retries of all failed objects: watches may break all the time. */
const RETRY_ALL_EVERY_MS = 30_000;

/** How long passes may block the event loop, in milliseconds. */
const MAX_TURN_MS = 10;

export interface ControllerOptions<T extends KubernetesObject = KubernetesObject>
  extends Omit<WorkQueueOptions, 'maxWorking'> {
  readonly name: string;
  readonly reconciler: Reconciler<T>;
  readonly log: Logger;
  /**
   * Maximum number of concurrent passes, at least 1. Default 1. If there are four or more, one namespace never gets all
   * of them, because its passes may hang.
   */
  readonly maxConcurrentReconciles?: number | undefined;
  readonly reconcileMetrics?: ReconcileMetrics;
  /** Aborts passes in progress; a normal stop lets them finish. */
  readonly abortSignal: AbortSignal;
}

/** Which changes of a watched kind trigger a reconcile, and how soon. */
export interface SourceOptions<T> {
  /** An event must pass all predicates. Default: every event passes. */
  readonly predicates?: readonly Predicate<T>[] | undefined;
  /**
   * Priority of an event: the queue holds `low` back while other objects wait. Use `low` for events that only concern a
   * status or housekeeping. Default: all are `normal`.
   */
  readonly priority?: PriorityFunction<T> | undefined;
  /**
   * Whether the deletion of an object shortens the back-off of the objects that it reconciles to about a second: it may
   * have freed a quota or a name that the last pass needed. Default: true for `owns`, else false.
   */
  readonly deletionShortensBackOff?: boolean | undefined;
}

/** Adds keys from events to a queue, and passes them to a reconciler of objects `T`. */
export class Controller<T extends KubernetesObject = KubernetesObject> {
  readonly name: string;
  readonly #options: ControllerOptions<T>;
  readonly #queue: WorkQueue;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: ReconcileMetrics | undefined;
  readonly #maxConcurrent: number;
  #lastRetryAllMs = Number.NEGATIVE_INFINITY;
  #cancelRetryAll: Cancel | undefined;
  #turnStartMs = 0;
  #nextTurn: Promise<void> | undefined;
  readonly #sources: ((signal: AbortSignal) => void | Promise<void>)[] = [];

  constructor(options: ControllerOptions<T>) {
    this.name = options.name;
    this.#options = options;
    this.#clock = options.clock;
    this.#log = options.log.with({ controller: options.name });
    this.#metrics = options.reconcileMetrics;
    this.#maxConcurrent = options.maxConcurrentReconciles ?? DEFAULT_MAX_CONCURRENT_RECONCILES;
    this.#queue = new WorkQueue({ ...options, maxProcessing: this.#maxConcurrent });
  }

  /** Reconciles the requests from `toRequests` for every change in `informer` that the predicates accept. */
  watch<U extends KubernetesObject>(
    informer: Informer<U>,
    toRequests: MapToRequests<U, T>,
    { predicates = [], priority, deletionShortensBackOff = false }: SourceOptions<U> = {},
  ): void {
    this.#sources.push((signal) =>
      informer.addEventHandler(
        new EnqueuingHandler({
          toRequests,
          predicates,
          ...(priority && { priority }),
          enqueue: (key, keyPriority) => this.#queue.add(key, keyPriority),
          ...(deletionShortensBackOff && { shortenBackOff: (key: string) => this.#queue.shortenBackOff(key) }),
          // Objects that failed meanwhile need not wait for their back-off, which may be many minutes by now.
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

  /** Reconciles every object of `informer` once per `periodMs`, which catches changes without an event. */
  resync<U extends KubernetesObject>(informer: Informer<U>, periodMs: number): void {
    this.#sources.push(async (signal) => {
      for (;;) {
        await sleep(this.#clock, periodMs, signal);
        if (signal.aborted) return;
        for (const key of informer.store.keys()) this.#queue.add(key, 'low');
      }
    });
  }

  /** Works until `signal` aborts, then finishes the passes in progress. */
  async start(signal: AbortSignal): Promise<void> {
    this.#metrics?.setMaxConcurrentReconciles(this.#maxConcurrent);
    for (const startSource of this.#sources) void startSource(signal);
    this.#log.info('controller started', { maxConcurrentReconciles: this.#maxConcurrent });
    const working = this.#work();
    await aborted(signal);
    this.#cancelRetryAll?.();
    this.#queue.shutDown();
    await working;
    this.#log.info('controller stopped');
  }

  /** Retries all at once, or as soon as {@link RETRY_ALL_EVERY_MS} allows. */
  #retryAll(): void {
    const nowMs = this.#clock.monotonicMs();
    const waitMs = this.#lastRetryAllMs + RETRY_ALL_EVERY_MS - nowMs;
    this.#cancelRetryAll?.();
    this.#cancelRetryAll = undefined;
    if (waitMs > 0) {
      this.#cancelRetryAll = this.#clock.schedule(waitMs, () => this.#retryAll());
      return;
    }
    this.#lastRetryAllMs = nowMs;
    this.#queue.retryNow();
  }

  /** Starts a pass for each key that the queue returns; the queue limits how many run. Resolves after the last pass. */
  async #work(): Promise<void> {
    let activePasses = 0;
    let passEnded = Promise.withResolvers<void>();
    const pass = async (key: string) => {
      activePasses++;
      await this.#reconcileOnce(key);
      this.#queue.done(key);
      activePasses--;
      passEnded.resolve();
      passEnded = Promise.withResolvers<void>();
    };
    for (let key = await this.#queue.get(); key !== undefined; key = await this.#queue.get()) {
      await this.#yieldIfBusy();
      void pass(key);
    }
    while (activePasses > 0) await passEnded.promise;
  }

  /**
   * Delays a pass while other passes have blocked the event loop for too long. A pass that finds everything in the
   * cache never waits for IO, so a thousand of them would otherwise run in one go, and block sockets, timers and
   * probes.
   */
  async #yieldIfBusy(): Promise<void> {
    while (this.#clock.monotonicMs() - this.#turnStartMs >= MAX_TURN_MS) {
      this.#nextTurn ??= this.#startTurn();
      await this.#nextTurn;
    }
  }

  async #startTurn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#turnStartMs = this.#clock.monotonicMs();
    this.#nextTurn = undefined;
  }

  async #reconcileOnce(key: string): Promise<void> {
    const request = parseKey(key) as Request<T>; // only keys of T are enqueued
    const log = this.#log.with({ ...request, reconcileID: randomUUID() });
    const startedAt = this.#clock.now();
    const startedMs = this.#clock.monotonicMs();
    this.#metrics?.started();
    let outcome: ReconcileOutcome;
    try {
      const result = parseResult(await this.#reconcile(key, request, log));
      // Uses the wall clock too: the steady clock may stand still while the machine sleeps.
      const wallElapsedMs = this.#clock.now().getTime() - startedAt.getTime();
      this.#setWakeUp(key, result, Math.max(wallElapsedMs, this.#clock.monotonicMs() - startedMs));
      if (result.requeue) this.#queue.add(key, result.requeue);
      outcome =
        result.error === undefined ? this.#handleResult(key, result) : this.#handleError(key, result.error, log);
    } catch (error) {
      outcome = this.#handleError(key, error, log);
    }
    this.#metrics?.finished(outcome, this.#clock.monotonicMs() - startedMs);
  }

  /** The rejection of a promise that the pass does not await stops nothing else: it is reported here. */
  #reconcile(key: string, request: Request<T>, log: Logger): Promise<Result> {
    const onRejection = (error: unknown) => {
      this.#metrics?.unhandledRejection();
      log.error('unhandled promise rejection in reconcile', error);
    };
    const { reconciler, abortSignal } = this.#options;
    const context = {
      log,
      signal: abortSignal,
      tryContinueAtLowPriority: () => this.#queue.tryLowerPriority(key),
      hasWaitingObjects: () => this.#queue.hasWaiting,
    };
    return ownRejections(onRejection, () => reconciler.reconcile(request, context));
  }

  #setWakeUp(key: string, { requeueAfterMs, error }: Result, elapsedMs: number): void {
    if (requeueAfterMs !== undefined && requeueAfterMs > 0) this.#queue.addAfter(key, requeueAfterMs - elapsedMs);
    else if (requeueAfterMs !== undefined || error === undefined) this.#queue.cancelWakeUp(key);
  }

  /** The pass did not fail, though something in it may have. */
  #handleResult(key: string, { requeueAfterMs, retry = false, retryAfterMs, keepsBackOff }: Result): ReconcileOutcome {
    if (retry || (requeueAfterMs !== undefined && requeueAfterMs <= 0)) {
      this.#queue.addRateLimited(key, retryAfterMs);
      return 'requeue';
    }
    if (keepsBackOff) this.#queue.cancelRetry(key);
    else this.#queue.forget(key);
    return requeueAfterMs === undefined ? 'success' : 'requeue_after';
  }

  #handleError(key: string, error: unknown, log: Logger): 'error' {
    if (error instanceof TerminalError) {
      this.#metrics?.terminalError();
      this.#queue.cancelWakeUp(key);
      this.#queue.forget(key);
      log.error('reconcile failed, will not retry until the object changes or the next resync', error);
    } else {
      this.#queue.addRateLimited(key, findApiError(error)?.retryAfterMs);
      log.error('reconcile failed, will retry', error, { failures: this.#queue.failures(key) });
    }
    return 'error';
  }
}
