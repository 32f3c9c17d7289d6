/** One life of the manager: caches, queue, controller and the real reconciler, until it dies. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Job, NewJob } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { type PendingStatus, withPending } from '../../controllers/cronjob/pending.ts';
import { CronJobReconciler } from '../../controllers/cronjob-controller.ts';
import { jobs } from '../../controllers/resources.ts';
import { CachedClient } from '../../runtime/cache/cached-client.ts';
import type { ReconcileContext, Request, Result } from '../../runtime/controller/reconcile.ts';
import { type KeyOf, keyOf } from '../../runtime/kubernetes/resource.ts';
import type { Logger } from '../../runtime/log/logger.ts';
import type { Caller } from './caller.ts';
import { Connection } from './connection.ts';
import { ALONE, afterCrowd, inCrowd } from './crowd.ts';
import { errorLog } from './error-log.ts';
import { Excess } from './excess.ts';
import { isActive } from './facts.ts';
import { Lane } from './lane.ts';
import type { LateCache } from './late-cache.ts';
import type { Machine } from './machine.ts';
import type { Model } from './model.ts';
import { Pass } from './pass.ts';
import { newCache, startController } from './process-parts.ts';
import { JUMP_CHECK_MS, QueueClock } from './queue-clock.ts';
import type { Setting } from './setting.ts';
import { countSlots } from './slot-meter.ts';
import { watchedClient } from './watched-client.ts';

export interface ManagerProcessOptions {
  readonly machine: Machine;
  /** Observes what the process does. */
  readonly witness: Model;
  /** Called when the process has died. */
  readonly onDeath: () => void;
  /** Time until the caches have synced, in milliseconds. */
  readonly startupMs: number;
  /** Time between two resyncs, in milliseconds. */
  readonly syncPeriodMs: number;
  readonly finalizersOf: (job: NewJob) => readonly string[];
}

const NO_PASS = new Pass('none', new Date(0), {});

export class ManagerProcess implements Caller {
  readonly machine: Machine;
  readonly pendingStatuses = new Map<string, PendingStatus>();
  readonly #options: ManagerProcessOptions & Setting;
  readonly #cache: LateCache;
  readonly #client: CachedClient;
  readonly #live: Connection;
  readonly #reconciler: CronJobReconciler;
  readonly #stop = new AbortController();
  readonly #passes = new AsyncLocalStorage<Pass>();
  /** Whether the last pass of each key left no work; false during a pass. Unknown during a gap of a watch. */
  readonly #isSettled = new Map<string, boolean>();
  /** The newest version of each CronJob that this process has written, by UID. */
  readonly #written = new Map<string, number>();
  /** UIDs of Jobs that this process got from the server. */
  readonly #learned = new Set<string>();
  /** UIDs of Jobs that it has created or seen in passes. */
  readonly #seen = new Set<string>();
  /** UIDs of Jobs that this process has seen as ended. */
  readonly #seenEnded = new Set<string>();
  readonly excess: Excess;
  readonly #lane: Lane;
  readonly #log: Logger;
  readonly #stopCrowds: () => void;
  readonly #queueClock: QueueClock;
  /** Begin of the last pass of each key, on the steady clock of the world. */
  readonly #lastPassMs = new Map<string, number>();
  /** Wake-up time of each key, on the steady clock of the world. */
  readonly #wakeMs = new Map<string, number>();
  /** Another process leads; this one has not detected it yet. */
  isSuperseded = false;
  #isAlive = true;

