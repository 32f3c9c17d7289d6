/** The client of one process: the API server's handling of each call. calls.ts simulates the transport of a call. */
import type { Job, NewJob } from '../../api/kubernetes.ts';
import type { CronJob, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import { cronJobRuns } from '../../controllers/resources.ts';
import type {
  Client,
  DeleteOptions,
  LiveListOptions,
  ReadOptions,
  StatusUpdate,
  WriteOptions,
} from '../../runtime/client/client.ts';
import type { DeletionResult } from '../../runtime/client/parse-deletion.ts';
import type { Patch } from '../../runtime/client/patch.ts';
import type { Pod } from '../../runtime/kubernetes/core.ts';
import type { KubernetesObject, ObjectToCreate } from '../../runtime/kubernetes/object.ts';
import { formatKey, type ObjectKey, type Resource } from '../../runtime/kubernetes/resource.ts';
import { CallSender, type CallSenderOptions } from './call-sender.ts';
import type { Caller } from './caller.ts';
import type { ObjectCollection } from './collection.ts';
import type { CallVerb } from './faults.ts';
import type { ObservedReconcile } from './observed-reconcile.ts';
import { parseJobUid } from './pods.ts';
import type { RequestStorage } from './request-storage.ts';
import type { JobPatch, SimulatedCluster } from './simulated-cluster.ts';
import { stripNullFields } from './strip-null-fields.ts';

export interface ConnectionOptions extends CallSenderOptions {
  readonly world: SimulatedCluster;
  readonly requests: RequestStorage;
  /** Finalizers that other controllers put on a new Job. */
  readonly drawFinalizers: (job: NewJob) => readonly string[];
}

export class SimulatedConnection implements Client {
  readonly #options: ConnectionOptions;
  readonly #world: SimulatedCluster;
  readonly #caller: Caller;
  readonly #calls: CallSender;

  // The controllers do not call these functions.
  readonly deleteAllOf = rejectUnsimulatedCall;
  readonly getSubresource = rejectUnsimulatedCall;
  readonly createSubresource = rejectUnsimulatedCall;
  readonly updateSubresource = rejectUnsimulatedCall;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#world = options.world;
    this.#caller = options.caller;
    this.#calls = new CallSender(options);
  }

  async get<T extends KubernetesObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options?: ReadOptions,
  ): Promise<T | undefined> {
    const { observed } = this.#caller;
    const execute = () => {
      this.#refuse('get', observed);
      return this.#collection(resource).get(formatKey(key));
    };
    const object = await this.#calls.send({ verb: 'get', observed, execute }, options).catch((error: unknown) => {
      observed.unreadNames.add(key.name);
      throw error;
    });
    if (object !== undefined && isJob(object)) this.#caller.onJobRead(object);
    return object && stripNullFields(object);
  }

  async list<T extends KubernetesObject>(
    resource: Resource<T>,
    options: LiveListOptions & ReadOptions = {},
  ): Promise<readonly T[]> {
    const { observed } = this.#caller;
    if (resource.kind === 'Pod') return (await this.#pods(options)) as unknown as readonly T[];
    const { namespace } = options;
    const isWanted = ({ metadata }: T) => namespace === undefined || metadata.namespace === namespace;
    const execute = () => {
      this.#refuse('list', observed);
      return this.#collection(resource).list().filter(isWanted);
    };
    const objects = await this.#calls.send({ verb: 'list', observed, execute }, options);
    return objects.map(stripNullFields);
  }

  async create<T extends KubernetesObject>(
    _: Resource<T>,
    object: ObjectToCreate<T, unknown>,
    options?: WriteOptions,
  ): Promise<T> {
    const job = object as unknown as NewJob; // only Jobs are created here
    const { observed } = this.#caller;
    observed.writes++;
    observed.creates++;
    observed.requestAtCreate = observed.readCachedRequest();
    const finalizers = this.#options.drawFinalizers(job);
    const execute = () => {
      if (this.#world.jobs.get(formatKey(job.metadata)) === undefined) this.#refuse('create', observed);
      return this.#world.createJob(job, { kind: 'Manager', observed }, finalizers);
    };
    const refusedBefore = observed.refusedCreates;
    const created = await this.#calls.send({ verb: 'create', observed, execute }, options).finally(() => {
      if (observed.refusedCreates > refusedBefore) this.#caller.excess.noteRefusedCreate(observed);
    });
    this.#caller.onJobCreated(created);
    observed.created = created;
    return stripNullFields(created as unknown as T);
  }

  async updateStatus<T extends KubernetesObject>(
    { kind }: Resource<T>,
    object: StatusUpdate<T>,
    options?: WriteOptions,
  ): Promise<T> {
    if (kind === cronJobRuns.kind)
      return (await this.#updateRequestStatus(object as unknown as StatusUpdate<CronJobRun>, options)) as unknown as T;
    const { metadata, status } = object as unknown as StatusUpdate<CronJob>; // no other status is written here
    const { observed } = this.#caller;
    observed.writes++;
    this.#caller.excess.noteStatusWrite(observed);
    const execute = () => {
      const isThere = this.#world.cronJobs.get(formatKey(metadata)) !== undefined;
      if (isThere) this.#refuse('updateStatus', observed);
      if (isThere && this.#options.faults.hasWriteConflict(observed)) this.#world.touchCronJob(observed.key);
      else this.#options.faults.count('status write of a CronJob that is gone');
      // JSON does not have undefined, and the API server stores the JSON.
      const sentStatus: CronJobStatus = JSON.parse(JSON.stringify(status));
      const stored = this.#options.faults.pruneStatus(observed.key, sentStatus);
      observed.sentStatus = { status: sentStatus, pruned: stored.pruned };
      return this.#world.updateStatus({ metadata, status: stored.status }, { kind: 'Manager', observed });
    };
    const written = await this.#calls.send({ verb: 'updateStatus', observed, execute }, options);
    observed.writtenCronJob = written;
    this.#caller.onStatusWritten(written);
    return stripNullFields(written as unknown as T);
  }

  async #updateRequestStatus(update: StatusUpdate<CronJobRun>, options?: WriteOptions): Promise<CronJobRun> {
    const { faults, requests } = this.#options;
    const { observed } = this.#caller;
    observed.writes++;
    this.#caller.excess.noteStatusWrite(observed);
    const execute = () => {
      const key = formatKey(update.metadata);
      const isThere = requests.objects.get(key) !== undefined;
      if (isThere) this.#refuse('updateRequestStatus', observed);
      if (isThere && faults.hasWriteConflict(observed)) {
        requests.touch(key);
        faults.count('status conflict of a request');
      }
      return requests.updateStatus(update, { kind: 'Manager', observed });
    };
    return stripNullFields(await this.#calls.send({ verb: 'updateRequestStatus', observed, execute }, options));
  }

  async delete<T extends KubernetesObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options?: DeleteOptions,
  ): Promise<void> {
    await this.requestDeletion(resource, key, options);
  }

  async requestDeletion<T extends KubernetesObject>(
    { kind }: Resource<T>,
    key: ObjectKey,
    options: DeleteOptions = {},
  ): Promise<DeletionResult<T>> {
    const { observed } = this.#caller;
    observed.writes++;
    if (options.preconditions?.uid === undefined) observed.deletesWithoutUid++;
    if (kind === cronJobRuns.kind) {
      const executeDeletion = () => this.#options.requests.delete(key, options, { kind: 'Manager', observed });
      return {
        kind: 'Gone',
        uid: await this.#calls.send({ verb: 'deleteRequest', observed, execute: executeDeletion }, options),
      };
    }
    const execute = () => {
      const isThere = this.#world.jobs.get(formatKey(key)) !== undefined;
      if (isThere && this.#options.faults.deniedDeletes.get(observed.key))
        this.#caller.excess.noteDeniedDelete(observed);
      if (isThere) this.#refuse('delete', observed);
      return this.#world.deleteJob(key, options, { kind: 'Manager', observed });
    };
    const { uid, pending } = await this.#calls.send({ verb: 'delete', observed, execute }, options);
    if (pending === undefined) return { kind: 'Gone', uid };
    return { kind: 'Pending', object: stripNullFields(pending as unknown as T) };
  }

  update(): Promise<never> {
    return Promise.reject(new TypeError('the simulation does not support update'));
  }

  async patch<T extends KubernetesObject>(
    _: Resource<T>,
    key: ObjectKey,
    { body }: Patch<T>,
    options?: WriteOptions,
  ): Promise<T> {
    const { observed } = this.#caller;
    const { faults } = this.#options;
    observed.writes++;
    const change = body as unknown as JobPatch; // only Jobs are patched here
    const execute = () => {
      this.#refuse('patch', observed);
      const { resourceVersion } = this.#world.jobs.get(formatKey(key))?.metadata ?? {};
      if (resourceVersion !== change.metadata.resourceVersion) faults.count('patch of a Job that has changed');
      return this.#world.patchJob(key, change, { kind: 'Manager', observed });
    };
    const patched = await this.#calls.send({ verb: 'patch', observed, execute }, options);
    this.#caller.excess.noteChecked(patched);
    return stripNullFields(patched as unknown as T);
  }

  /** The Pods of one Job. */
  async #pods({ labelSelector, ...options }: LiveListOptions & ReadOptions): Promise<readonly Pod[]> {
    const { observed } = this.#caller;
    const job = this.#world.jobs.getByUid(parseJobUid(labelSelector) ?? '');
    const knownJob = observed.jobs.get(parseJobUid(labelSelector) ?? '');
    if (knownJob !== undefined) this.#caller.excess.notePodList(observed, knownJob);
    const execute = () => {
      this.#refuse('listPods', observed);
      if (job !== undefined) observed.podChecks.set(job.metadata.uid, this.#world.pods.hasStarted(job.metadata.uid));
      return job === undefined ? [] : this.#world.pods.list(job);
    };
    const pods = await this.#calls.send({ verb: 'listPods', observed, execute }, options);
    if (knownJob !== undefined && observed.podChecks.get(knownJob.metadata.uid) === true)
      this.#caller.excess.noteChecked(knownJob);
    return pods;
  }

  apply(): Promise<never> {
    return Promise.reject(new TypeError('the simulation does not support apply'));
  }

  #collection<T extends KubernetesObject>({ kind }: Resource<T>): ObjectCollection<T> {
    const { jobs, cronJobs } = this.#world;
    const collection = kind === 'Job' ? jobs : kind === cronJobRuns.kind ? this.#options.requests.objects : cronJobs;
    return collection as unknown as ObjectCollection<T>; // the collection of the resource's objects
  }

  #refuse(verb: CallVerb, { key }: ObservedReconcile): void {
    const refusal = this.#options.faults.findRefusal(verb, key);
    if (refusal !== undefined) throw refusal;
  }
}

function isJob(object: KubernetesObject): object is KubernetesObject & Job {
  return object.kind === 'Job';
}

async function rejectUnsimulatedCall(): Promise<never> {
  throw new Error('the simulated API server does not support this call');
}
