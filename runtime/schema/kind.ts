/** Defines your own kind once, for the CRD, the types, the client and the webhooks. */
import type { z } from 'zod';
import type { ClusterObject, KubernetesObject, NamespacedObject } from '../kubernetes/object.ts';
import { type InputResource, type IsNamespaced, pluralize, type Resource } from '../kubernetes/resource.ts';
import { checkDefinition } from './kind-names.ts';
import { type KindSchema, kindSchema, type NameRule } from './kind-schema.ts';
import type { PrinterColumn, ValidationRule } from './structural-schema.ts';

export interface KindDefinition<
  Group extends string,
  Version extends string,
  Name extends string,
  Scope extends 'Namespaced' | 'Cluster',
  Spec extends z.ZodObject,
  Status extends z.ZodObject | undefined,
> {
  /** A domain that you own: `example.com`. */
  readonly group: Group;
  /** `v1`, `v1beta1`, `v1alpha1`. */
  readonly version: Version;
  /** In CamelCase, singular: `Website`. */
  readonly kind: Name;
  /** Default: the kind in lower case, in the English plural: `websites`. */
  readonly plural?: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  /** Short forms of the plural on the command line. Default: no short names. */
  readonly shortNames?: readonly string[];
  /** Groups of kinds that include the kind: `all`. Default: no categories. */
  readonly categories?: readonly string[];
  /** Default `Namespaced`. */
  readonly scope?: Scope;
  /** The desired state. `kubectl explain` prints its descriptions (`.describe()`). */
  readonly spec: Spec;
  /** The observed state. Written through the status subresource. Default: no status. */
  readonly status?: Status;
  /** Columns of `kubectl get`, in order. Default: the age. */
  readonly printerColumns?: readonly PrinterColumn[];
  /** Rules on the whole object, in CEL. For rules on a field see `apiRule`. Default: no rules. */
  readonly rules?: readonly ValidationRule[];
  /** Limit on names, in addition to the rules for every object's name. */
  readonly name?: NameRule;
  /** Purpose of the kind, in a sentence. */
  readonly description?: string;
}

/** The result of {@link defineKind}: where the API server serves the objects, and their schemas. */
export interface Kind<T extends KubernetesObject = KubernetesObject, Input = unknown> extends InputResource<T, Input> {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly printerColumns: readonly PrinterColumn[];
  readonly rules: readonly ValidationRule[];
  readonly name?: NameRule;
  readonly description?: string;
  readonly schema: KindSchema;
}

/** A stored object of a kind, with complete metadata and defaults. Immutable. */
export type ObjectOf<K extends Resource> = NonNullable<K['objectType']>;

/** The spec that users may send: fields with a default are optional. */
export type SpecInputOf<K extends Kind> = NonNullable<K['specInput']>;

/** `T`, recursively readonly. */
export type ReadonlyDeep<T> = T extends readonly (infer U)[]
  ? readonly ReadonlyDeep<U>[]
  : T extends object
    ? { readonly [K in keyof T]: ReadonlyDeep<T[K]> }
    : T;

type StoredKindObject<
  ApiVersion extends string,
  Name extends string,
  Scope,
  Spec extends z.ZodObject,
  Status extends z.ZodObject | undefined,
> = {
  readonly apiVersion: ApiVersion;
  readonly kind: Name;
  readonly metadata: (Scope extends 'Cluster' ? ClusterObject : NamespacedObject)['metadata'];
  readonly spec: ReadonlyDeep<z.output<Spec>>;
} & (Status extends z.ZodObject
  ? {
      /** Absent until the controller writes it. */
      readonly status?: ReadonlyDeep<z.output<Status>>;
    }
  : unknown);

const AGE: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/**
 * Defines a kind. The result is a {@link Resource} for the client and the builder; `controller-runtime generate` makes
 * the CRD from it. Throws when an API server would reject the kind.
 *
 *     const Website = defineKind({
 *       group: 'example.com', version: 'v1', kind: 'Website',
 *       spec: z.object({ image: z.string().max(253), replicas: int32().min(0).max(10).default(1) }),
 *     });
 *     type Website = ObjectOf<typeof Website>;
 */
export function defineKind<
  const Group extends string,
  const Version extends string,
  const Name extends string,
  Spec extends z.ZodObject,
  const Scope extends 'Namespaced' | 'Cluster' = 'Namespaced',
  Status extends z.ZodObject | undefined = undefined,
>(
  definition: KindDefinition<Group, Version, Name, Scope, Spec, Status>,
): Kind<StoredKindObject<`${Group}/${Version}`, Name, Scope, Spec, Status>, ReadonlyDeep<z.input<Spec>>> {
  const { group, version, kind, spec, status, name, description } = definition;
  const names = {
    plural: definition.plural ?? pluralize(kind),
    singular: definition.singular ?? kind.toLowerCase(),
    shortNames: definition.shortNames ?? [],
    categories: definition.categories ?? [],
  };
  checkDefinition({ group, version, kind, ...names, spec, status });
  return {
    group,
    version,
    kind,
    ...names,
    // The definition's scope equals the scope in the type.
    namespaced: (definition.scope !== 'Cluster') as IsNamespaced<
      StoredKindObject<`${Group}/${Version}`, Name, Scope, Spec, Status>
    >,
    isCustomResource: true,
    printerColumns: definition.printerColumns ?? [AGE],
    rules: definition.rules ?? [],
    ...(name && { name }),
    ...(description !== undefined && { description }),
    schema: kindSchema({ spec, status, name }),
  };
}
