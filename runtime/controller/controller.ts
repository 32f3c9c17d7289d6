import { randomUUID } from 'node:crypto';
import type { Informer } from '../cache/informer.ts';
import { apiErrorOf } from '../client/errors.ts';
import { aborted, type Cancel, type Clock, sleep } from '../clock/clock.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { parseKey } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import { ownRejections } from '../process/unhandled-rejections.ts';
import { WorkQueue, type WorkQueueOptions } from '../workqueue/work-queue.ts';
import type { ChannelSource } from './channel-source.ts';
import { EnqueuingHandler, type PriorityOf } from './enqueuing-handler.ts';
import type { MapToRequests } from './handler.ts';
import type { Predicate } from './predicate.ts';
import { type Reconciler, type Request, type Result, resultOf, TerminalError } from './reconcile.ts';
import type { ReconcileMetrics, ReconcileOutcome } from './reconcile-metrics.ts';

/** As in Go's controller-runtime. Passes that mostly wait for the network cost little: a controller of those may have thousands. */
const DEFAULT_MAX_CONCURRENT_RECONCILES = 1;

/** All that waits for a retry is tried again no more often: watches may break all the time. */
const RETRY_ALL_EVERY_MS = 30_000;

/** How long passes may keep the event loop to themselves. */
const MAX_TURN_MS = 10;

export interface ControllerOptions<T extends KubernetesObject = KubernetesObject>
  extends Omit<WorkQueueOptions, 'maxWorking'> {
  readonly name: string;
  readonly reconciler: Reconciler<T>;
  readonly log: Logger;
  /**
   * Passes under way at once, at least 1. Default 1. Those of one namespace are never all of four or more: its passes may hang.
   */
  readonly maxConcurrentReconciles?: number | undefined;
  readonly reconcileMetrics?: ReconcileMetrics;
  /** Aborts passes that are under way; a normal stop lets them finish. */
  readonly abortSignal: AbortSignal;
}

/** Which changes of a watched kind reconcile anything, and how soon. */
export interface SourceOptions<T> {
  /** An event has to pass all of them. Default: every event does. */
  readonly predicates?: readonly Predicate<T>[] | undefined;
  /**
   * How soon an event is looked at: one of priority `low` waits while others do. For events that only ask for a status or for housekeeping.
   * Default: all are `normal`.
   */
  readonly priority?: PriorityOf<T> | undefined;
  /**
   * Whether the deletion of an object shortens the back-off of what it reconciles to about a second: it may have made room for what the
   * last pass could not create, in a quota or under a name. Default: true for `owns`, else false.
   */
  readonly deletionShortensBackOff?: boolean | undefined;
}

/** Feeds keys from events into a queue, and workers from the queue into a reconciler of objects `T`. */
export class Controller<T extends KubernetesObject = KubernetesObject> {
  readonly name: string;
  readonly #options: ControllerOptions<T>;
  readonly #queue: WorkQueue;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: ReconcileMetrics | undefined;
  readonly #maxConcurrent: number;
  #retriedAllMs = Number.NEGATIVE_INFINITY;
  #cancelRetryAll: Cancel | undefined;
  #turnBeganMs = 0;
  #nextTurn: Promise<void> | undefined;
  readonly #sources: ((signal: AbortSignal) => void | Promise<void>)[] = [];

  constructor(options: ControllerOptions<T>) {
    this.name = options.name;
    this.#options = options;
    this.#clock = options.clock;
    this.#log = options.log.with({ controller: options.name });
    this.#metrics = options.reconcileMetrics;
    this.#maxConcurrent = options.maxConcurrentReconciles ?? DEFAULT_MAX_CONCURRENT_RECONCILES;
    this.#queue = new WorkQueue({ ...options, maxWorking: this.#maxConcurrent });
  }

