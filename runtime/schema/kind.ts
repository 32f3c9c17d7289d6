/** A kind of one's own, told once: what the CRD, the types, the client and the webhooks know of it. */
import type { z } from 'zod';
import type { ClusterObject, KubernetesObject, NamespacedObject } from '../kubernetes/object.ts';
import { type InputResource, type IsNamespaced, pluralOf, type Resource } from '../kubernetes/resource.ts';
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
  /** A domain that is yours: `example.com`. */
  readonly group: Group;
  /** `v1`, `v1beta1`, `v1alpha1`. */
  readonly version: Version;
  /** In CamelCase, singular: `Website`. */
  readonly kind: Name;
  /** Default: the kind in lower case, in the plural of English: `websites`. */
  readonly plural?: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  /** What people may type instead of the plural. Default none. */
  readonly shortNames?: readonly string[];
  /** Groups of kinds that the kind is listed with: `all`. Default none. */
  readonly categories?: readonly string[];
  /** Default `Namespaced`. */
  readonly scope?: Scope;
  /** What people ask for. Its descriptions (`.describe()`) are what `kubectl explain` prints. */
  readonly spec: Spec;
  /** What the controller has seen. Written through the status subresource. Default none. */
  readonly status?: Status;
  /** Columns of `kubectl get`, in order. Default: the age. */
  readonly printerColumns?: readonly PrinterColumn[];
  /** Rules on the whole object, in CEL. For rules on a field see `apiRule`. Default none. */
  readonly rules?: readonly ValidationRule[];
  /** What a name may be, besides what every object's name may be. */
  readonly name?: NameRule;
  /** What the kind is for, in a sentence. */
  readonly description?: string;
}

/** What {@link defineKind} returns: where the API server serves the objects, and the schemas they are made from. */
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

/** A stored object of a kind: its metadata is complete, and its defaults are filled in. Nothing of it may be changed. */
export type ObjectOf<K extends Resource> = NonNullable<K['objectType']>;

/** The spec that people may send: what has a default may be left out. */
export type SpecInputOf<K extends Kind> = NonNullable<K['specInput']>;

/** `T`, readonly all the way down. */
export type ReadonlyDeep<T> = T extends readonly (infer U)[]
  ? readonly ReadonlyDeep<U>[]
  : T extends object
    ? { readonly [K in keyof T]: ReadonlyDeep<T[K]> }
    : T;

type StoredObject<
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
      /** Absent until the controller has written it. */
      readonly status?: ReadonlyDeep<z.output<Status>>;
    }
  : unknown);

const AGE: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/**
 * Defines a kind. The result is a {@link Resource} for the client and the builder; `controller-runtime generate` makes the CRD from
 * it. Throws when an API server would not take such a kind.
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
): Kind<StoredObject<`${Group}/${Version}`, Name, Scope, Spec, Status>, ReadonlyDeep<z.input<Spec>>> {
  const { group, version, kind, spec, status, name, description } = definition;
  const names = {
    plural: definition.plural ?? pluralOf(kind),
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
    // What the type says of the scope is what the definition has.
    namespaced: (definition.scope !== 'Cluster') as IsNamespaced<
      StoredObject<`${Group}/${Version}`, Name, Scope, Spec, Status>
    >,
    isCustomResource: true,
    printerColumns: definition.printerColumns ?? [AGE],
    rules: definition.rules ?? [],
    ...(name && { name }),
    ...(description !== undefined && { description }),
    schema: kindSchema({ spec, status, name }),
  };
}
