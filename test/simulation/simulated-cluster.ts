/** An API server in memory, for CronJobs and Jobs: its storage, its validation, and its watches. */
import { isDeepStrictEqual } from 'node:util';
import type { Job, ManagedFields } from '../../api/kubernetes.ts';
import type { CronJob, CronJobSpec, CronJobStatus } from '../../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import { API_VERSION, KIND } from '../../api/v1/groupversion.ts';
import type { DeleteOptions, StatusUpdate } from '../../runtime/client/client.ts';
import { ApiError } from '../../runtime/client/errors.ts';
import type { Clock } from '../../runtime/clock/clock.ts';
import type { NewObject } from '../../runtime/kubernetes/object.ts';
import { formatKey, type ObjectKey } from '../../runtime/kubernetes/resource.ts';
import { ObjectCollection } from './collection.ts';
import type { Actor } from './observed-reconcile.ts';
import { Pods } from './pods.ts';

/** Present on a Job while the garbage collector waits for its pods. */
const FOREGROUND_FINALIZER = 'foregroundDeletion';
/** The finalizer of another controller. */
export const FOREIGN_FINALIZER = 'example.com/billing';

/** Times in the API's format. */
export function apiTime(instant: Date): string {
  return `${instant.toISOString().slice(0, 19)}Z`;
}

/** UID of the CronJob that controls `job`. */
export function ownerUid(job: Job): string | undefined {
  const owner = job.metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner?.kind === KIND && owner.apiVersion === API_VERSION ? owner.uid : undefined;
}

