/** The client of one process: each call takes its time, may fail, and may be the last thing the process does. */
import type { Job, NewJob } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import type {
  Client,
  DeleteOptions,
  LiveListOptions,
  ReadOptions,
  StatusUpdate,
  WriteOptions,
} from '../../runtime/client/client.ts';
import type { Deletion } from '../../runtime/client/deletion.ts';
import { apiErrorOf, isRefused } from '../../runtime/client/errors.ts';
import type { Patch } from '../../runtime/client/patch.ts';
import type { Cancel, Clock } from '../../runtime/clock/clock.ts';
import type { Pod } from '../../runtime/kubernetes/core.ts';
import type { KubernetesObject, ObjectToCreate } from '../../runtime/kubernetes/object.ts';
import { keyOf, type ObjectKey, type Resource } from '../../runtime/kubernetes/resource.ts';
import type { Caller } from './caller.ts';
import type { Collection } from './collection.ts';
import { namespaceOf } from './facts.ts';
import type { Faults, Verb } from './faults.ts';
import type { Lane } from './lane.ts';
import type { Machine } from './machine.ts';
import { type Fate, type Network, TimeoutError } from './network.ts';
import type { Pass } from './pass.ts';
import { jobUidIn } from './pods.ts';
import { asReceived } from './received.ts';
import type { JobPatch, World } from './world.ts';

export interface ConnectionOptions {
  readonly world: World;
  readonly clock: Clock;
  readonly machine: Machine;
  readonly network: Network;
  readonly faults: Faults;
  readonly lane: Lane;
  readonly caller: Caller;
  /** Finalizers that others put on a new Job. */
  readonly finalizersOf: (job: NewJob) => readonly string[];
}

interface Call<T> {
  readonly verb: Verb;
  readonly pass: Pass;
  /** What the server does. */
  readonly carryOut: () => T;
}

