/** Validates an object against the schema of a CustomResourceDefinition. CEL rules are not evaluated. */
import type { StructuralSchema } from 'controller-runtime';
import { typeErrorMessage } from 'controller-runtime/internal';
import {
  duplicate,
  type FieldError,
  fieldPath,
  forbidden,
  invalid,
  notSupported,
  required,
} from 'controller-runtime/kubernetes';
import { parseTime } from '../../../api/time.ts';
import { isRecord } from '../../../api/v1/raw-object.ts';
import { describeTextFault, NOT_A_QUANTITY } from '../../../api/v1/template-faults.ts';
import { findSimilarName } from '../similar-name.ts';

/** The prefix of messages about unknown fields. */
export const UNKNOWN_FIELD_PREFIX = 'unknown field';

/** A value with its path, such as `['spec', 'containers', 0]`. */
interface LocatedValue {
  readonly value: unknown;
  readonly path: readonly (string | number)[];
}

/** Yields one fault at a time, so that the caller can stop early. */
export function* checkSchema(schema: StructuralSchema, { value, path }: LocatedValue): Generator<FieldError> {
  const type = findExpectedType(schema, value);
  if (type !== undefined) {
    const message = (schema.type === 'string' ? describeTextFault(value) : undefined) ?? typeErrorMessage(type, value);
    yield createFault('FieldValueTypeInvalid', path, value, message);
    return;
  }
  if (typeof value === 'string') yield* checkText(schema, value, path);
  if (typeof value === 'number') yield* checkNumber(schema, value, path);
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    yield notSupported(fieldPath(...path), value, schema.enum.map(String));
  }
  if (Array.isArray(value)) yield* checkList(schema, value, path);
  else if (isRecord(value)) yield* checkObject(schema, value, path);
}

const TYPE_CHECKS: Readonly<Record<NonNullable<StructuralSchema['type']>, (value: unknown) => boolean>> = {
  object: isRecord,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  integer: isInt64,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
};

/** Returns the expected type if the type of the value differs. */
function findExpectedType(schema: StructuralSchema, value: unknown): string | undefined {
  const { type } = schema;
  if (schema['x-kubernetes-int-or-string']) {
    return typeof value === 'string' || isInt64(value) ? undefined : 'integer or string';
  }
  return type === undefined || TYPE_CHECKS[type](value) ? undefined : type;
}

/** Returns false for an integer of more than 64 bits, because Kubernetes parses such an integer as a float. */
function isInt64(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

function createFault(reason: string, path: LocatedValue['path'], value: unknown, message: string): FieldError {
  return { ...invalid(fieldPath(...path), value, message), reason };
}

function* checkText(schema: StructuralSchema, value: string, path: LocatedValue['path']): Generator<FieldError> {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = schema;
  const createInvalidFault = (message: string) => createFault('FieldValueInvalid', path, value, message);
  const { length } = [...value];
  if (length < minLength) yield createInvalidFault(`should be at least ${minLength} chars long`);
  if (length > maxLength)
    yield { ...createInvalidFault(`may not be more than ${maxLength} characters`), reason: 'FieldValueTooLong' };
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) {
    // Among the fields with a pattern, only quantities may be numbers.
    yield createInvalidFault(
      schema['x-kubernetes-int-or-string'] ? NOT_A_QUANTITY : `must match the pattern ${pattern}`,
    );
  }
  if (format === 'date-time' && parseTime(value) === undefined) yield createInvalidFault('must be of type date-time');
}

const INT32_LIMIT = 2 ** 31;

function* checkNumber(schema: StructuralSchema, value: number, path: LocatedValue['path']): Generator<FieldError> {
  const isInt32 = schema.format === 'int32';
  const { minimum = isInt32 ? -INT32_LIMIT : value, maximum = isInt32 ? INT32_LIMIT - 1 : value } = schema;
  const createInvalid = (message: string) => createFault('FieldValueInvalid', path, value, message);
  if (value < minimum) yield createInvalid(`must be greater than or equal to ${minimum}`);
  if (value > maximum) yield createInvalid(`must be less than or equal to ${maximum}`);
}

function* checkList(
  schema: StructuralSchema,
  list: readonly unknown[],
  path: LocatedValue['path'],
): Generator<FieldError> {
  const keys = new Set<string>();
  for (const [index, value] of list.entries()) {
    // The API server replaces null with the default of the elements.
    const item = value ?? schema.items?.default ?? null;
    const itemPath = [...path, index];
    const key = getListKey(schema, item);
    if (key !== undefined && keys.has(key)) yield createDuplicateFault(itemPath, key);
    if (key !== undefined) keys.add(key);
    yield* checkSchema(schema.items ?? {}, { value: item, path: itemPath });
  }
}

/**
 * Returns the key fields of a list element as JSON. Returns `undefined` if the list allows duplicates or the element has no key.
 */
function getListKey(schema: StructuralSchema, value: unknown): string | undefined {
  const { 'x-kubernetes-list-type': type, 'x-kubernetes-list-map-keys': names = [], items } = schema;
  if (type === 'set') return JSON.stringify(value);
  if (type !== 'map' || !isRecord(value)) return undefined;
  const keys = names.map((name) => [name, value[name] ?? items?.properties?.[name]?.default] as const);
  return keys.some(([, key]) => key === undefined) ? undefined : JSON.stringify(Object.fromEntries(keys));
}

/** @param key The key as JSON, which is also its format in messages of the API server. */
function createDuplicateFault(path: LocatedValue['path'], key: string): FieldError {
  return { ...duplicate(fieldPath(...path), ''), message: `Duplicate value: ${key}` };
}

function* checkObject(
  schema: StructuralSchema,
  object: ObjectValue,
  path: LocatedValue['path'],
): Generator<FieldError> {
  for (const name of schema.required ?? []) {
    if ((object[name] ?? undefined) === undefined) yield required(fieldPath(...path, name));
  }
  for (const [name, value] of Object.entries(object)) {
    const fieldSchema = findFieldSchema(schema, name);
    if (fieldSchema === undefined) yield createUnknownFieldFault([...path, name], Object.keys(schema.properties ?? {}));
    // The API server treats null as an absent field.
    else if (value !== null) yield* checkSchema(fieldSchema, { value, path: [...path, name] });
  }
}

type ObjectValue = Readonly<Record<string, unknown>>;

/** Returns `undefined` for an unknown field. */
function findFieldSchema(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  const canHaveUnknownFields = properties === undefined || schema['x-kubernetes-preserve-unknown-fields'] === true;
  return additionalProperties ?? (canHaveUnknownFields ? {} : undefined);
}

function createUnknownFieldFault(path: readonly (string | number)[], names: readonly string[]): FieldError {
  const unknownName = String(path.at(-1));
  const nearestName = findSimilarName(unknownName, names) ?? findNameWithSameEnd(unknownName, names);
  const hint = nearestName === undefined ? '' : `; did you mean ${JSON.stringify(nearestName)}?`;
  return { ...forbidden(fieldPath(...path), ''), message: `${UNKNOWN_FIELD_PREFIX}${hint}` };
}

/** Returns the only name such as `secretName` for `name`, or `name` for `secretName`. */
function findNameWithSameEnd(name: string, names: readonly string[]): string | undefined {
  const endsWith = (long: string, short: string) => long.endsWith(`${short.charAt(0).toUpperCase()}${short.slice(1)}`);
  const matches = names.filter((each) => endsWith(each, name) || endsWith(name, each));
  return matches.length === 1 ? matches[0] : undefined;
}
