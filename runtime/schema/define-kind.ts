/** Defines a custom kind. The CRD, the types, the client and the webhooks use the definition. */
import type { z } from 'zod';
import type { ClusterObject, NamespacedObject } from '../kubernetes/object.ts';
import { pluralize } from '../kubernetes/resource.ts';
import { checkDefinition } from './check-definition.ts';
import type { Kind, ReadonlyDeep, VersionSettings } from './kind.ts';
import { createKindSchema, type NameRule } from './kind-schema.ts';
import { AGE_COLUMN, pickVersionSettings, type VersionedKind, withVersions } from './kind-version.ts';
import type { PrinterColumn, ValidationRule } from './structural-schema.ts';

/** Argument of {@link defineKind}. The group, version, kind and spec are required. */
export interface KindDefinition<
  Group extends string,
  Version extends string,
  Name extends string,
  Scope extends 'Namespaced' | 'Cluster',
  Spec extends z.ZodObject,
  Status extends z.ZodObject | undefined,
> extends VersionSettings {
  /** API group: a domain that you own, such as `example.com`. */
  readonly group: Group;
  /** API version, such as `v1`, `v1beta1` or `v1alpha1`. */
  readonly version: Version;
  /** Kind in CamelCase and singular, such as `Website`. */
  readonly kind: Name;
  /** Plural name for URLs. Default: the English plural of the kind in lower case, such as `websites`. */
  readonly plural?: string;
  /** Singular name for the command line. Default: the kind in lower case. */
  readonly singular?: string;
  /** Short names for the command line. Default: no short names. */
  readonly shortNames?: readonly string[];
  /** Categories that include the kind, such as `all` for `kubectl get all`. Default: no categories. */
  readonly categories?: readonly string[];
  /** Default `Namespaced`. */
  readonly scope?: Scope;
  /** Schema of the desired state. `kubectl explain` prints the descriptions from `.describe()`. */
  readonly spec: Spec;
  /** Schema of the observed state, which controllers write through the status subresource. Default: no status. */
  readonly status?: Status;
  /** Columns of `kubectl get` after the name, in order. Default: the age. */
  readonly printerColumns?: readonly PrinterColumn[];
  /** Validation rules for the whole object, in CEL. Use `apiRule` for a rule on a field. Default: no rules. */
  readonly rules?: readonly ValidationRule[];
  /** Maximum length of object names, in addition to the limit of the API server. */
  readonly name?: NameRule;
  /** Description of the kind for `kubectl explain`. */
  readonly description?: string;
}

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
      /** Absent until a controller writes the status. */
      readonly status?: ReadonlyDeep<z.output<Status>>;
    }
  : unknown);

/**
 * Defines a custom kind. Pass the result to clients and to the controller builder as a {@link Resource}.
 * `controller-runtime generate` generates the CRD. Throws an error if an API server would reject the definition.
 *
 *     const Website = defineKind({
 *       group: 'example.com', version: 'v1', kind: 'Website',
 *       spec: z.object({ image: z.string().max(253), replicas: int32().min(0).max(10).default(1) }),
 *     });
 *     type Website = ObjectOf<typeof Website>;
 *
 * {@link VersionedKind.withVersion} adds further versions.
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
): VersionedKind<StoredKindObject<`${Group}/${Version}`, Name, Scope, Spec, Status>, ReadonlyDeep<z.input<Spec>>> {
  type Stored = StoredKindObject<`${Group}/${Version}`, Name, Scope, Spec, Status>;
  const { group, version, kind, spec, status, name, description } = definition;
  const names = {
    plural: definition.plural ?? pluralize(kind),
    singular: definition.singular ?? kind.toLowerCase(),
    shortNames: definition.shortNames ?? [],
    categories: definition.categories ?? [],
  };
  checkDefinition({ group, version, kind, ...names, spec, status });
  const hub: Kind = {
    group,
    version,
    kind,
    ...names,
    namespaced: definition.scope !== 'Cluster',
    isCustomResource: true,
    versions: {},
    served: true,
    ...pickVersionSettings(definition),
    printerColumns: definition.printerColumns ?? [AGE_COLUMN],
    rules: definition.rules ?? [],
    ...(name && { name }),
    ...(description !== undefined && { description }),
    schema: createKindSchema({ spec, status, name }),
  };
  // `withVersions` returns an object with the types in the definition.
  return withVersions(hub, {}) as VersionedKind<Stored, ReadonlyDeep<z.input<Spec>>>;
}
