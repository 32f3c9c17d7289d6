/**
 * Validates the metadata of objects from the API server, because the schema of a kind does not describe the metadata.
 */
import { isRecord } from '../kubernetes/is-record.ts';

/** Returns the problem, such as `metadata.labels must be a map of strings`, or `undefined` if the metadata is valid. */
export function validateMetadata(object: Readonly<Record<string, unknown>>): string | undefined {
  const { metadata } = object;
  if (metadata === undefined) return 'metadata is missing';
  if (!isRecord(metadata)) return 'metadata must be an object';
  for (const name in metadata) {
    const type = Object.hasOwn(FIELD_TYPES, name) ? FIELD_TYPES[name] : undefined;
    if (type !== undefined && !TYPE_CHECKS[type](metadata[name])) return `metadata.${name} must be ${type}`;
  }
  return undefined;
}

/**
 * Like {@link validateMetadata}, but requires a name. Most objects have a name, but reviews and Status objects have no
 * name.
 */
export function validateNamedObject(object: Readonly<Record<string, unknown>>): string | undefined {
  const problem = validateMetadata(object);
  if (problem !== undefined) return problem;
  const { name } = object['metadata'] as { readonly name?: string }; // checked above
  return name ? undefined : 'metadata.name is missing';
}

const TYPE_CHECKS = {
  // See apimachinery pkg/api/validation/path: each name is a segment of a URL path.
  'a valid name': (value: unknown) => typeof value === 'string' && value.isWellFormed() && !/[/%]|^\.\.?$/.test(value),
  'a string': (value: unknown) => typeof value === 'string',
  'a list of strings': (value: unknown) => Array.isArray(value) && value.every(TYPE_CHECKS['a string']),
  'a map of strings': (value: unknown) => isRecord(value) && Object.values(value).every(TYPE_CHECKS['a string']),
  'a list of objects': (value: unknown) => Array.isArray(value) && value.every(isRecord),
} as const;

/** The type of each field of {@link ObjectMeta}, except the numeric fields. */
const FIELD_TYPES: Readonly<Record<string, keyof typeof TYPE_CHECKS>> = {
  name: 'a valid name',
  generateName: 'a string',
  namespace: 'a valid name',
  uid: 'a string',
  resourceVersion: 'a string',
  creationTimestamp: 'a string',
  deletionTimestamp: 'a string',
  labels: 'a map of strings',
  annotations: 'a map of strings',
  ownerReferences: 'a list of objects',
  finalizers: 'a list of strings',
  managedFields: 'a list of objects',
};
