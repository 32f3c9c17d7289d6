/** Faults in the metadata of any object that the API server refuses. */
import type { StructuralSchema } from 'controller-runtime';
import { type FieldError, fieldPath, invalid, required } from 'controller-runtime/kubernetes';
import { isObjectName } from '../../../api/v1/object-name.ts';
import { isRecord, valueAt } from '../../../api/v1/raw-object.ts';
import { describeTextFault } from '../../../api/v1/template-advice.ts';
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
    ...checkSchema(OBJECT_META, { value: metadata, path: ['metadata'] }),
  ];
}

const TEXT: StructuralSchema = { type: 'string' };
const WHOLE_NUMBER: StructuralSchema = { type: 'integer', format: 'int64' };
const TIME: StructuralSchema = { type: 'string', format: 'date-time' };
/** The code below checks the entries. */
const MAP: StructuralSchema = { type: 'object', additionalProperties: {} };

/** The schema of ObjectMeta, which the schema of a CRD does not include. */
const OBJECT_META: StructuralSchema = {
  type: 'object',
  properties: {
    annotations: MAP,
    creationTimestamp: TIME,
    deletionGracePeriodSeconds: WHOLE_NUMBER,
    deletionTimestamp: TIME,
    finalizers: { type: 'array', items: TEXT },
    generateName: TEXT,
    generation: WHOLE_NUMBER,
    labels: MAP,
    managedFields: { type: 'array', items: MAP },
    name: TEXT,
    namespace: TEXT,
    ownerReferences: {
      type: 'array',
      items: {
        type: 'object',
        required: ['apiVersion', 'kind', 'name', 'uid'],
        properties: {
          apiVersion: TEXT,
          blockOwnerDeletion: { type: 'boolean' },
          controller: { type: 'boolean' },
          kind: TEXT,
          name: TEXT,
          uid: TEXT,
        },
      },
    },
    resourceVersion: TEXT,
    selfLink: TEXT,
    uid: TEXT,
  },
};

function checkFinalizers(finalizers: unknown): readonly FieldError[] {
  const names: readonly unknown[] = Array.isArray(finalizers) ? finalizers : [];
  const why = 'is not a valid finalizer name; use one such as example.com/clean-up';
  return names.flatMap((name, index) => {
    const isGood = typeof name !== 'string' || KEY.test(name);
    return isGood ? [] : [invalid(fieldPath('metadata', 'finalizers', index), name, why)];
  });
}

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function checkNames({ name, generateName, namespace }: Readonly<Record<string, unknown>>): readonly FieldError[] {
  const ofName = (name ?? generateName ?? '') === '' ? [required('metadata.name', 'set a name')] : [];
  const isOdd = ofName.length === 0 && (name ?? undefined) !== undefined && !isObjectName(name);
  const isPlace = typeof namespace === 'string' && DNS_LABEL.test(namespace);
  return [
    ...ofName,
    ...(isOdd ? [invalid('metadata.name', name, NAME_FAULT)] : []),
    ...((namespace ?? undefined) !== undefined && !isPlace
      ? [invalid('metadata.namespace', namespace, NAMESPACE_FAULT)]
      : []),
  ];
}

const NAME_FAULT = 'must consist of lower case letters, digits, - and ., such as nightly-backup';
const NAMESPACE_FAULT = 'must consist of at most 63 lower case letters, digits and -';

/** Keys of labels and annotations are qualified names. */
const KEY = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

function checkMap(name: 'labels' | 'annotations', map: unknown): readonly FieldError[] {
  if ((map ?? undefined) === undefined) return [];
  if (!isRecord(map)) return [invalid(`metadata.${name}`, map, 'must be of type object')];
  return Object.entries(map).flatMap(([key, value]) => {
    const field = fieldPath('metadata', name, key);
    // For annotations, the API server also accepts capitals before the slash.
    const isKey = KEY.test(name === 'labels' ? key : key.toLowerCase());
    const why = findValueFault(name, value);
    return [
      ...(isKey ? [] : [invalid(field, key, 'is not a valid key; use one such as example.com/team')]),
      ...(why === undefined ? [] : [invalid(field, value, why)]),
    ];
  });
}

/** Null counts as empty text. */
function findValueFault(name: 'labels' | 'annotations', value: unknown): string | undefined {
  if (value === null) return undefined;
  if (typeof value !== 'string') return describeTextFault(value) ?? 'must be of type string';
  const isGood = name === 'annotations' || LABEL_VALUE.test(value);
  return isGood ? undefined : 'must consist of at most 63 letters, digits, -, _ and .';
}
