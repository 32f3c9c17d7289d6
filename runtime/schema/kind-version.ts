/** Further versions of a kind, with conversions to and from the hub version. */
import type { z } from 'zod';
import type { KubernetesObject, ObjectMeta, SpecOf } from '../kubernetes/object.ts';
import { checkDefinition } from './check-definition.ts';
import { type ConversionFunction, convertStep } from './convert-object.ts';
import type { Kind, KindVersion, ObjectOf, ReadonlyDeep, VersionSettings } from './kind.ts';
import { createKindSchema } from './kind-schema.ts';
import type { PrinterColumn, ValidationRule } from './structural-schema.ts';

/** Argument of {@link VersionedKind.withVersion}. The version and the spec are required. */
export interface VersionDefinition<
  Version extends string,
  Spec extends z.ZodObject,
  Status extends z.ZodObject | undefined,
> extends VersionSettings {
  /** API version, such as `v1alpha1`. */
  readonly version: Version;
  /** Schema of the desired state in this version. */
  readonly spec: Spec;
  /**
   * Schema of the observed state in this version. By default, the version has the schema of the hub, and the library copies the
   * status.
   */
  readonly status?: Status;
  /** Columns of `kubectl get` after the name, in order. Default: the age. */
  readonly printerColumns?: readonly PrinterColumn[];
  /** Validation rules for the whole object, in CEL. Default: no rules. */
  readonly rules?: readonly ValidationRule[];
  /** Description of the kind for `kubectl explain`. Default: the description of the hub. */
  readonly description?: string;
  /** Whether clients can use the version. Default true. */
  readonly served?: boolean;
  /**
   * Whether the API server stores objects in this version instead of the hub, for example while an older release of the
   * operator may still read them. Default false.
   */
  readonly storage?: boolean;
}

/**
 * The conversions between a version and the hub. A conversion can return `{ ...object, spec }`: the library uses only
 * the spec, the labels, the annotations, and the status if the version has its own schema of the status. If a
 * conversion throws an error, the request fails and the user sees the message of the error.
 */
export interface VersionConversion<
  T extends KubernetesObject,
  Hub extends KubernetesObject,
  HasOwnStatus extends boolean,
> {
  /** Converts an object to the hub version. */
  toHub(object: T): ConvertedObject<Hub, HasOwnStatus>;
  /** Converts an object of the hub version to this version. */
  fromHub(object: Hub): ConvertedObject<T, HasOwnStatus>;
}

/** The result of a conversion to an object of type `T`. The library adds no defaults to the result. */
export type ConvertedObject<T, HasOwnStatus extends boolean> = {
  /** The new labels and annotations. Default: labels and annotations are unchanged. Other metadata cannot change. */
  readonly metadata?: Pick<ObjectMeta, 'labels' | 'annotations'>;
  /** The spec in the target version of the conversion. */
  readonly spec: SpecOf<T>;
} & (HasOwnStatus extends true
  ? 'status' extends keyof T
    ? {
        /** The status in the target version, or `undefined` if the object has no status yet. */
        readonly status: T['status'] | undefined;
      }
    : unknown
  : unknown);

/** The type of a stored object in a further version of the kind `Hub`. */
export type VersionObject<
  Hub extends KubernetesObject,
  Version extends string,
  Spec extends z.ZodObject,
  Status extends z.ZodObject | undefined,
> = {
  readonly apiVersion: Hub['apiVersion'] extends `${infer Group}/${string}` ? `${Group}/${Version}` : string;
  readonly kind: Hub['kind'];
  readonly metadata: Hub['metadata'];
  readonly spec: ReadonlyDeep<z.output<Spec>>;
} & (Status extends z.ZodObject
  ? {
      /** Absent until a controller writes the status. */
      readonly status?: ReadonlyDeep<z.output<Status>>;
    }
  : 'status' extends keyof Hub
    ? Pick<Hub, 'status'>
    : unknown);

/** The type of the property `versions` of a kind with only one version. */
export type NoVersions = Readonly<Record<never, never>>;

/** The result of `defineKind`: a kind to which you can add further versions. */
export interface VersionedKind<
  T extends KubernetesObject,
  Input,
  Versions extends Readonly<Record<string, KindVersion>> = NoVersions,