  constructor(setting: Setting, options: ManagerProcessOptions) {
    const { world, clock, network, faults } = setting;
    const { machine, witness, startupMs } = options;
    this.#options = { ...setting, ...options };
    this.machine = machine;
    this.excess = new Excess(clock, (key, rule) => this.#stopAt(key, rule));
    this.#lane = new Lane({ clock, faults, isAlive: () => this.#isAlive });
    this.#stopCrowds = this.#lane.startCrowds();
    this.#queueClock = new QueueClock(machine);
    this.#log = errorLog((message, error, { namespace, name }) => {
      if (this.#isAlive) witness.errorLogged(`${namespace}/${name}`, message, error);
    });
    const late = { clock, machine, network, isAlive: () => this.#isAlive };
    this.#cache = newCache(world, late);
    this.#live = new Connection({ ...this.#options, lane: this.#lane, caller: this });
    this.#client = new CachedClient(this.#cache.asCache, this.#live);
    this.#reconciler = this.#makeReconciler();
    machine.schedule(startupMs, () => {
      if (this.#isAlive) this.#startController();
    });
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Whether the clock has not jumped since the last pass of `key`. */
  isSteady(key: string): boolean {
    const sinceMs = this.#options.clock.monotonicMs() - (this.#lastPassMs.get(key) ?? Number.NEGATIVE_INFINITY);
    return sinceMs < this.machine.steadyMs;
  }

  /** Whether all work for `key` that a jump of the clock has made due is done. */
  isPastJump(key: string): boolean {
    const lastPassMs = this.#lastPassMs.get(key) ?? 0;
    return this.machine.steadyMs > 2 * JUMP_CHECK_MS && !this.machine.hasGoneBackSince(lastPassMs);
  }

  /** Whether it will run a pass for `key` within this time without an event. */
  wakesWithin(key: string, durationMs: number): boolean {
    return (this.#wakeMs.get(key) ?? 0) - this.#options.clock.monotonicMs() < durationMs;
  }

  get pass(): Pass {
    return this.#passes.getStore() ?? NO_PASS;
  }

  /** Whether its caches are up to date. */
  get isCaughtUp(): boolean {
    return this.#isAlive && !this.machine.isAsleep && this.#cache.isCaughtUp;
  }

  /** Whether, in addition, it has no work for `key` before a future time. */
  isCalm(key: string): boolean {
    return this.isCaughtUp && this.#isSettled.get(key) === true;
  }

  /** Whether it has work for `key`, now or after a back-off. */
  isBusy(key: string): boolean {
    return this.#isAlive && !this.machine.isAsleep && this.#isSettled.get(key) === false;
  }

  /** Kills the process. Calls in progress get no response. */
  die(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#options.network.noteTrouble();
    this.#cache.stop();
    this.#stopCrowds();
    this.#queueClock.stop();
    this.#stop.abort();
    this.#options.witness.processDied();
    this.#options.onDeath();
  }

  sawJob(job: Job): void {
    this.#learned.add(job.metadata.uid);
    this.#noteJob(job);
  }

  wroteCronJob({ metadata }: CronJob): void {
    this.#written.set(metadata.uid, Number(metadata.resourceVersion));
  }

  madeJob(job: Job): void {
    this.#seen.add(job.metadata.uid);
    this.#learned.add(job.metadata.uid);
  }

  /** A pass without an event. `undefined` when it failed: it is not in the queue, which would repeat it. */
  async reconcileAgain(key: { readonly namespace: string; readonly name: string }): Promise<Pass | undefined> {
    const context = { log: this.#log.with(key), signal: this.#stop.signal, ...ALONE };
    try {
      const { pass } = await this.#reconcile(key, context);
      return pass;
    } catch {
      return undefined;
    } finally {
      this.#isSettled.set(keyOf(key), true);
    }
  }

  #startController(): void {
    const reconciler = {
      reconcile: (request: Request<CronJob>, context: ReconcileContext) => this.#reconcileDue(request, context),
    };
    const parts = { reconciler, clock: this.#queueClock.asClock, log: this.#log };
    startController(this.#cache, { ...parts, syncPeriodMs: this.#options.syncPeriodMs }, this.#stop.signal);
  }

  async #reconcileDue(request: Request, context: ReconcileContext): Promise<Result> {
    const { clock } = this.#options;
    this.#lastPassMs.set(keyOf(request), clock.monotonicMs());
    const { result } = await this.#reconcile(request, context);
    this.#wakeMs.set(keyOf(request), clock.monotonicMs() + (result.requeueAfterMs ?? Number.POSITIVE_INFINITY));
    return result;
  }

  async #reconcile(request: Request, context: ReconcileContext): Promise<{ pass: Pass; result: Result }> {
    const { machine, faults, network, witness } = this.#options;
    const pass = new Pass(keyOf(request), machine.now(), this);
    pass.isBackingOff = faults.isBackingOff(pass.key);
    this.#isSettled.set(pass.key, false);
    try {
      const key = request as KeyOf<CronJob>; // there are no other requests
      const crowd = { atStatusMs: network.crowdMs(pass.key), atHistoryMs: network.crowdMs(pass.key) };
      const reconcile = () => this.#reconciler.reconcile(key, inCrowd(crowd, context));
      const asked = await this.#passes.run(pass, () => countSlots(pass, reconcile));
      const result = afterCrowd(asked, crowd);
      const hasFailed = result.error !== undefined;
      if (hasFailed) faults.count('pass failed');
      const isPostponed = asked.requeue !== undefined;
      if (isPostponed) faults.count(pass.wrote ? 'history left to a later pass' : 'status postponed');
      const hasMoreToDo =
        hasFailed || isPostponed || result.retry === true || result.requeueAfterMs === 0 || pass.failedCalls > 0;
      this.#isSettled.set(pass.key, !hasMoreToDo);
      witness.passEnded(pass, { kind: 'Returned', result });
      this.excess.notePass(pass);
      return { pass, result };
    } catch (error) {
      witness.passEnded(pass, { kind: 'Threw', error });
      throw error;
    }
  }

  #stopAt(key: string, rule: string): void {
    if (!this.#isAlive) return;
    this.#options.witness.overdone(key, rule);
    this.die();
  }

  #makeReconciler(): CronJobReconciler {
    const { machine, witness } = this.#options;
    const now = () => {
      const instant = machine.now();
      this.pass.clockReads.push(instant);
      return instant;
    };
    return new CronJobReconciler({
      client: watchedClient(this.#client, {
        cronJob: (cronJob) => this.#noteView(cronJob),
        job: (job) => this.#noteJob(job),
      }),
      apiReader: this.#live,
      cache: this.#cache,
      pendingStatuses: this.pendingStatuses,
      recorder: {
        event: (_object, _type, reason, message) => {
          const { pass } = this;
          pass.events.push(reason);
          witness.eventRecorded(pass, reason);
          this.excess.noteEvent(pass, reason, message);
        },
      },
      clock: {
        now,
        monotonicMs: () => machine.monotonicMs(),
        schedule: (delayMs, wake) => machine.schedule(delayMs, wake),
      },
      metrics: { jobCreated() {}, slotsSkipped() {}, runFinished() {}, startTimedOut() {} },
    });
  }

  #noteView(cronJob: CronJob): void {
    const { pass } = this;
    const { uid } = cronJob.metadata;
    const cached = this.#cache.informerFor(jobs).store.byIndex('controller-uid', uid);
    const kept = this.pendingStatuses.get(keyOf(cronJob));
    const pending = kept?.uid === uid ? kept : undefined;
    const view = withPending(cronJob, pending);
    const named = (view.status?.active ?? []).map((reference) => reference.uid ?? '');
    const atHand = new Set([...cached.map((job) => job.metadata.uid), ...named]);
    pass.view = view;
    pass.stored = cronJob;
    pass.hadPending = pending !== undefined;
    pass.isBehindItself = Number(cronJob.metadata.resourceVersion) < (this.#written.get(uid) ?? 0);
    pass.hasSeen = (job) => this.#seen.has(job);
    pass.hasSeenEnd = (job) => this.#seenEnded.has(job);
    pass.knew = (job) => atHand.has(job) || this.#learned.has(job);
  }

  #noteJob(job: Job): void {
    this.pass.jobs.set(job.metadata.uid, job);
    this.#seen.add(job.metadata.uid);
    if (!isActive(job)) this.#seenEnded.add(job.metadata.uid);
  }
}
