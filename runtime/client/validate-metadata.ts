/**
 * Checks the metadata of an object that is read: every reader relies on its type, and the schema of a kind does not
 * cover it.
 */
import { isRecord } from '../kubernetes/is-record.ts';

/**
 * Returns what is wrong with the metadata of `object`, such as `metadata.labels must be a map of strings`, or `undefined` when
 * it is valid.
 */
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

/** The same check for an object with a name: all objects except responses to queries, such as reviews. */
export function validateNamedObject(object: Readonly<Record<string, unknown>>): string | undefined {
  const problem = validateMetadata(object);
  if (problem !== undefined) return problem;
  const { name } = object['metadata'] as { readonly name?: string }; // checked above
  return name ? undefined : 'metadata.name is missing';
}

const TYPE_CHECKS = {
  // Kubernetes' rule for every name (apimachinery pkg/api/validation/path): the name becomes a part of a URL's path.
  'a valid name': (value: unknown) => typeof value === 'string' && value.isWellFormed() && !/[/%]|^\.\.?$/.test(value),
  'a string': (value: unknown) => typeof value === 'string',
  'a list of strings': (value: unknown) => Array.isArray(value) && value.every(TYPE_CHECKS['a string']),
  'a map of strings': (value: unknown) => isRecord(value) && Object.values(value).every(TYPE_CHECKS['a string']),
  'a list of objects': (value: unknown) => Array.isArray(value) && value.every(isRecord),
} as const;

/** The fields of {@link ObjectMeta} that have another type than number. */
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