export class SimulatedCluster {
  readonly cronJobs = new ObjectCollection<CronJob>();
  readonly jobs = new ObjectCollection<Job>((job) => ownerUid(job));
  readonly pods = new Pods();
  readonly #clock: Clock;
  #lastVersion = 1000;
  #lastUid = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  createCronJob(key: Required<ObjectKey>, spec: CronJobSpec, annotations: Readonly<Record<string, string>>): CronJob {
    const time = apiTime(this.#clock.now());
    const metadata = { ...key, ...this.#identity(), annotations, generation: 1 };
    const managedFields = [createManagedFields('helm', time, [...specFields(spec), ...annotationFields(annotations)])];
    const created: CronJob = { apiVersion: API_VERSION, kind: KIND, metadata: { ...metadata, managedFields }, spec };
    return this.cronJobs.put(created, { kind: 'Person' });
  }

  /** A change of a CronJob by a user. `manager` is the user's program. */
  editCronJob(key: string, manager: string, change: (cronJob: CronJob) => Pick<CronJob, 'spec' | 'metadata'>): void {
    const old = this.cronJobs.get(key);
    if (old === undefined) return;
    const { spec, metadata } = change(old);
    const changed = changedFields(old.spec, spec);
    const annotated = annotationFields(metadata.annotations, old.metadata.annotations);
    const next: CronJob = {
      ...old,
      spec,
      metadata: {
        ...metadata,
        resourceVersion: this.#nextVersion(),
        generation: (metadata.generation ?? 0) + (changed.length > 0 ? 1 : 0),
        managedFields: takeOver(metadata.managedFields ?? [], manager, {
          fields: [...changed.filter((field) => specFields(spec).includes(field)), ...annotated],
          removed: changed.filter((field) => !specFields(spec).includes(field)),
          time: apiTime(this.#clock.now()),
        }),
      },
    };
    this.cronJobs.put(next, { kind: 'Person' });
  }

  /** Another controller writes to the CronJob. */
  touchCronJob(key: string): void {
    this.editCronJob(key, 'another-controller', ({ spec, metadata }) => ({
      spec,
      metadata: { ...metadata, annotations: { ...metadata.annotations, 'example.com/seen': this.#nextVersion() } },
    }));
  }

  /** A finalizer of another controller keeps the CronJob. */
  markCronJobDeleted(key: string): void {
    const old = this.cronJobs.get(key);
    if (old === undefined || old.metadata.deletionTimestamp !== undefined) return;
    const metadata = withDeletion(old.metadata, { now: this.#clock.now(), resourceVersion: this.#nextVersion() });
    this.cronJobs.put({ ...old, metadata }, { kind: 'Person' });
  }

  /** Removes the CronJob at once; the garbage collector removes its Jobs. */
  deleteCronJob(key: string): void {
    this.cronJobs.remove(key, { kind: 'Person' });
  }

  updateStatus({ metadata, status }: StatusUpdate<CronJob>, by: Actor): CronJob {
    const stored = this.cronJobs.get(formatKey(metadata));
    if (stored === undefined) throw notFound(metadata.name);
    if (stored.metadata.uid !== metadata.uid) throw conflict('the UID in the precondition does not match');
    if (stored.metadata.resourceVersion !== metadata.resourceVersion) throw conflict('the object has been modified');
    // JSON does not have undefined, and the API server stores the JSON.
    const plain: CronJobStatus = JSON.parse(JSON.stringify(status));
    const next = {
      ...stored,
      metadata: { ...stored.metadata, resourceVersion: this.#nextVersion() },
      status: plain,
    };
    return this.cronJobs.put(next, by);
  }

  createJob(job: NewObject<Job>, by: Actor, finalizers: readonly string[] = []): Job {
    if (this.jobs.get(formatKey(job.metadata)) !== undefined) {
      throw new ApiError(409, { reason: 'AlreadyExists', message: `jobs "${job.metadata.name}" already exists` });
    }
    const metadata = { ...job.metadata, ...this.#identity(), ...(finalizers.length > 0 ? { finalizers } : {}) };
    const created: Job = { ...job, apiVersion: 'batch/v1', kind: 'Job', metadata };
    return this.jobs.put(created, by);
  }

  /** A write of the Job controller, or of a user who resumes a suspended Job. */
  changeJob(uid: string, change: (job: Job) => Job): void {
    const old = this.jobs.getByUid(uid);
    if (old === undefined) return;
    const { metadata, ...rest } = change(old);
    this.jobs.put(
      { ...rest, metadata: { ...metadata, resourceVersion: this.#nextVersion() } },
      { kind: 'JobController' },
    );
  }

  /** A merge patch of annotations and of the deadline. */
  patchJob(key: ObjectKey, { metadata, spec }: JobPatch, by: Actor): Job {
    const job = this.jobs.get(formatKey(key));
    if (job === undefined) throw notFound(key.name);
    if (job.metadata.uid !== metadata.uid) throw conflict('the UID in the precondition does not match');
    if (job.metadata.resourceVersion !== metadata.resourceVersion) throw conflict('the object has been modified');
    const annotations = { ...job.metadata.annotations, ...metadata.annotations };
    const resourceVersion = this.#nextVersion();
    const next = {
      ...job,
      metadata: { ...job.metadata, annotations, resourceVersion },
      spec: { ...job.spec, ...spec },
    };
    return this.jobs.put(next, by);
  }

  /** @returns `pending` The Job while finalizers keep it. */
  deleteJob(
    key: ObjectKey,
    { propagationPolicy, preconditions }: DeleteOptions,
    by: Actor,
  ): { readonly uid: string; readonly pending?: Job } {
    const job = this.jobs.get(formatKey(key));
    if (job === undefined) throw notFound(key.name);
    const { metadata } = job;
    const uid = preconditions?.uid ?? metadata.uid;
    if (uid !== metadata.uid) throw conflict('the UID in the precondition does not match');
    const foreground = propagationPolicy === 'Foreground' ? [FOREGROUND_FINALIZER] : [];
    const finalizers = [...new Set([...(metadata.finalizers ?? []), ...foreground])];
    if (finalizers.length === 0) {
      this.jobs.remove(formatKey(key), by);
      return { uid };
    }
    const deletionTimestamp = metadata.deletionTimestamp ?? apiTime(this.#clock.now());
    const resourceVersion = this.#nextVersion();
    const pending = { ...job, metadata: { ...metadata, finalizers, deletionTimestamp, resourceVersion } };
    return { uid, pending: this.jobs.put(pending, by) };
  }

  /** The owners of the finalizers on the Job remove them. */
  releaseJob(uid: string): void {
    const job = this.jobs.getByUid(uid);
    if (job?.metadata.deletionTimestamp !== undefined) this.jobs.remove(formatKey(job), { kind: 'GarbageCollector' });
  }

  #identity(): { uid: string; resourceVersion: string; creationTimestamp: string } {
    this.#lastUid++;
    return {
      uid: `uid-${this.#lastUid}`,
      resourceVersion: this.#nextVersion(),
      creationTimestamp: apiTime(this.#clock.now()),
    };
  }

  #nextVersion(): string {
    this.#lastVersion++;
    return String(this.#lastVersion);
  }
}

/** The fields of a Job that the manager patches. */
export interface JobPatch {
  readonly metadata: {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly activeDeadlineSeconds: number };
}

/** The metadata of an object that was deleted, while a finalizer of another controller keeps it. */
export function withDeletion<T extends CronJob['metadata'] | CronJobRun['metadata']>(
  metadata: T,
  { now, resourceVersion }: { readonly now: Date; readonly resourceVersion: string },
): T {
  const generation = (metadata.generation ?? 0) + 1;
  const finalizers = [FOREIGN_FINALIZER];
  return { ...metadata, deletionTimestamp: apiTime(now), finalizers, generation, resourceVersion };
}

export function notFound(name: string): ApiError {
  return new ApiError(404, { reason: 'NotFound', message: `"${name}" not found` });
}

export function conflict(message: string): ApiError {
  return new ApiError(409, { reason: 'Conflict', message });
}

function specFields(spec: CronJobSpec): readonly string[] {
  return Object.keys(spec).map((name) => `f:${name}`);
}

function changedFields(old: CronJobSpec, spec: CronJobSpec): readonly string[] {
  const merged = new Map([...Object.entries(old), ...Object.entries(spec)]);
  const before = new Map(Object.entries(old));
  const after = new Map(Object.entries(spec));
  return [...merged.keys()]
    .filter((name) => !isDeepStrictEqual(before.get(name), after.get(name)))
    .map((name) => `f:${name}`);
}

/** Prefix of fields that are annotations. */
const ANNOTATION = 'annotation ';

/** Annotations with new values. */
function annotationFields(annotations: AnnotationMap = {}, old: AnnotationMap = {}): readonly string[] {
  const changed = Object.keys(annotations).filter((name) => annotations[name] !== old[name]);
  return changed.map((name) => `${ANNOTATION}f:${name}`);
}

type AnnotationMap = Readonly<Record<string, string>>;

function createManagedFields(
  manager: string,
  time: string,
  fields: readonly string[],
): ManagedFields & { manager: string } {
  return { manager, time, fieldsV1: toFieldsV1(fields) };
}

function toFieldsV1(fields: readonly string[]): NonNullable<ManagedFields['fieldsV1']> {
  const annotations = fields
    .filter((field) => field.startsWith(ANNOTATION))
    .map((field) => field.slice(ANNOTATION.length));
  const toFieldSet = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, {}]));
  const spec = fields.filter((field) => !field.startsWith(ANNOTATION));
  return {
    ...(spec.length === 0 ? {} : { 'f:spec': toFieldSet(spec) }),
    'f:metadata': { 'f:annotations': toFieldSet(annotations) },
  };
}

function parseFieldsV1({ fieldsV1 }: ManagedFields): readonly string[] {
  const { 'f:spec': spec = {}, 'f:metadata': metadata } = fieldsV1 as ReturnType<typeof toFieldsV1>; // created above
  const { 'f:annotations': annotations = {} } = metadata as { readonly 'f:annotations'?: object };
  return [...Object.keys(spec as object), ...Object.keys(annotations).map((name) => `${ANNOTATION}${name}`)];
}

interface FieldChanges {
  /** Fields with a new value. */
  readonly fields: readonly string[];
  /** Removed fields: no entry has them, and managedFields do not record a time. */
  readonly removed: readonly string[];
  readonly time: string;
}

/** As the API server does for updates: `manager` becomes the owner of fields with a new value, and its entry gets the time. */
function takeOver(
  entries: readonly (ManagedFields & { readonly manager?: string })[],
  manager: string,
  { fields, removed, time }: FieldChanges,
): readonly ManagedFields[] {
  const movedFields = new Set([...fields, ...removed]);
  const others = entries
    .map((entry) => ({ entry, names: parseFieldsV1(entry).filter((field) => !movedFields.has(field)) }))
    .filter(({ names }) => names.length > 0)
    .map(({ entry, names }) => ({ ...entry, fieldsV1: toFieldsV1(names) }));
  if (fields.length === 0) return others;
  const ownFields = others.filter((entry) => entry.manager === manager).flatMap(parseFieldsV1);
  return [
    ...others.filter((entry) => entry.manager !== manager),
    createManagedFields(manager, time, [...ownFields, ...fields]),
  ];
}
