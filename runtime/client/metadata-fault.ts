/**
 * Checks the metadata of an object that is read: every reader relies on its type, and the schema of a kind does not
 * cover it.
 */
import { isRecord } from '../kubernetes/is-record.ts';

/**
 * Returns the fault in the metadata of `object`, such as `metadata.labels must be texts by name`, or `undefined` when
 * it is valid.
 */
export function metadataFault(object: Readonly<Record<string, unknown>>): string | undefined {
  const { metadata } = object;
  if (metadata === undefined) return 'metadata is missing';
  if (!isRecord(metadata)) return 'metadata must be an object';
  for (const name in metadata) {
    const type = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    if (type !== undefined && !TYPES[type](metadata[name])) return `metadata.${name} must be ${type}`;
  }
  return undefined;
}

/** The same check for an object with a name: all objects except answers to queries, such as reviews. */
export function namedObjectFault(object: Readonly<Record<string, unknown>>): string | undefined {
  const fault = metadataFault(object);
  if (fault !== undefined) return fault;
  const { name } = object['metadata'] as { readonly name?: string }; // checked above
  return name ? undefined : 'metadata.name is missing';
}

const TYPES = {
  // Kubernetes' rule for every name (apimachinery pkg/api/validation/path): the name becomes a part of a URL's path.
  'a name': (value: unknown) => typeof value === 'string' && value.isWellFormed() && !/[/%]|^\.\.?$/.test(value),
  text: (value: unknown) => typeof value === 'string',
  'a list of texts': (value: unknown) => Array.isArray(value) && value.every(TYPES.text),
  'texts by name': (value: unknown) => isRecord(value) && Object.values(value).every(TYPES.text),
  'a list of objects': (value: unknown) => Array.isArray(value) && value.every(isRecord),
} as const;

/** The fields of {@link ObjectMeta} that have another type than number. */
const FIELDS: Readonly<Record<string, keyof typeof TYPES>> = {
  name: 'a name',
  generateName: 'text',
  namespace: 'a name',
  uid: 'text',
  resourceVersion: 'text',
  creationTimestamp: 'text',
  deletionTimestamp: 'text',
  labels: 'texts by name',
  annotations: 'texts by name',
  ownerReferences: 'a list of objects',
  finalizers: 'a list of texts',
  managedFields: 'a list of objects',
};