  /** Reconciles what `toRequests` names for every change in `informer` that the predicates let through. */
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
          enqueue: (key, withPriority) => this.#queue.add(key, withPriority),
          ...(deletionShortensBackOff && { shortenBackOff: (key: string) => this.#queue.shortenBackOff(key) }),
          // What failed meanwhile need not wait out its back-off, which may be many minutes by now.
          onResume: () => {
            if (!signal.aborted) this.#retryAll();
          },
          log: this.#log,
        }),
      ),
    );
  }

  /** Reconciles what `source` emits. */
  watchChannel(source: ChannelSource<T>): void {
    source.listen((key) => this.#queue.add(key));
  }

  /** Reconciles every object of `informer` once per `periodMs`: what no event told is noticed by then. */
  resync<U extends KubernetesObject>(informer: Informer<U>, periodMs: number): void {
    this.#sources.push(async (signal) => {
      for (;;) {
        await sleep(this.#clock, periodMs, signal);
        if (signal.aborted) return;
        for (const key of informer.store.keys()) this.#queue.add(key, 'low');
      }
    });
  }

  /** Works until `signal` aborts, then finishes the passes that are under way. */
  async start(signal: AbortSignal): Promise<void> {
    this.#metrics?.setMaxConcurrent(this.#maxConcurrent);
    for (const startSource of this.#sources) void startSource(signal);
    this.#log.info('controller started', { maxConcurrentReconciles: this.#maxConcurrent });
    const working = this.#work();
    await aborted(signal);
    this.#cancelRetryAll?.();
    this.#queue.shutDown();
    await working;
    this.#log.info('controller stopped');
  }

  /** At once, or as soon as {@link RETRY_ALL_EVERY_MS} allow it. */
  #retryAll(): void {
    const nowMs = this.#clock.monotonicMs();
    const waitMs = this.#retriedAllMs + RETRY_ALL_EVERY_MS - nowMs;
    this.#cancelRetryAll?.();
    this.#cancelRetryAll = undefined;
    if (waitMs > 0) {
      this.#cancelRetryAll = this.#clock.schedule(waitMs, () => this.#retryAll());
      return;
    }
    this.#retriedAllMs = nowMs;
    this.#queue.retryNow();
  }

  /** Starts a pass for each key that the queue hands out, which bounds how many there are. Ends with the last of them. */
  async #work(): Promise<void> {
    let underWay = 0;
    let onePassEnded = Promise.withResolvers<void>();
    const pass = async (key: string) => {
      underWay++;
      await this.#reconcileOnce(key);
      this.#queue.done(key);
      underWay--;
      onePassEnded.resolve();
      onePassEnded = Promise.withResolvers<void>();
    };
    for (let key = await this.#queue.get(); key !== undefined; key = await this.#queue.get()) {
      await this.#giveWay();
      void pass(key);
    }
    while (underWay > 0) await onePassEnded.promise;
  }

  /**
   * Holds a pass back while others have kept the event loop busy for long enough. Passes that find everything in the cache
   * never wait for IO, so a thousand of them would otherwise run in one go, with sockets, timers and probes unheard.
   */
  async #giveWay(): Promise<void> {
    while (this.#clock.monotonicMs() - this.#turnBeganMs >= MAX_TURN_MS) {
      this.#nextTurn ??= this.#startTurn();
      await this.#nextTurn;
    }
  }

  async #startTurn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#turnBeganMs = this.#clock.monotonicMs();
    this.#nextTurn = undefined;
  }

  async #reconcileOnce(key: string): Promise<void> {
    const request = parseKey(key) as Request<T>; // only such are enqueued
    const log = this.#log.with({ ...request, reconcileID: randomUUID() });
    const startedAt = this.#clock.now();
    const startedMs = this.#clock.monotonicMs();
    this.#metrics?.started();
    let outcome: ReconcileOutcome;
    try {
      const result = resultOf(await this.#reconcile(key, request, log));
      // By the wall clock as well: the steady clock may stand still while the machine sleeps.
      const sinceMs = this.#clock.now().getTime() - startedAt.getTime();
      this.#setWakeUp(key, result, Math.max(sinceMs, this.#clock.monotonicMs() - startedMs));
      if (result.requeue) this.#queue.add(key, result.requeue);
      outcome = result.error === undefined ? this.#obey(key, result) : this.#recover(key, result.error, log);
    } catch (error) {
      outcome = this.#recover(key, error, log);
    }
    this.#metrics?.finished(outcome, this.#clock.monotonicMs() - startedMs);
  }

  /** A promise that the pass forgets fails nothing else: it is told of here when it rejects. */
  #reconcile(key: string, request: Request<T>, log: Logger): Promise<Result> {
    const onRejection = (error: unknown) => {
      this.#metrics?.unhandledRejection();
      log.error('promise rejected that the pass did not await', error);
    };
    const { reconciler, abortSignal } = this.#options;
    const context = {
      log,
      signal: abortSignal,
      lowerPriority: () => this.#queue.lowerPriority(key),
      othersWait: () => this.#queue.hasWaiting,
    };
    return ownRejections(onRejection, () => reconciler.reconcile(request, context));
  }

  #setWakeUp(key: string, { requeueAfterMs, error }: Result, elapsedMs: number): void {
    if (requeueAfterMs !== undefined && requeueAfterMs > 0) this.#queue.addAfter(key, requeueAfterMs - elapsedMs);
    else if (requeueAfterMs !== undefined || error === undefined) this.#queue.cancelWakeUp(key);
  }

  /** The pass did not fail, though something in it may have. */
  #obey(key: string, { requeueAfterMs, retry = false, retryAfterMs, keepsBackOff }: Result): ReconcileOutcome {
    if (retry || (requeueAfterMs !== undefined && requeueAfterMs <= 0)) {
      this.#queue.addRateLimited(key, retryAfterMs);
      return 'requeue';
    }
    if (keepsBackOff) this.#queue.cancelRetry(key);
    else this.#queue.forget(key);
    return requeueAfterMs === undefined ? 'success' : 'requeue_after';
  }

  #recover(key: string, error: unknown, log: Logger): 'error' {
    if (error instanceof TerminalError) {
      this.#metrics?.terminalError();
      this.#queue.cancelWakeUp(key);
      this.#queue.forget(key);
      log.error('reconcile failed, will not retry until the object changes or the next resync', error);
    } else {
      this.#queue.addRateLimited(key, apiErrorOf(error)?.retryAfterMs);
      log.error('reconcile failed, will retry', error, { failures: this.#queue.failures(key) });
    }
    return 'error';
  }
}
