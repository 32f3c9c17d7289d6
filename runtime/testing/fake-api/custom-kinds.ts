/** The custom kinds whose objects the server completes and validates. */
import { type FieldError, invalid } from '../../kubernetes/field-error.ts';
import { formatApiVersion } from '../../kubernetes/resource.ts';
import { customResourceDefinition } from '../../manifests/custom-resource-definition.ts';
import type { KubernetesSchemas } from '../../manifests/structural-from-zod.ts';
import type { Kind } from '../../schema/kind.ts';
import type { StructuralSchema } from '../../schema/structural-schema.ts';
import { type CrdManifest, readCrds } from '../crd-installation.ts';
import type { CollectionPath, JsonObject, ObjectInput, StoredObject } from './object-types.ts';
import { StatusError } from './status-error.ts';
import { withoutAtomicValues } from './structural/atomic-values.ts';
import { decode } from './structural/decode.ts';
import { isSubdomain, OBJECT_META, validateObjectMeta } from './structural/object-meta.ts';
import { collectRuleFunctions, type RuleFunctions, validateRules } from './structural/rules.ts';
import { validate } from './structural/validate.ts';

/** Options for the custom kinds whose objects a server completes and validates. */
export interface CustomKindOptions {
  /**
   * Kinds from `defineKind`. The server validates the objects of these kinds, sets defaults and removes unknown fields. The server
   * also contains the CRDs of these kinds. Default: the server stores the objects of all kinds as the client sends them.
   */
  readonly kinds?: readonly Kind[];
  /** Schemas for kinds that use `kubernetesSchema()`: the result of `readKubernetesSchemas`. */
  readonly kubernetesSchemas?: KubernetesSchemas;
  /**
   * CRDs of other kinds, each as a manifest, or as the path of a YAML file, of a JSON file or of a folder with such
   * files.
   */
  readonly crds?: readonly (string | CrdManifest)[];
}

/** A version of a custom kind. */
export class CustomKind {
  readonly group: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly isNamespaced: boolean;
  readonly hasStatusSubresource: boolean;
  readonly hasScale: boolean;
  readonly #schema: StructuralSchema;
  readonly #rules: RuleFunctions;

  constructor({ spec: { group, names, scope } }: CrdManifest, version: CrdVersion, kind?: Kind) {
    this.group = group;
    this.kind = names.kind;
    this.apiVersion = formatApiVersion({ group, version: version.name });
    this.isNamespaced = scope === 'Namespaced';
    this.hasStatusSubresource = version.subresources?.status !== undefined;
    this.hasScale = version.subresources?.scale !== undefined;
    const schema = version.schema?.openAPIV3Schema ?? {};
    const properties = { ...schema.properties, apiVersion: {}, kind: {}, metadata: OBJECT_META };
    this.#schema = { ...schema, properties };
    this.#rules = kind === undefined ? new Map() : collectRuleFunctions(kind, schema);
  }

  /**
   * Sets defaults and removes unknown fields. Throws a StatusError with 400 if the metadata has a wrong type.
   * @param onUnknownFields Receives the paths of the unknown fields, if there are any.
   */
  decode(object: JsonObject, onUnknownFields: (paths: readonly string[]) => void): JsonObject {
    const unknownPaths: string[] = [];
    const decoded = decode(this.#schema, object, (path) => void unknownPaths.push(path));
    if (unknownPaths.length > 0) onUnknownFields(unknownPaths);
    const { metadata } = decoded as JsonObject; // decode returns an object for an object
    const [fault] = validate({ schema: OBJECT_META, value: metadata, path: 'metadata' });
    if (fault !== undefined) throw new StatusError(400, `${fault.field}: ${fault.message}`);
    return decoded as JsonObject;
  }

  /** Returns the object without the atomic objects that server-side apply of `configuration` replaces. */
  withoutAtomicValues(object: unknown, configuration: JsonObject): unknown {
    return withoutAtomicValues(this.#schema, object, configuration);
  }

  /** @param oldObject The object before an update, absent for a create. */
  validate(object: JsonObject & ObjectInput, oldObject?: StoredObject): readonly FieldError[] {
    const { name } = object.metadata;
    const isValidName = name === '' || isSubdomain(name); // validateObjectMeta reports a missing name
    const nameErrors = isValidName ? [] : [invalid('metadata.name', name, 'must be a lowercase RFC 1123 subdomain')];
    const value = { schema: this.#schema, value: object, old: oldObject, path: '' };
    const errors = [...validateObjectMeta(object.metadata, oldObject?.metadata), ...nameErrors, ...validate(value)];
    const isBlocked = errors.some(({ reason }) => RULE_BLOCKING_REASONS.has(reason));
    if (!isBlocked) return [...errors, ...validateRules(value, this.#rules)];
    return this.#rules.size > 0 ? [...errors, invalid('<nil>', null, RULES_NOT_CHECKED_MESSAGE)] : errors;
  }
}

/** The reasons of errors after which the API server does not evaluate the rules of the kind. */
const RULE_BLOCKING_REASONS: ReadonlySet<string> = new Set([
  ...['FieldValueNotSupported', 'FieldValueRequired'],
  ...['FieldValueTooLong', 'FieldValueTooMany', 'FieldValueTypeInvalid'],
]);
const RULES_NOT_CHECKED_MESSAGE =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** The fields that the server reads from a version of a CRD. */
export interface CrdVersion {
  readonly name: string;
  readonly storage?: boolean;
  readonly subresources?: { readonly status?: object; readonly scale?: object };
  readonly schema?: { readonly openAPIV3Schema?: StructuralSchema };
}

/** The custom kinds by the paths of their collections. */
export type CustomKinds = ReadonlyMap<CollectionPath, CustomKind>;

/** A CRD, with its kind if `defineKind` defines the kind. */
export interface Definition {
  readonly crd: CrdManifest;
  readonly kind?: Kind;
}

export function listDefinitions({
  kinds = [],
  kubernetesSchemas,
  crds = [],
}: CustomKindOptions): readonly Definition[] {
  const otherCrds = crds.flatMap((crd) => (typeof crd === 'string' ? readCrds(crd) : [crd]));
  return [
    ...kinds.map((kind) => ({ crd: customResourceDefinition(kind, kubernetesSchemas), kind })),
    ...otherCrds.map((crd) => ({ crd })),
  ];
}

export function buildCustomKinds(definitions: readonly Definition[]): CustomKinds {
  return new Map(definitions.flatMap(createServedKinds));
}

function createServedKinds({ crd, kind }: Definition): readonly (readonly [CollectionPath, CustomKind])[] {
  const { group, names, versions } = crd.spec;
  const served = versions.filter((version) => version.served);
  return served.map((version) => [
    `/apis/${group}/${version.name}/${names.plural}`,
    new CustomKind(crd, version, kind?.versions[version.name] ?? kind),
  ]);
}
