/** Finds faults in the metadata of an object that the API server would refuse. */
import type { StructuralSchema } from 'controller-runtime';
import { type FieldError, fieldPath, invalid, required } from 'controller-runtime/kubernetes';
import { MAX_NAME_LENGTH } from '../../../api/v1/cronjob-defaults.ts';
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
    ...checkAnnotationsSize(metadata['annotations']),
    ...checkFinalizers(metadata['finalizers']),
    ...checkOwners(metadata['ownerReferences']),
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
    managedFields: {
      type: 'array',
      items: {
        type: 'object',
        default: {},
        properties: {
          apiVersion: STRING_SCHEMA,
          fieldsType: STRING_SCHEMA,
          fieldsV1: {},
          manager: STRING_SCHEMA,
          operation: STRING_SCHEMA,
          subresource: STRING_SCHEMA,
          time: TIME_SCHEMA,
        },
      },
    },
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
  const hasConflict = names.includes('orphan') && names.includes('foregroundDeletion');
  return [
    ...(hasConflict ? [invalid('metadata.finalizers', names, 'remove either orphan or foregroundDeletion')] : []),
    ...names.flatMap((name, index) => {
      const isValid = typeof name !== 'string' || isQualifiedName(name);
      return isValid ? [] : [invalid(fieldPath('metadata', 'finalizers', index), name, message)];
    }),
  ];
}

const GROUP_VERSION_PATTERN = /^([^/]*\/)?[^/]+$/;

/** Omits faults that the schema reports, such as missing fields. */
function checkOwners(owners: unknown): readonly FieldError[] {
  const list = Array.isArray(owners) ? owners.filter(isRecord) : [];
  const controllers = list.filter(({ controller }) => controller === true);
  return [
    ...list.flatMap((owner, index) => checkOwner(owner, ['metadata', 'ownerReferences', index])),
    ...(controllers.length > 1
      ? [invalid('metadata.ownerReferences', owners, 'only one owner may have controller: true')]
      : []),
  ];
}

function checkOwner(
  owner: Readonly<Record<string, unknown>>,
  path: readonly (string | number)[],
): readonly FieldError[] {
  const { apiVersion, kind } = owner;
  const emptyNames = ['apiVersion', 'kind', 'name', 'uid'].filter((name) => owner[name] === '');
  const hasInvalidVersion =
    typeof apiVersion === 'string' && apiVersion !== '' && !GROUP_VERSION_PATTERN.test(apiVersion);
  return [
    ...emptyNames.map((name) => required(fieldPath(...path, name), 'remove the owner or complete it')),
    ...(hasInvalidVersion
      ? [invalid(fieldPath(...path, 'apiVersion'), apiVersion, 'must be a version, such as v1 or apps/v1')]
      : []),
    ...(apiVersion === 'v1' && kind === 'Event'
      ? [invalid(fieldPath(...path, 'kind'), kind, 'cannot be an owner')]
      : []),
  ];
}

const DNS_LABEL_PATTERN = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function checkNames(metadata: Readonly<Record<string, unknown>>): readonly FieldError[] {
  const { name, generateName, namespace } = metadata;
  const missingNameFaults = (name ?? generateName ?? '') === '' ? [required('metadata.name', 'set a name')] : [];
  // The schema reports names that are not strings.
  const hasInvalidName = missingNameFaults.length === 0 && typeof name === 'string' && !isObjectName(name);
  const hasInvalidNamespace = typeof namespace === 'string' && namespace !== '' && !DNS_LABEL_PATTERN.test(namespace);
  return [
    ...missingNameFaults,
    ...(hasInvalidName ? [invalid('metadata.name', name, INVALID_NAME_MESSAGE)] : []),
    ...checkGenerateName(metadata),
    ...(hasInvalidNamespace ? [invalid('metadata.namespace', namespace, INVALID_NAMESPACE_MESSAGE)] : []),
  ];
}

/** The API server adds this number of characters to a `generateName`. */
const GENERATED_LENGTH = 5;
const MAX_GENERATE_NAME_LENGTH = MAX_NAME_LENGTH - GENERATED_LENGTH;

/** The API server checks the prefix even if the object has a name, but generates a name only without one. */
function checkGenerateName({ name, generateName }: Readonly<Record<string, unknown>>): readonly FieldError[] {
  if (typeof generateName !== 'string' || generateName === '') return [];
  const createFault = (message: string) => [invalid('metadata.generateName', generateName, message)];
  // The API server accepts a prefix that ends with a dash.
  const isValidPrefix = isObjectName(generateName.replace(/.-$/s, 'a'));
  if ((name ?? '') !== '') return isValidPrefix ? [] : createFault(INVALID_NAME_MESSAGE);
  if (!isValidPrefix || !isObjectName(`${generateName}a`)) return createFault(INVALID_NAME_MESSAGE);
  return generateName.length > MAX_GENERATE_NAME_LENGTH
    ? createFault(`must be no more than ${MAX_GENERATE_NAME_LENGTH} characters; choose a shorter prefix`)
    : [];
}

const INVALID_NAME_MESSAGE = 'must consist of lower case letters, digits, - and ., such as nightly-backup';
const INVALID_NAMESPACE_MESSAGE = 'must consist of at most 63 lower case letters, digits and -';

const NAME_PART_PATTERN = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Returns whether the text is a valid label key: a name of at most 63 characters, optionally after a domain and a slash. */
function isQualifiedName(text: string): boolean {
  const slash = text.indexOf('/');
  return NAME_PART_PATTERN.test(text.slice(slash + 1)) && (slash === -1 || isObjectName(text.slice(0, slash)));
}

const LABEL_VALUE_PATTERN = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

function checkMap(name: 'labels' | 'annotations', map: unknown): readonly FieldError[] {
  if ((map ?? undefined) === undefined) return [];
  if (!isRecord(map)) return [invalid(`metadata.${name}`, map, 'must be of type object')];
  return Object.entries(map).flatMap(([key, value]) => {
    const field = fieldPath('metadata', name, key);
    // For annotations, the API server also accepts capitals before the slash.
    const isValidKey = isQualifiedName(name === 'labels' ? key : key.toLowerCase());
    const message = findValueFault(name, value);
    return [
      ...(isValidKey ? [] : [invalid(field, key, 'is not a valid key; use one such as example.com/team')]),
      ...(message === undefined ? [] : [invalid(field, value, message)]),
    ];
  });
}

const MAX_ANNOTATIONS_BYTES = 256 * 1024;

function checkAnnotationsSize(annotations: unknown): readonly FieldError[] {
  const texts = isRecord(annotations) ? Object.entries(annotations).flat() : [];
  const bytes = texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? Buffer.byteLength(text) : 0), 0);
  const advice = `the keys and values have ${bytes} bytes; move large values to a ConfigMap`;
  return bytes > MAX_ANNOTATIONS_BYTES
    ? [
        {
          reason: 'FieldValueTooLong',
          field: 'metadata.annotations',
          message: `Too long: may not be more than ${MAX_ANNOTATIONS_BYTES} bytes: ${advice}`,
        },
      ]
    : [];
}

/** Accepts null, because the API server stores an empty string instead. */
function findValueFault(name: 'labels' | 'annotations', value: unknown): string | undefined {
  if (value === null) return undefined;
  if (typeof value !== 'string') return describeTextFault(value) ?? 'must be of type string';
  const isValid = name === 'annotations' || LABEL_VALUE_PATTERN.test(value);
  return isValid ? undefined : 'must consist of at most 63 letters, digits, -, _ and .';
}