export class Connection implements Client {
  readonly #options: ConnectionOptions;
  readonly #world: World;
  readonly #clock: Clock;
  readonly #caller: Caller;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#world = options.world;
    this.#clock = options.clock;
    this.#caller = options.caller;
  }

  async get<T extends KubernetesObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options?: ReadOptions,
  ): Promise<T | undefined> {
    const { pass } = this.#caller;
    const carryOut = () => {
      this.#refuse('get', pass);
      return this.#collection(resource).get(keyOf(key));
    };
    const found = await this.#call({ verb: 'get', pass, carryOut }, options);
    if (found !== undefined && isJob(found)) this.#caller.sawJob(found);
    return found && asReceived(found);
  }

  async list<T extends KubernetesObject>(
    resource: Resource<T>,
    options: LiveListOptions & ReadOptions = {},
  ): Promise<readonly T[]> {
    const { pass } = this.#caller;
    if (resource.kind === 'Pod') return (await this.#pods(options)) as unknown as readonly T[];
    const { namespace } = options;
    const isWanted = ({ metadata }: T) => namespace === undefined || metadata.namespace === namespace;
    const carryOut = () => {
      this.#refuse('list', pass);
      return this.#collection(resource).list().filter(isWanted);
    };
    const found = await this.#call({ verb: 'list', pass, carryOut }, options);
    return found.map(asReceived);
  }

  async create<T extends KubernetesObject>(
    _: Resource<T>,
    object: ObjectToCreate<T, unknown>,
    options?: WriteOptions,
  ): Promise<T> {
    const job = object as unknown as NewJob; // nothing else is created here
    const { pass } = this.#caller;
    pass.writes++;
    pass.creates++;
    const finalizers = this.#options.finalizersOf(job);
    const carryOut = () => {
      if (this.#world.jobs.get(keyOf(job.metadata)) === undefined) this.#refuse('create', pass);
      return this.#world.createJob(job, { kind: 'Manager', pass }, finalizers);
    };
    const refusedBefore = pass.refusedCreates;
    const created = await this.#call({ verb: 'create', pass, carryOut }, options).finally(() => {
      if (pass.refusedCreates > refusedBefore) this.#caller.excess.noteRefusedCreate(pass);
    });
    this.#caller.madeJob(created);
    pass.created = created;
    return asReceived(created as unknown as T);
  }

  async updateStatus<T extends KubernetesObject>(
    _: Resource<T>,
    object: StatusUpdate<T>,
    options?: WriteOptions,
  ): Promise<T> {
    const { metadata, status } = object as unknown as StatusUpdate<CronJob>; // nothing else has its status written here
    const { pass } = this.#caller;
    pass.writes++;
    this.#caller.excess.noteStatusWrite(pass);
    const carryOut = () => {
      const isThere = this.#world.cronJobs.get(keyOf(metadata)) !== undefined;
      if (isThere && this.#options.faults.isOvertaken(pass.key)) this.#world.touchCronJob(pass.key);
      if (isThere) this.#refuse('updateStatus', pass);
      else this.#options.faults.count('status write of a CronJob that is gone');
      // JSON knows no undefined, and the API server stores what the JSON says.
      const sent: CronJobStatus = JSON.parse(JSON.stringify(status));
      const stored = this.#options.faults.stored(pass.key, sent);
      pass.sent = { status: sent, pruned: stored.pruned };
      return this.#world.updateStatus({ metadata, status: stored.status }, { kind: 'Manager', pass });
    };
    const written = await this.#call({ verb: 'updateStatus', pass, carryOut }, options);
    pass.wrote = written;
    this.#caller.wroteCronJob(written);
    return asReceived(written as unknown as T);
  }

  async delete<T extends KubernetesObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options?: DeleteOptions,
  ): Promise<void> {
    await this.requestDeletion(resource, key, options);
  }

  async requestDeletion<T extends KubernetesObject>(
    _: Resource<T>,
    key: ObjectKey,
    options: DeleteOptions = {},
  ): Promise<Deletion<T>> {
    const { pass } = this.#caller;
    pass.writes++;
    if (options.preconditions?.uid === undefined) pass.blindDeletes++;
    const carryOut = () => {
      const isThere = this.#world.jobs.get(keyOf(key)) !== undefined;
      if (isThere && this.#options.faults.deniedDeletes.of(pass.key)) this.#caller.excess.noteDeniedDelete(pass);
      if (isThere) this.#refuse('delete', pass);
      return this.#world.deleteJob(key, options, { kind: 'Manager', pass });
    };
    const { uid, pending } = await this.#call({ verb: 'delete', pass, carryOut }, options);
    if (pending === undefined) return { kind: 'Gone', uid };
    return { kind: 'Pending', object: asReceived(pending as unknown as T) };
  }

  update(): Promise<never> {
    return Promise.reject(new TypeError('the simulation knows no update'));
  }

  async patch<T extends KubernetesObject>(
    _: Resource<T>,
    key: ObjectKey,
    { body }: Patch<T>,
    options?: WriteOptions,
  ): Promise<T> {
    const { pass } = this.#caller;
    const { faults } = this.#options;
    pass.writes++;
    const change = body as unknown as JobPatch; // nothing else is patched here
    const carryOut = () => {
      this.#refuse('patch', pass);
      const { resourceVersion } = this.#world.jobs.get(keyOf(key))?.metadata ?? {};
      if (resourceVersion !== change.metadata.resourceVersion) faults.count('patch of a Job that has changed');
      return this.#world.patchJob(key, change, { kind: 'Manager', pass });
    };
    const patched = await this.#call({ verb: 'patch', pass, carryOut }, options);
    this.#caller.excess.noteJudged(patched);
    return asReceived(patched as unknown as T);
  }

  /** Of one Job. */
  async #pods({ labelSelector, ...options }: LiveListOptions & ReadOptions): Promise<readonly Pod[]> {
    const { pass } = this.#caller;
    const job = this.#world.jobs.byUid(jobUidIn(labelSelector) ?? '');
    const known = pass.jobs.get(jobUidIn(labelSelector) ?? '');
    if (known !== undefined) this.#caller.excess.notePodLook(pass, known);
    const carryOut = () => {
      this.#refuse('listPods', pass);
      if (job !== undefined) pass.podLooks.set(job.metadata.uid, this.#world.pods.hasStarted(job.metadata.uid));
      return job === undefined ? [] : this.#world.pods.of(job);
    };
    const found = await this.#call({ verb: 'listPods', pass, carryOut }, options);
    if (known !== undefined && pass.podLooks.get(known.metadata.uid) === true) this.#caller.excess.noteJudged(known);
    return found;
  }

  apply(): Promise<never> {
    return Promise.reject(new TypeError('the simulation knows no apply'));
  }

  #collection<T extends KubernetesObject>({ kind }: Resource<T>): Collection<T> {
    const collection = kind === 'Job' ? this.#world.jobs : this.#world.cronJobs;
    return collection as unknown as Collection<T>; // the one that holds the resource's objects
  }

  #refuse(verb: Verb, { key }: Pass): void {
    const refusal = this.#options.faults.refusalOf(verb, key);
    if (refusal !== undefined) throw refusal;
  }

  /** Never settles once the process is dead. What it had sent by then may still arrive. */
  #call<T>(call: Call<T>, { priority, signal, timeoutMs }: WriteOptions = {}): Promise<T> {
    const send = () => {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      if (!this.#caller.isAlive) return promise;
      const cancel = this.#limit(call, timeoutMs, reject);
      this.#send(call, { resolve, reject });
      return promise.finally(cancel);
    };
    return this.#options.lane.run({ priority, namespace: namespaceOf(call.pass.key), signal }, send);
  }

  /** As HttpTransport does: an answer that takes longer is nobody's. */
  #limit(call: Call<unknown>, timeoutMs: number | undefined, reject: (error: Error) => void): Cancel {
    if (timeoutMs === undefined) return () => {};
    return this.#options.machine.schedule(timeoutMs, () => {
      if (!this.#caller.isAlive) return;
      const error = new TimeoutError(`no answer within ${timeoutMs} ms`);
      noteFailure(call, error);
      this.#options.faults.noteFailure(call.verb, call.pass.key);
      reject(error);
    });
  }

  #send<T>(call: Call<T>, { resolve, reject }: Pick<PromiseWithResolvers<T>, 'resolve' | 'reject'>): void {
    const caller = this.#caller;
    const { machine, network, faults } = this.#options;
    const { verb, pass } = call;
    const deliver = (answerMs: number, answer: () => void) =>
      this.#clock.schedule(answerMs, () =>
        machine.receive(() => {
          if (caller.isAlive) answer();
        }),
      );
    const fail = (error: unknown) => {
      if (isFailure(error)) faults.noteFailure(verb, pass.key);
      reject(error);
    };
    const hang = faults.hangOf(verb, pass.key);
    if (hang !== undefined) {
      noteFailure(call, hang.error);
      deliver(hang.forMs, () => fail(hang.error));
      return;
    }
    const fate = network.fateOfCall(pass.key);
    if (fate.kind === 'CrashBefore') caller.die();
    const answer = (settle: () => void) => {
      if (fate.kind === 'CrashAfter') caller.die();
      deliver(fate.answerMs, () => {
        if (fate.isTrouble) network.noteTrouble();
        settle();
      });
    };
    this.#clock.schedule(fate.requestMs, () => {
      if (!caller.isAlive && !fate.isCarriedOut) return;
      pass.isOrphaned = !caller.isAlive || caller.isSuperseded;
      try {
        const result = serve(fate, call.carryOut);
        answer(() => resolve(result));
      } catch (error) {
        noteFailure(call, error);
        answer(() => fail(error));
      }
    });
  }
}

/** What the server does with a call that has arrived. */
function serve<T>({ kind, isCarriedOut, error }: Fate, carryOut: () => T): T {
  if (kind !== 'Failed') return carryOut();
  if (isCarriedOut) carryOut();
  throw error;
}

/** Answers that say how things stand are no failures. */
function isFailure(error: unknown): boolean {
  const code = apiErrorOf(error)?.code;
  return code !== 404 && code !== 409;
}

function noteFailure({ verb, pass }: Pick<Call<unknown>, 'verb' | 'pass'>, error: unknown): void {
  if (!isFailure(error)) return;
  pass.failedCalls++;
  if (verb === 'create' && isRefused(error)) pass.refusedCreates++;
}

function isJob(object: KubernetesObject): object is KubernetesObject & Job {
  return object.kind === 'Job';
}