> extends Kind<T, Input> {
  /** The further versions by name, such as `Website.versions.v1alpha1`. */
  readonly versions: Versions;
  /**
   * Adds a further version. The version that `defineKind` defines is the hub. Controllers receive objects in the hub
   * version, and by default the API server stores objects in the hub version. The manager converts objects in the
   * webhook `/convert`: `manager.webhooks.convert(Website)`.
   *
   *     const Website = defineKind({ …, version: 'v1', spec: z.object({ replicas: int32() }) })
   *       .withVersion({ version: 'v1alpha1', deprecated: 'use v1', spec: z.object({ count: int32() }) })
   *       .withConversion({
   *         toHub: ({ spec }) => ({ spec: { replicas: spec.count } }),
   *         fromHub: ({ spec }) => ({ spec: { count: spec.replicas } }),
   *       });
   */
  withVersion<
    const Version extends string,
    Spec extends z.ZodObject,
    Status extends z.ZodObject | undefined = undefined,
  >(
    definition: VersionDefinition<Version, Spec, Status>,
  ): UnconvertedVersion<
    T,
    Input,
    Versions,
    Version,
    KindVersion<VersionObject<T, Version, Spec, Status>, ReadonlyDeep<z.input<Spec>>, T>,
    Status extends z.ZodObject ? true : false
  >;
}

/**
 * A new version that does not have conversions yet. The conversions are not part of the definition, because TypeScript
 * must know the types of the version before it checks the results of the conversions.
 */
export interface UnconvertedVersion<
  Hub extends KubernetesObject,
  HubInput,
  Versions extends Readonly<Record<string, KindVersion>>,
  Version extends string,
  V extends KindVersion,
  HasOwnStatus extends boolean,
> {
  /** Returns the kind with the version. */
  withConversion(
    conversion: VersionConversion<ObjectOf<V>, Hub, HasOwnStatus>,
  ): VersionedKind<Hub, HubInput, Versions & Readonly<Record<Version, V>>>;
}

type AnyDefinition = VersionDefinition<string, z.ZodObject, z.ZodObject | undefined>;
type AnyConversion = Readonly<Record<'toHub' | 'fromHub', ConversionFunction>>;

/**
 * Returns `hub` with `versions` and the method `withVersion`. The result has no precise type, because only the caller
 * knows the types of the versions.
 */
export function withVersions(hub: Kind, versions: Readonly<Record<string, KindVersion>>): object {
  return {
    ...hub,
    versions,
    withVersion: (definition: AnyDefinition) => {
      checkVersion(hub, versions, definition);
      const withConversion = (conversion: AnyConversion) =>
        withVersions(hub, { ...versions, [definition.version]: createVersion(hub, definition, conversion) });
      return { withConversion };
    },
  };
}

function checkVersion(
  hub: Kind,
  versions: Readonly<Record<string, KindVersion>>,
  { version: name, spec, status, storage = false }: AnyDefinition,
): void {
  checkDefinition({ ...hub, version: name, spec, status });
  const fail = (fault: string) => {
    throw new Error(`define kind ${JSON.stringify(hub.kind)}: ${fault}`);
  };
  if (name === hub.version || Object.hasOwn(versions, name)) fail(`version ${name} is defined twice`);
  const otherStorage = Object.values(versions).find((other) => other.storage);
  if (storage && otherStorage) fail(`both ${otherStorage.version} and ${name} are the storage version`);
}

function createVersion(hub: Kind, definition: AnyDefinition, conversion: AnyConversion): KindVersion {
  const { version: name, spec, status = hub.schema.status, served = true, storage = false } = definition;
  const { deprecated: _, scale: __, selectableFields: ___, description: hubDescription, ...names } = hub;
  const description = definition.description ?? hubDescription;
  const sharesStatus = definition.status === undefined;
  const version: KindVersion = {
    ...names,
    version: name,
    served,
    storage,
    ...pickVersionSettings(definition),
    ...(description !== undefined && { description }),
    printerColumns: definition.printerColumns ?? [AGE_COLUMN],
    rules: definition.rules ?? [],
    schema: createKindSchema({ spec, status, name: hub.name }),
    toHub: (object) => convertStep(object, { source: version, target: hub, transform: conversion.toHub, sharesStatus }),
    fromHub: (object) =>
      convertStep(object, { source: hub, target: version, transform: conversion.fromHub, sharesStatus }),
  };
  return version;
}

/** Returns only the settings that have a value. */
export function pickVersionSettings({ deprecated, scale, selectableFields }: VersionSettings): VersionSettings {
  return {
    ...(deprecated !== undefined && { deprecated }),
    ...(scale !== undefined && { scale }),
    ...(selectableFields !== undefined && { selectableFields }),
  };
}

export const AGE_COLUMN: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
