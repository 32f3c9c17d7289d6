/**
 * Kubernetes' own types as they are on the wire: times are RFC 3339 strings and nothing is mutable.
 *
 * client-node's model types carry `Date` where the JSON has a string, and leave every field optional. An object that was
 * read from an API server always has a name and a UID, so here those are required.
 */
import type { V1Job, V1JobSpec, V1JobTemplateSpec } from '@kubernetes/client-node';

/** `T` as JSON carries it: every `Date` a string, every field readonly, all the way down. */
export type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer U)[]
    ? readonly Wire<U>[]
    : T extends object
      ? { readonly [K in keyof T]: Wire<T[K]> }
      : T;

/** Points from a dependent object to its owner; the garbage collector follows it. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** True on the one owner that manages the object. Default false. */
  readonly controller?: boolean;
  /** Foreground deletion of the owner waits for this object. Default false. */
  readonly blockOwnerDeletion?: boolean;
}

/** Metadata of an object that an API server has stored. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** Opaque; equal strings mean the same state of the object. */
  readonly resourceVersion: string;
  /** Counts changes of the spec. Absent on kinds that do not count. */
  readonly generation?: number;
  /** RFC 3339, whole seconds. */
  readonly creationTimestamp: string;
  /** RFC 3339. Present while the object is being deleted. */
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFields[];
}

/** Which fields one client has set last, and when. */
export interface ManagedFields {
  /** RFC 3339, whole seconds: when the client last changed one of them. */
  readonly time?: string;
  /** `status` when they were set through the status subresource. */
  readonly subresource?: string;
  /** A tree with a key for each field: `{ 'f:spec': { 'f:schedule': {} } }`. */
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

/** Metadata of an object that is yet to be created. */
export interface NewObjectMeta {
  readonly name: string;
  readonly namespace: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
}

/** A stored batch/v1 Job. */
export interface Job {
  readonly apiVersion: 'batch/v1';
  readonly kind: 'Job';
  readonly metadata: ObjectMeta;
  readonly spec: Wire<V1JobSpec>;
  readonly status?: Wire<NonNullable<V1Job['status']>>;
}

/** A batch/v1 Job that is yet to be created. */
export interface NewJob {
  readonly apiVersion: 'batch/v1';
  readonly kind: 'Job';
  readonly metadata: NewObjectMeta;
  readonly spec: Wire<V1JobSpec>;
}

/** What a CronJob makes its Jobs from. */
export type JobTemplateSpec = Wire<V1JobTemplateSpec>;
