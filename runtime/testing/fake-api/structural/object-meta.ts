/** The schema and the rules of `metadata`, which are the same for all kinds. */
import { type FieldError, forbidden, invalid, required } from '../../../kubernetes/field-error.ts';
import type { ObjectMeta, OwnerReference } from '../../../kubernetes/object.ts';
import type { StructuralSchema } from '../../../schema/structural-schema.ts';

const stringSchema: StructuralSchema = { type: 'string' };
const booleanSchema: StructuralSchema = { type: 'boolean' };
/** The default is an empty string, because the API server decodes null to Go's zero value. */
const stringMapSchema: StructuralSchema = { type: 'object', additionalProperties: { ...stringSchema, default: '' } };

export const OBJECT_META: StructuralSchema = {
  type: 'object',
  properties: {
    ...{
      name: stringSchema,
      generateName: stringSchema,
      namespace: stringSchema,
      uid: stringSchema,
      resourceVersion: stringSchema,
    },
    ...{ creationTimestamp: stringSchema, deletionTimestamp: stringSchema, selfLink: stringSchema },
    ...{ generation: { type: 'integer' }, deletionGracePeriodSeconds: { type: 'integer' } },
    ...{ labels: stringMapSchema, annotations: stringMapSchema, finalizers: { type: 'array', items: stringSchema } },
    ownerReferences: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          ...{ apiVersion: stringSchema, kind: stringSchema, name: stringSchema, uid: stringSchema },
          ...{ controller: booleanSchema, blockOwnerDeletion: booleanSchema },
        },
      },
    },
    managedFields: {
      type: 'array',
      items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  },
};

const LABEL_VALUE_PATTERN = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const SUBDOMAIN_PATTERN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

export function isSubdomain(text: string): boolean {
  return text.length <= 253 && SUBDOMAIN_PATTERN.test(text);
}

/** @param oldMetadata The metadata before an update, absent for a create. */
export function validateObjectMeta(metadata: Partial<ObjectMeta>, oldMetadata?: ObjectMeta): readonly FieldError[] {
  const { labels = {}, annotations = {}, ownerReferences = [], finalizers = [] } = metadata;
  const isNewFinalizer = (finalizer: string) => !oldMetadata?.finalizers?.includes(finalizer);
  const added = oldMetadata?.deletionTimestamp === undefined ? [] : finalizers.filter(isNewFinalizer);
  return [
    ...(metadata.name === '' ? [required('metadata.name', 'name or generateName is required')] : []),
    ...(oldMetadata !== undefined && metadata.deletionTimestamp !== oldMetadata.deletionTimestamp
      ? [invalid('metadata.deletionTimestamp', metadata.deletionTimestamp, 'field is immutable')]
      : []),
    ...Object.entries(labels).flatMap(([key, value]) => validateLabel(key, value)),
    ...Object.keys(annotations)
      .filter((key) => !isQualifiedName(key.toLowerCase()))
      .map((key) => invalid('metadata.annotations', key, 'must be a qualified name')),
    ...ownerReferences.flatMap(validateOwnerReference),
    ...(ownerReferences.filter(({ controller }) => controller).length > 1
      ? [invalid('metadata.ownerReferences', ownerReferences, 'only one reference can have controller set to true')]
      : []),
    ...(added.length > 0
      ? [forbidden('metadata.finalizers', `no new finalizers can be added if the object is being deleted: ${added}`)]
      : []),
  ];
}

function validateLabel(key: string, value: string): readonly FieldError[] {
  const isValidValue = value.length <= 63 && LABEL_VALUE_PATTERN.test(value);
  return [
    ...(isQualifiedName(key) ? [] : [invalid('metadata.labels', key, 'must be a qualified name')]),
    ...(isValidValue ? [] : [invalid('metadata.labels', value, 'must be at most 63 letters, digits, "-", "_" or "."')]),
  ];
}

function validateOwnerReference(owner: OwnerReference): readonly FieldError[] {
  const missing = (['apiVersion', 'kind', 'name', 'uid'] as const).filter((field) => !owner[field]);
  return missing.map((field) => invalid(`metadata.ownerReferences.${field}`, owner[field], 'must not be empty'));
}

/**
 * Returns whether the text is a valid label key: a name of at most 63 characters, with an optional domain and slash as
 * a prefix.
 */
function isQualifiedName(key: string): boolean {
  const [name = '', prefix, ...rest] = key.split('/').reverse();
  if (rest.length > 0 || name === '' || name.length > 63 || !LABEL_VALUE_PATTERN.test(name)) return false;
  return prefix === undefined || isSubdomain(prefix);
}
