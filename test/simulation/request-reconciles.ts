/** The controller of CronJobRuns in one process, set up by the same function as in a manager. */
import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Manager } from 'controller-runtime';
import type { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import { type SharedDependencies, setupCronJobRunsWithManager } from '../../controllers/cronjobrun-controller.ts';
import { cronJobRuns } from '../../controllers/resources.ts';
import type { Client } from '../../runtime/client/client.ts';
import type { Clock } from '../../runtime/clock/clock.ts';
import { Controller, type ControllerOptions, type SourceOptions } from '../../runtime/controller/controller.ts';
import { enqueueRequestForObject, type MapToRequests } from '../../runtime/controller/map-to-requests.ts';
import type { ReconcileContext, Reconciler, Request, Result } from '../../runtime/controller/reconcile.ts';
import type { KubernetesObject } from '../../runtime/kubernetes/object.ts';
import { formatKey, type KeyFor, type Resource } from '../../runtime/kubernetes/resource.ts';
import { NO_CROWD } from './crowd.ts';
import type { DelayedCache } from './delayed-cache.ts';
import { createErrorLogger } from './error-logger.ts';
import type { Excess } from './excess.ts';
import { ObservedReconcile } from './observed-reconcile.ts';
import type { RuleChecker } from './rule-checker.ts';
import type { Setting } from './setting.ts';
import { countSlots } from './slot-meter.ts';

export interface RequestReconcilesOptions extends SharedDependencies, Pick<Setting, 'requests'> {
  /** Identifies the process. */
  readonly process: { readonly isAlive: boolean };
  readonly reconciles: AsyncLocalStorage<ObservedReconcile>;
  readonly cache: DelayedCache;
  readonly client: Client;
  readonly apiReader: Client;
  /** The clock of the reconciles, and the clock of the queue. */
  readonly clock: Clock;
  readonly queueClock: Clock;
  readonly recordEvent: (reason: string, message: string) => void;
  readonly checker: RuleChecker;
  readonly excess: Excess;
  readonly syncPeriodMs: number;
  readonly signal: AbortSignal;
}

const SOON_MS = 10_000;

export class RequestReconciles {
  readonly #options: RequestReconcilesOptions;
  /** Whether the last reconcile of each key left no work; false during a reconcile. */
  readonly #isDone = new Map<string, boolean>();
  /** Time of the next reconcile without an event, on the clock of the queue. */
  readonly #wakeMs = new Map<string, number>();
  #reconciler: Reconciler<CronJobRun> | undefined;
  #build: ((reconciler: Reconciler<CronJobRun>) => Controller<CronJobRun>) | undefined;

  constructor(options: RequestReconcilesOptions) {
    this.#options = options;
    setupCronJobRunsWithManager(this.#createManager(), options);
  }

  start(): void {
    const reconciler = {
      reconcile: (request: Request<CronJobRun>, context: ReconcileContext) => this.#reconcile(request, context),
    };
    void this.#build?.(reconciler).start(this.#options.signal);
  }

  /** Whether it has no work for `key`, and no reconcile comes soon. */
  isIdle(key: string): boolean {
    const wakeMs = this.#wakeMs.get(key) ?? Number.POSITIVE_INFINITY;
    return this.#isDone.get(key) === true && wakeMs - this.#options.queueClock.monotonicMs() > SOON_MS;
  }

  /** Whether this is so for every CronJobRun of that CronJob. */
  areIdle(cronJobKey: string): boolean {
    const keys = [...this.#isDone.keys()];
    return keys.every((key) => this.#options.requests.getCronJobKey(key) !== cronJobKey || this.isIdle(key));
  }

  /** A reconcile without an event. `undefined` when it failed: it is not in the queue, which would repeat it. */
  async reconcileAgain(key: KeyFor<CronJobRun>): Promise<ObservedReconcile | undefined> {
    const observed = this.#createObserved(formatKey(key));
    const context = { log: this.#createLog().with({ ...key }), signal: this.#options.signal, ...NO_CROWD };
    try {
      await this.#run(observed, key, context);
      return observed;
    } catch {
      return undefined;
    } finally {
      this.#isDone.set(formatKey(key), true);
    }
  }

  async #reconcile(key: KeyFor<CronJobRun>, context: ReconcileContext): Promise<Result> {
    return await this.#run(this.#createObserved(formatKey(key)), key, context);
  }

  #createObserved(requestKey: string): ObservedReconcile {
    const { requests, queueClock, process, cache } = this.#options;
    const observed = new ObservedReconcile(requests.getCronJobKey(requestKey), queueClock.now(), process);
    observed.requestKey = requestKey;
    observed.readCachedRequest = () => cache.informerFor(cronJobRuns).store.get(requestKey);
    return observed;
  }

  async #run(observed: ObservedReconcile, key: KeyFor<CronJobRun>, context: ReconcileContext): Promise<Result> {
    const { reconciles, checker, excess, queueClock } = this.#options;
    this.#isDone.set(observed.objectKey, false);
    const reconcile = async () => (await this.#reconciler?.reconcile(key, context)) ?? {};
    try {
      const result = await reconciles.run(observed, () => countSlots(observed, reconcile));
      const hasMoreToDo = result.retry === true || result.requeue !== undefined || observed.failedCalls > 0;
      this.#isDone.set(observed.objectKey, !hasMoreToDo);
      const { requeueAfterMs = Number.POSITIVE_INFINITY } = result;
      this.#wakeMs.set(observed.objectKey, queueClock.monotonicMs() + requeueAfterMs);
      checker.recordReconcile(observed, { kind: 'Returned', result });
      excess.noteReconcile(observed);
      return result;
    } catch (error) {
      checker.recordReconcile(observed, { kind: 'Threw', error });
      throw error;
    }
  }

  /** The parts of a manager that the setup uses. */
  #createManager(): Manager {
    const { cache, client, apiReader, clock, recordEvent } = this.#options;
    const manager = {
      cache: {
        configure() {},
        indexField: (
          resource: Resource,
          ...index: Parameters<ReturnType<Manager['cache']['informerFor']>['addIndex']>
        ) => cache.informerFor(resource).addIndex(...index),
        informerFor: <T extends KubernetesObject>(resource: Resource<T>) => cache.informerFor(resource),
      },
      client,
      apiReader,
      clock,
      controller: (name: string) => this.#createBuilder(name),
      recorderFor: () => ({
        event: (_: unknown, __: unknown, reason: string, text: string) => recordEvent(reason, text),
      }),
      metrics: { registry: { counter: () => ({ add() {} }) } },
    };
    return manager as unknown as Manager; // the parts that the setup uses
  }

  #createBuilder(name: string) {
    const { cache, queueClock, syncPeriodMs } = this.#options;
    const sources: ((controller: Controller<CronJobRun>) => void)[] = [];
    let limits: Pick<ControllerOptions, 'maxConcurrentReconciles' | 'rateLimits'> = {};
    this.#build = (reconciler) => {
      const parts = { reconciler, clock: queueClock, log: this.#createLog() };
      const controller = new Controller<CronJobRun>({
        ...parts,
        ...limits,
        name,
        abortSignal: new AbortController().signal,
      });
      for (const addSource of sources) addSource(controller);
      return controller;
    };
    const watch = <U extends KubernetesObject>(
      resource: Resource<U>,
      toRequests: MapToRequests<U, CronJobRun>,
      options?: SourceOptions<U>,
    ) => {
      sources.push((controller) => controller.watch(cache.informerFor(resource), toRequests, options));
      return builder;
    };
    const builder = {
      for: (resource: Resource<CronJobRun>, options: SourceOptions<CronJobRun>) => {
        sources.push((controller) => controller.resync(cache.informerFor(resource), syncPeriodMs));
        return watch(resource, enqueueRequestForObject, options);
      },
      watches: watch,
      withOptions: (options: typeof limits) => {
        limits = options;
        return builder;
      },
      complete: (reconciler: Reconciler<CronJobRun>) => {
        this.#reconciler = reconciler;
      },
    };
    return builder;
  }

  #createLog() {
    const { checker, requests, process } = this.#options;
    return createErrorLogger((message, error, { namespace, name }) => {
      if (process.isAlive) checker.recordError(requests.getCronJobKey(`${namespace}/${name}`), message, error);
    });
  }
}
