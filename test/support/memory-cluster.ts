/** The controller of CronJobs on an API server in memory, whose calls fail as a test sets. One clock; every event arrives at once. */
import {
  formatKey,
  type LiveClient,
  type NewObject,
  type Resource,
  type StatusUpdate,
  sleep,
} from 'controller-runtime';
import { CachedClient } from 'controller-runtime/internal';
import { FakeClock, RecordingLogger } from 'controller-runtime/testing';
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob, CronJobSpec, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import { CronJobReconciler } from '../../controllers/cronjob-controller.ts';
import { jobs } from '../../controllers/resources.ts';
import { NORMAL_CONDITIONS, SimulatedNetwork } from '../simulation/network.ts';
import { createCache, startController } from '../simulation/process-parts.ts';
import { Random } from '../simulation/random.ts';
import { RequestStorage } from '../simulation/request-storage.ts';
import { apiTime, SimulatedCluster } from '../simulation/simulated-cluster.ts';
import { cronJob } from './cron-jobs.ts';

/** A call to the API server. */
export interface ClientCall {
  readonly verb: 'get' | 'create' | 'updateStatus' | 'delete';
  readonly kind: string;
  readonly name: string;
  readonly at: Date;
}

const MINUTE_MS = 60_000;

export class MemoryCluster implements AsyncDisposable {
  readonly clock = new FakeClock('2026-01-01T00:00:00Z');
  readonly world = new SimulatedCluster(this.clock);
  readonly log = new RecordingLogger();
  readonly calls: ClientCall[] = [];
  readonly events: string[] = [];
  /** Names of the Jobs that a client created. */
  readonly created: string[] = [];
  /** Called for each call before its execution; an error from it is the response. */
  fault: (call: ClientCall) => void = () => {};
  /** Whether the call gets no response. */
  hang: (call: ClientCall) => boolean = () => false;
  /** The stored fields of a status. */
  prune: (status: CronJobStatus) => CronJobStatus = (status) => status;
  readonly #stop = new AbortController();

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.clock.advance(0);
  }

  /** Starts the controller. @param syncPeriodMs Default: no resync within a test. */
  async start(syncPeriodMs = 1e9): Promise<void> {
    const { clock, world, log } = this;
    const network = new SimulatedNetwork(new Random(1), () => clock.monotonicMs());
    network.conditions = { ...NORMAL_CONDITIONS, crash: 0, slow: 0, late: 0 };
    const source = { clock, network, isAlive: () => !this.#stop.signal.aborted };
    const cache = createCache({ world, requests: new RequestStorage(clock) }, source);
    const live = this.#client();
    const reconciler = new CronJobReconciler({
      client: new CachedClient(cache.asCache, live),
      apiReader: live,
      cache: cache.asCache,
      recorder: { event: (_, __, reason, message) => void this.events.push(`${reason}: ${message}`) },
      clock,
      metrics: { recordCreatedJob() {}, recordSkippedSlots() {}, recordFinishedRun() {}, recordStartTimeout() {} },
    });
    startController(cache, { reconciler, clock, log, syncPeriodMs }, this.#stop.signal);
    await clock.advance(1000);
  }

  create(name: string, spec: Partial<CronJobSpec> = {}, namespace = 'default'): CronJob {
    return this.world.createCronJob({ namespace, name }, cronJob({ schedule: '* * * * *', ...spec }).spec, {});
  }

  /** Lets minutes pass. Every existing Job completes in the middle of each. */
  async passMinutes(count: number): Promise<void> {
    for (let minute = 0; minute < count; minute++) {
      await this.clock.advance(MINUTE_MS / 2);
      this.finishAll();
      await this.clock.advance(MINUTE_MS / 2);
    }
  }

  /** Completes every existing Job. */
  finishAll(): void {
    for (const { metadata } of this.world.jobs.list()) this.#complete(metadata.uid);
  }

  listCalls(verb: ClientCall['verb']): readonly ClientCall[] {
    return this.calls.filter((call) => call.verb === verb);
  }

  #complete(uid: string): void {
    const time = apiTime(this.clock.now());
    this.world.changeJob(uid, (job) => {
      if (job.status?.conditions !== undefined) return job;
      const conditions = [{ type: 'Complete', status: 'True', lastTransitionTime: time }];
      return { ...job, status: { startTime: job.metadata.creationTimestamp, completionTime: time, conditions } };
    });
  }

  #client(): LiveClient {
    const { world } = this;
    const by = { kind: 'JobController' } as const; // the world only distinguishes users from controllers
    const unused = () => Promise.reject(new TypeError('not used here'));
    return {
      get: async <T>(resource: Resource, key: { namespace?: string; name: string }, options?: CallOptions) => {
        await this.#send('get', { kind: resource.kind, name: key.name }, options);
        const found = resource.kind === jobs.kind ? world.jobs.get(formatKey(key)) : world.cronJobs.get(formatKey(key));
        return found as T | undefined;
      },
      list: unused,
      create: async <T>(resource: Resource, object: NewObject<Job>, options?: CallOptions) => {
        await this.#send('create', { kind: resource.kind, name: object.metadata.name }, options);
        const job = world.createJob(object, by);
        this.created.push(job.metadata.name);
        return job as T;
      },
      updateStatus: async <T>(resource: Resource, update: StatusUpdate<CronJob>, options?: CallOptions) => {
        await this.#send('updateStatus', { kind: resource.kind, name: update.metadata.name }, options);
        return world.updateStatus({ ...update, status: this.prune(update.status) }, by) as T;
      },
      requestDeletion: async (resource: Resource, key: { name: string }, options: CallOptions) => {
        await this.#send('delete', { kind: resource.kind, name: key.name }, options);
        const { uid, pending } = world.deleteJob(key, options, by);
        return pending === undefined ? { kind: 'Gone', uid } : { kind: 'Pending', object: pending };
      },
      update: unused,
      patch: unused,
    } as unknown as LiveClient; // each method handles the two existing kinds
  }

  async #send(
    verb: ClientCall['verb'],
    target: Pick<ClientCall, 'kind' | 'name'>,
    options: CallOptions = {},
  ): Promise<void> {
    const call = { verb, ...target, at: this.clock.now() };
    this.calls.push(call);
    if (this.hang(call)) {
      await sleep(this.clock, options.timeoutMs ?? REQUEST_TIMEOUT_MS, options.signal ?? this.#stop.signal);
      throw new Error('no answer');
    }
    this.fault(call);
  }
}

/** Like the transport. */
const REQUEST_TIMEOUT_MS = 65_000;

interface CallOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}
