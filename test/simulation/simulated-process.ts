/** One life of the manager: caches, queue, controller and the real reconciler, until it dies. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Job, NewJob } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { PendingStatus } from '../../controllers/cronjob/pending.ts';
import { CronJobReconciler } from '../../controllers/cronjob-controller.ts';
import { RequestedStarts } from '../../controllers/requested-starts.ts';
import { CachedClient } from '../../runtime/cache/cached-client.ts';
import type { ReconcileContext, Request, Result } from '../../runtime/controller/reconcile.ts';
import { formatKey, type KeyFor } from '../../runtime/kubernetes/resource.ts';
import type { Logger } from '../../runtime/log/logger.ts';
import type { Caller } from './caller.ts';
import { SimulatedConnection } from './connection.ts';
import { delayByCrowd, NO_CROWD, withCrowd } from './crowd.ts';
import type { DelayedCache } from './delayed-cache.ts';
import { createErrorLogger } from './error-logger.ts';
import { Excess } from './excess.ts';
import type { Machine } from './machine.ts';
import { observeReads } from './observe-reads.ts';
import { ObservedReconcile } from './observed-reconcile.ts';
import { ProcessKnowledge } from './process-knowledge.ts';
import { createCache, startController } from './process-parts.ts';
import { JUMP_CHECK_MS, QueueClock } from './queue-clock.ts';
import { RequestReconciles } from './request-reconciles.ts';
import type { RuleChecker } from './rule-checker.ts';
import type { Setting } from './setting.ts';
import { SimulatedLimiter } from './simulated-limiter.ts';
import { countSlots } from './slot-meter.ts';

export interface SimulatedProcessOptions {
  readonly machine: Machine;
  /** Observes what the process does. */
  readonly checker: RuleChecker;
  /** Called when the process has died. */
  readonly onDeath: () => void;
  /** Time until the caches have synced, in milliseconds. */
  readonly startupMs: number;
  /** Time between two resyncs, in milliseconds. */
  readonly syncPeriodMs: number;
  readonly drawFinalizers: (job: NewJob) => readonly string[];
}

const NO_RECONCILE = new ObservedReconcile('none', new Date(0), {});

export class SimulatedProcess implements Caller {
  readonly machine: Machine;
  readonly #options: SimulatedProcessOptions & Setting;
  readonly #cache: DelayedCache;
  readonly #client: CachedClient;
  readonly #live: SimulatedConnection;
  readonly #reconciler: CronJobReconciler;
  readonly #requestedStarts = new RequestedStarts();
  /** Reconciles of CronJobRuns. */
  readonly requests: RequestReconciles;
  readonly #stop = new AbortController();
  readonly #reconciles = new AsyncLocalStorage<ObservedReconcile>();
  /** Whether the last reconcile of each key left no work; false during a reconcile. Unknown during a gap of a watch. */
  readonly #isDone = new Map<string, boolean>();
  readonly #knowledge: ProcessKnowledge;
  readonly excess: Excess;
  readonly #limiter: SimulatedLimiter;
  readonly #log: Logger;
  readonly #stopCrowds: () => void;
  readonly #queueClock: QueueClock;
  /** Begin of the last reconcile of each key, on the steady clock of the simulation. */
  readonly #lastReconcileMs = new Map<string, number>();
  /** Wake-up time of each key, on the steady clock of the simulation. */
  readonly #wakeMs = new Map<string, number>();
  /** Another process leads; this one has not detected it yet. */
  isSuperseded = false;
  #isAlive = true;

