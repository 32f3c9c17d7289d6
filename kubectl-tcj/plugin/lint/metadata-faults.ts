/** Finds faults in the metadata of an object that the API server would refuse. */
import type { StructuralSchema } from 'controller-runtime';
import { type FieldError, fieldPath, invalid, required } from 'controller-runtime/kubernetes';
import { isObjectName } from '../../../api/v1/object-name.ts';
import { isRecord, valueAt } from '../../../api/v1/raw-object.ts';
import { describeTextFault } from '../../../api/v1/template-faults.ts';
import { checkSchema } from './schema-faults.ts';

/** Never throws. */
export function checkMetadata(object: unknown): readonly FieldError[] {
  const metadata = valueAt(object, 'metadata');
  if (metadata === undefined) return [required('metadata', 'set a name')];
  if (!isRecord(metadata)) return [invalid('metadata', metadata, 'must be of type object')];
  return [
    ...checkNames(metadata),
    ...checkMap('labels', metadata['labels']),
    ...checkMap('annotations', metadata['annotations']),
    ...checkFinalizers(metadata['finalizers']),
    ...checkSchema(OBJECT_META_SCHEMA, { value: metadata, path: ['metadata'] }),
  ];
}

const STRING_SCHEMA: StructuralSchema = { type: 'string' };
const INT64_SCHEMA: StructuralSchema = { type: 'integer', format: 'int64' };
const TIME_SCHEMA: StructuralSchema = { type: 'string', format: 'date-time' };
/** A schema that accepts every value of a label or an annotation, because {@link checkMap} checks the values. */
const MAP_SCHEMA: StructuralSchema = { type: 'object', additionalProperties: {} };

/** The schema of ObjectMeta, which a CRD does not contain. */
const OBJECT_META_SCHEMA: StructuralSchema = {
  type: 'object',
  properties: {
    annotations: MAP_SCHEMA,
    creationTimestamp: TIME_SCHEMA,
    deletionGracePeriodSeconds: INT64_SCHEMA,
    deletionTimestamp: TIME_SCHEMA,
    finalizers: { type: 'array', items: STRING_SCHEMA },
    generateName: STRING_SCHEMA,
    generation: INT64_SCHEMA,
    labels: MAP_SCHEMA,
    managedFields: { type: 'array', items: MAP_SCHEMA },
    name: STRING_SCHEMA,
    namespace: STRING_SCHEMA,
    ownerReferences: {
      type: 'array',
      items: {
        type: 'object',
        required: ['apiVersion', 'kind', 'name', 'uid'],
        properties: {
          apiVersion: STRING_SCHEMA,
          blockOwnerDeletion: { type: 'boolean' },
          controller: { type: 'boolean' },
          kind: STRING_SCHEMA,
          name: STRING_SCHEMA,
          uid: STRING_SCHEMA,
        },
      },
    },
    resourceVersion: STRING_SCHEMA,
    selfLink: STRING_SCHEMA,
    uid: STRING_SCHEMA,
  },
};

function checkFinalizers(finalizers: unknown): readonly FieldError[] {
  const names: readonly unknown[] = Array.isArray(finalizers) ? finalizers : [];
  const message = 'is not a valid finalizer name; use one such as example.com/clean-up';
  return names.flatMap((name, index) => {
    const isValid = typeof name !== 'string' || QUALIFIED_NAME_PATTERN.test(name);
    return isValid ? [] : [invalid(fieldPath('metadata', 'finalizers', index), name, message)];
  });
}

const DNS_LABEL_PATTERN = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function checkNames({ name, generateName, namespace }: Readonly<Record<string, unknown>>): readonly FieldError[] {
  const missingNameFaults = (name ?? generateName ?? '') === '' ? [required('metadata.name', 'set a name')] : [];
  const hasInvalidName = missingNameFaults.length === 0 && (name ?? undefined) !== undefined && !isObjectName(name);
  const hasValidNamespace = typeof namespace === 'string' && DNS_LABEL_PATTERN.test(namespace);
  return [
    ...missingNameFaults,
    ...(hasInvalidName ? [invalid('metadata.name', name, INVALID_NAME_MESSAGE)] : []),
    ...((namespace ?? undefined) !== undefined && !hasValidNamespace
      ? [invalid('metadata.namespace', namespace, INVALID_NAMESPACE_MESSAGE)]
      : []),
  ];
}

const INVALID_NAME_MESSAGE = 'must consist of lower case letters, digits, - and ., such as nightly-backup';
const INVALID_NAMESPACE_MESSAGE = 'must consist of at most 63 lower case letters, digits and -';

/** Matches the keys of labels and annotations. */
const QUALIFIED_NAME_PATTERN = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE_PATTERN = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

function checkMap(name: 'labels' | 'annotations', map: unknown): readonly FieldError[] {
  if ((map ?? undefined) === undefined) return [];
  if (!isRecord(map)) return [invalid(`metadata.${name}`, map, 'must be of type object')];
  return Object.entries(map).flatMap(([key, value]) => {
    const field = fieldPath('metadata', name, key);
    // For annotations, the API server also accepts capitals before the slash.
    const isValidKey = QUALIFIED_NAME_PATTERN.test(name === 'labels' ? key : key.toLowerCase());
    const message = findValueFault(name, value);
    return [
      ...(isValidKey ? [] : [invalid(field, key, 'is not a valid key; use one such as example.com/team')]),
      ...(message === undefined ? [] : [invalid(field, value, message)]),
    ];
  });
}

/** Accepts null, because the API server stores an empty string instead. */
function findValueFault(name: 'labels' | 'annotations', value: unknown): string | undefined {
  if (value === null) return undefined;
  if (typeof value !== 'string') return describeTextFault(value) ?? 'must be of type string';
  const isValid = name === 'annotations' || LABEL_VALUE_PATTERN.test(value);
  return isValid ? undefined : 'must consist of at most 63 letters, digits, -, _ and .';
}
