/** The client of one process: each call takes its time, may fail, and may be the last thing the process does. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { Client, DeleteOptions, ListOptions, StatusUpdate } from '../../runtime/client/client.ts';
import { apiErrorOf, isRefused } from '../../runtime/client/errors.ts';
import {
  type KubernetesObject,
  keyOf,
  type NewObject,
  type ObjectKey,
  type Resource,
} from '../../runtime/client/object.ts';
import type { Clock } from '../../runtime/clock/clock.ts';
import type { Collection } from './collection.ts';
import type { Fate, Network } from './network.ts';
import type { Pass } from './pass.ts';
import type { World } from './world.ts';

/** The process that makes the calls. */
export interface Caller {
  readonly isAlive: boolean;
  /** The pass in which a call is made. */
  readonly pass: Pass;
  die(): void;
  /** The server has shown a Job. */
  sawJob(job: Job): void;
  /** The server has stored a status. */
  wroteCronJob(cronJob: CronJob): void;
  /** The server has created a Job. */
  madeJob(job: Job): void;
}

export interface ConnectionOptions {
  readonly world: World;
  readonly clock: Clock;
  readonly network: Network;
  readonly caller: Caller;
  /** Finalizers that others put on a new Job. */
  readonly finalizersOf: (job: NewObject<Job>) => readonly string[];
}

export class Connection implements Client {
  readonly #world: World;
  readonly #clock: Clock;
  readonly #network: Network;
  readonly #caller: Caller;
  readonly #finalizersOf: (job: NewObject<Job>) => readonly string[];

  constructor({ world, clock, network, caller, finalizersOf }: ConnectionOptions) {
    this.#world = world;
    this.#clock = clock;
    this.#network = network;
    this.#caller = caller;
    this.#finalizersOf = finalizersOf;
  }

  async get<T extends KubernetesObject>(resource: Resource<T>, key: ObjectKey): Promise<T | undefined> {
    const found = await this.#call(() => this.#collection(resource).get(keyOf(key)));
    if (found !== undefined && isJob(found)) this.#caller.sawJob(found);
    return found;
  }

  list<T extends KubernetesObject>(resource: Resource<T>, options: ListOptions = {}): Promise<readonly T[]> {
    const { namespace } = options;
    const isWanted = ({ metadata }: T) => namespace === undefined || metadata.namespace === namespace;
    return this.#call(() => this.#collection(resource).list().filter(isWanted));
  }

  async create<T extends KubernetesObject>(_: Resource<T>, object: NewObject<T>): Promise<T> {
    const job = object as unknown as NewObject<Job>; // nothing else is created here
    const { pass } = this.#caller;
    pass.writes++;
    pass.creates++;
    const finalizers = this.#finalizersOf(job);
    const created = await this.#call(() => this.#world.createJob(job, { kind: 'Manager', pass }, finalizers));
    this.#caller.madeJob(created);
    pass.created = created;
    return created as unknown as T;
  }

  async updateStatus<T extends KubernetesObject>(_: Resource<T>, object: StatusUpdate<T>): Promise<T> {
    const update = object as unknown as StatusUpdate<CronJob>; // nothing else has its status written here
    const { pass } = this.#caller;
    pass.writes++;
    const written = await this.#call(() => this.#world.updateStatus(update, { kind: 'Manager', pass }));
    pass.wrote = written;
    this.#caller.wroteCronJob(written);
    return written as unknown as T;
  }

  async delete<T extends KubernetesObject>(_: Resource<T>, key: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    const { pass } = this.#caller;
    pass.writes++;
    if (options.preconditions?.uid === undefined) pass.blindDeletes++;
    await this.#call(() => this.#world.deleteJob(key, options, { kind: 'Manager', pass }));
  }

  update(): Promise<never> {
    return Promise.reject(new TypeError('the simulation knows no update'));
  }

  patch(): Promise<never> {
    return Promise.reject(new TypeError('the simulation knows no patch'));
  }

  #collection<T extends KubernetesObject>({ kind }: Resource<T>): Collection<T> {
    const collection = kind === 'Job' ? this.#world.jobs : this.#world.cronJobs;
    return collection as unknown as Collection<T>; // the one that holds the resource's objects
  }

  /** Never settles once the process is dead. What it had sent by then may still arrive. */
  #call<T>(carryOut: () => T): Promise<T> {
    const caller = this.#caller;
    const { pass } = caller;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (!caller.isAlive) return promise;
    const fate = this.#network.fateOfCall();
    if (fate.kind === 'CrashBefore') caller.die();
    const answer = (deliver: () => void) => {
      if (fate.kind === 'CrashAfter') caller.die();
      this.#clock.schedule(fate.answerMs, () => {
        if (caller.isAlive) deliver();
      });
    };
    this.#clock.schedule(fate.requestMs, () => {
      if (!caller.isAlive && !fate.isCarriedOut) return;
      pass.isOrphaned = !caller.isAlive;
      try {
        const result = serve(fate, carryOut);
        answer(() => resolve(result));
      } catch (error) {
        noteFailure(pass, error);
        answer(() => reject(error));
      }
    });
    return promise;
  }
}

/** What the server does with a call that has arrived. */
function serve<T>({ kind, isCarriedOut, error }: Fate, carryOut: () => T): T {
  if (kind !== 'Failed') return carryOut();
  if (isCarriedOut) carryOut();
  throw error;
}

/** Answers that say how things stand are no failures. */
function noteFailure(pass: Pass, error: unknown): void {
  const code = apiErrorOf(error)?.code;
  if (code === 404 || code === 409) return;
  pass.failedCalls++;
  if (isRefused(error)) pass.refusedCreates++;
}

function isJob(object: KubernetesObject): object is KubernetesObject & Job {
  return object.kind === 'Job';
}