  constructor(setting: Setting, options: SimulatedProcessOptions) {
    const { clock, network, faults } = setting;
    const { machine, checker, startupMs } = options;
    this.#options = { ...setting, ...options };
    this.machine = machine;
    this.excess = new Excess(clock, (key, rule) => this.#dieOfExcess(key, rule));
    this.#limiter = new SimulatedLimiter({ clock, faults, isAlive: () => this.#isAlive });
    this.#stopCrowds = this.#limiter.startCrowds();
    this.#queueClock = new QueueClock(machine);
    this.#log = createErrorLogger((message, error, { namespace, name }) => {
      if (this.#isAlive) checker.recordError(`${namespace}/${name}`, message, error);
    });
    const source = { clock, machine, network, isAlive: () => this.#isAlive };
    this.#cache = createCache(setting, source);
    this.#knowledge = new ProcessKnowledge(this.#cache);
    this.#live = new SimulatedConnection({ ...this.#options, limiter: this.#limiter, caller: this });
    this.#client = new CachedClient(this.#cache.asCache, this.#live);
    this.#reconciler = this.#createReconciler();
    this.requests = this.#createRequestReconciles();
    machine.schedule(startupMs, () => {
      if (this.#isAlive) this.#startController();
    });
  }

  /** Statuses of CronJobs that are not stored, by key. */
  get pendingStatuses(): ReadonlyMap<string, PendingStatus> {
    return this.#knowledge.pendingStatuses;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Whether the clock has not jumped since the last reconcile of `key`. */
  isClockSteady(key: string): boolean {
    const sinceMs = this.#options.clock.monotonicMs() - (this.#lastReconcileMs.get(key) ?? Number.NEGATIVE_INFINITY);
    return sinceMs < this.machine.steadyMs;
  }

  /** Whether all work for `key` that a jump of the clock has made due is done. */
  isPastJump(key: string): boolean {
    const lastReconcileMs = this.#lastReconcileMs.get(key) ?? 0;
    return this.machine.steadyMs > 2 * JUMP_CHECK_MS && !this.machine.hasJumpedBackSince(lastReconcileMs);
  }

  /** Whether it will run a reconcile for `key` within this time without an event. */
  wakesWithin(key: string, durationMs: number): boolean {
    return (this.#wakeMs.get(key) ?? 0) - this.#options.clock.monotonicMs() < durationMs;
  }

  get observed(): ObservedReconcile {
    return this.#reconciles.getStore() ?? NO_RECONCILE;
  }

  /** Whether its caches are up to date. */
  get isCaughtUp(): boolean {
    return this.#isAlive && !this.machine.isAsleep && this.#cache.isCaughtUp;
  }

  /** Whether, in addition, it has no work for `key` before a future time. */
  isIdle(key: string): boolean {
    return this.isCaughtUp && this.#isDone.get(key) === true;
  }

  /** Whether it has work for `key`, now or after a back-off. */
  isBusy(key: string): boolean {
    return this.#isAlive && !this.machine.isAsleep && this.#isDone.get(key) === false;
  }

  /** Kills the process. Calls in progress get no response. */
  die(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#options.network.noteFault();
    this.#cache.stop();
    this.#stopCrowds();
    this.#queueClock.stop();
    this.#stop.abort();
    this.#options.checker.recordDeath();
    this.#options.onDeath();
  }

  onJobRead(job: Job): void {
    this.#knowledge.noteReceived(job);
    this.#knowledge.noteJob(this.observed, job);
  }

  onStatusWritten(cronJob: CronJob): void {
    this.#knowledge.noteWritten(cronJob);
  }

  onJobCreated(job: Job): void {
    this.#knowledge.noteCreated(this.observed, job);
  }

  /** A reconcile without an event. `undefined` when it failed: it is not in the queue, which would repeat it. */
  async reconcileAgain(key: {
    readonly namespace: string;
    readonly name: string;
  }): Promise<ObservedReconcile | undefined> {
    const context = { log: this.#log.with(key), signal: this.#stop.signal, ...NO_CROWD };
    try {
      const { observed } = await this.#reconcile(key, context);
      return observed;
    } catch {
      return undefined;
    } finally {
      this.#isDone.set(formatKey(key), true);
    }
  }

  #startController(): void {
    const reconciler = {
      reconcile: (request: Request<CronJob>, context: ReconcileContext) => this.#reconcileDue(request, context),
    };
    const parts = { reconciler, clock: this.#queueClock.asClock, log: this.#log };
    startController(this.#cache, { ...parts, syncPeriodMs: this.#options.syncPeriodMs }, this.#stop.signal);
    this.requests.start();
  }

  async #reconcileDue(request: Request, context: ReconcileContext): Promise<Result> {
    const { clock } = this.#options;
    this.#lastReconcileMs.set(formatKey(request), clock.monotonicMs());
    const { result } = await this.#reconcile(request, context);
    this.#wakeMs.set(formatKey(request), clock.monotonicMs() + (result.requeueAfterMs ?? Number.POSITIVE_INFINITY));
    return result;
  }

  async #reconcile(
    request: Request,
    context: ReconcileContext,
  ): Promise<{ observed: ObservedReconcile; result: Result }> {
    const { machine, faults, network, checker } = this.#options;
    const observed = new ObservedReconcile(formatKey(request), machine.now(), this);
    observed.isBackingOff = faults.isBackingOff(observed.key);
    this.#isDone.set(observed.key, false);
    try {
      const key = request as KeyFor<CronJob>; // there are no other requests
      const crowd = {
        statusDelayMs: network.drawCrowdMs(observed.key),
        historyDelayMs: network.drawCrowdMs(observed.key),
      };
      const reconcile = () => this.#reconciler.reconcile(key, withCrowd(crowd, context));
      const requested = await this.#reconciles.run(observed, () => countSlots(observed, reconcile));
      const result = delayByCrowd(requested, crowd);
      const hasFailed = result.error !== undefined;
      if (hasFailed) faults.count('reconcile failed');
      const isPostponed = requested.requeue !== undefined;
      if (isPostponed) faults.count(observed.writtenCronJob ? 'history left to a later reconcile' : 'status postponed');
      const hasMoreToDo =
        hasFailed || isPostponed || result.retry === true || result.requeueAfterMs === 0 || observed.failedCalls > 0;
      this.#isDone.set(observed.key, !hasMoreToDo);
      checker.recordReconcile(observed, { kind: 'Returned', result });
      this.excess.noteReconcile(observed);
      return { observed, result };
    } catch (error) {
      checker.recordReconcile(observed, { kind: 'Threw', error });
      throw error;
    }
  }

  #dieOfExcess(key: string, rule: string): void {
    if (!this.#isAlive) return;
    this.#options.checker.recordExcess(key, rule);
    this.die();
  }

  #createReconciler(): CronJobReconciler {
    return new CronJobReconciler({
      ...this.#createReconcilerParts(),
      cache: this.#cache,
      pendingStatuses: this.#knowledge.pendingStatuses,
      requestedStarts: this.#requestedStarts,
      recorder: { event: (_object, _type, reason, message) => this.#recordEvent(reason, message) },
      metrics: { recordCreatedJob() {}, recordSkippedSlots() {}, recordFinishedRun() {}, recordStartTimeout() {} },
    });
  }

  #createRequestReconciles(): RequestReconciles {
    const { checker, requests, syncPeriodMs } = this.#options;
    return new RequestReconciles({
      ...this.#createReconcilerParts(),
      ...{ checker, requests, syncPeriodMs, process: this, reconciles: this.#reconciles, excess: this.excess },
      cache: this.#cache,
      observer: this.#reconciler,
      requestedStarts: this.#requestedStarts,
      queueClock: this.#queueClock.asClock,
      recordEvent: (reason, message) => this.#recordEvent(reason, message),
      signal: this.#stop.signal,
    });
  }

  #createReconcilerParts() {
    const { machine } = this.#options;
    const now = () => {
      const instant = machine.now();
      this.observed.clockReads.push(instant);
      return instant;
    };
    const client = observeReads(this.#client, {
      cronJob: (cronJob) => this.#knowledge.noteView(this.observed, cronJob),
      job: (job) => this.#knowledge.noteJob(this.observed, job),
      request: (request) => {
        this.observed.request = request;
      },
    });
    return {
      client,
      apiReader: this.#live,
      clock: {
        now,
        monotonicMs: () => machine.monotonicMs(),
        schedule: (delayMs: number, wake: () => void) => machine.schedule(delayMs, wake),
      },
    };
  }

  #recordEvent(reason: string, message: string): void {
    const { observed } = this;
    observed.events.push(reason);
    this.#options.checker.recordEvent(observed, reason);
    this.excess.noteEvent(observed, reason, message);
  }
}
