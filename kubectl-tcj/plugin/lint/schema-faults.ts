/** Faults that the schema of a CustomResourceDefinition refuses. Does not evaluate its CEL rules. */
import type { StructuralSchema } from 'controller-runtime';
import {
  duplicate,
  type FieldError,
  fieldPath,
  forbidden,
  invalid,
  notSupported,
  required,
} from 'controller-runtime/kubernetes';
import { typeErrorMessage } from 'controller-runtime/schema';
import { parseTime } from '../../../api/time.ts';
import { isRecord } from '../../../api/v1/raw-object.ts';
import { describeTextFault, NOT_A_QUANTITY } from '../../../api/v1/template-advice.ts';
import { nearest } from '../nearest.ts';

/** Beginning of the message about an unknown field. */
export const UNKNOWN_FIELD = 'unknown field';

/** A value at a path, such as `['spec', 'containers', 0]`. */
interface Place {
  readonly value: unknown;
  readonly path: readonly (string | number)[];
}

/** Yields the faults one after another, so that the caller can stop early. */
export function* schemaFaults(schema: StructuralSchema, { value, path }: Place): Generator<FieldError> {
  const type = missedType(schema, value);
  if (type !== undefined) {
    const why = (schema.type === 'string' ? describeTextFault(value) : undefined) ?? typeErrorMessage(type, value);
    yield fault('FieldValueTypeInvalid', path, value, why);
    return;
  }
  if (typeof value === 'string') yield* textFaults(schema, value, path);
  if (typeof value === 'number') yield* numberFaults(schema, value, path);
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    yield notSupported(fieldPath(...path), value, schema.enum.map(String));
  }
  if (Array.isArray(value)) yield* listFaults(schema, value, path);
  else if (isRecord(value)) yield* objectFaults(schema, value, path);
}

const IS_OF: Readonly<Record<NonNullable<StructuralSchema['type']>, (value: unknown) => boolean>> = {
  object: isRecord,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  integer: isInt64,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
};

/** The name of the expected type; `undefined` when the value has it. */
function missedType(schema: StructuralSchema, value: unknown): string | undefined {
  const { type } = schema;
  if (schema['x-kubernetes-int-or-string']) {
    return typeof value === 'string' || isInt64(value) ? undefined : 'integer or string';
  }
  return type === undefined || IS_OF[type](value) ? undefined : type;
}

/** A number beyond 64 bits is a float, even if it is written as an integer. */
function isInt64(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

function fault(reason: string, path: Place['path'], value: unknown, why: string): FieldError {
  return { ...invalid(fieldPath(...path), value, why), reason };
}

function* textFaults(schema: StructuralSchema, value: string, path: Place['path']): Generator<FieldError> {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = schema;
  const wrong = (why: string) => fault('FieldValueInvalid', path, value, why);
  const { length } = [...value];
  if (length < minLength) yield wrong(`should be at least ${minLength} chars long`);
  if (length > maxLength)
    yield { ...wrong(`may not be more than ${maxLength} characters`), reason: 'FieldValueTooLong' };
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) {
    // Only quantities have a pattern and may be numbers.
    yield wrong(schema['x-kubernetes-int-or-string'] ? NOT_A_QUANTITY : `must match the pattern ${pattern}`);
  }
  if (format === 'date-time' && parseTime(value) === undefined) yield wrong('must be of type date-time');
}

const INT32_BOUND = 2 ** 31;

function* numberFaults(schema: StructuralSchema, value: number, path: Place['path']): Generator<FieldError> {
  const isInt32 = schema.format === 'int32';
  const { minimum = isInt32 ? -INT32_BOUND : value, maximum = isInt32 ? INT32_BOUND - 1 : value } = schema;
  const wrong = (why: string) => fault('FieldValueInvalid', path, value, why);
  if (value < minimum) yield wrong(`must be greater than or equal to ${minimum}`);
  if (value > maximum) yield wrong(`must be less than or equal to ${maximum}`);
}

function* listFaults(schema: StructuralSchema, list: readonly unknown[], path: Place['path']): Generator<FieldError> {
  const known = new Set<string>();
  for (const [index, value] of list.entries()) {
    // The API server uses the default of the elements instead.
    if (value === null && schema.items?.default !== undefined) continue;
    const at = [...path, index];
    const key = keyOf(schema, value);
    if (key !== undefined && known.has(key)) yield duplicate(fieldPath(...at), valueOfKey(key));
    if (key !== undefined) known.add(key);
    yield* schemaFaults(schema.items ?? {}, { value, path: at });
  }
}

/** The fields that identify an element, as JSON; `undefined` when the schema allows duplicates, or the element has no key. */
function keyOf(schema: StructuralSchema, value: unknown): string | undefined {
  const { 'x-kubernetes-list-type': type, 'x-kubernetes-list-map-keys': names = [], items } = schema;
  if (type === 'set') return JSON.stringify(value);
  if (type !== 'map' || !isRecord(value)) return undefined;
  const keys = names.map((name) => [name, value[name] ?? items?.properties?.[name]?.default] as const);
  return keys.some(([, key]) => key === undefined) ? undefined : JSON.stringify(Object.fromEntries(keys));
}

/** Messages show keys of maps as JSON. */
function valueOfKey(key: string): unknown {
  return key.startsWith('{') ? key : JSON.parse(key);
}

function* objectFaults(schema: StructuralSchema, object: JsonObject, path: Place['path']): Generator<FieldError> {
  for (const name of schema.required ?? []) {
    if ((object[name] ?? undefined) === undefined) yield required(fieldPath(...path, name));
  }
  for (const [name, value] of Object.entries(object)) {
    const known = schemaOf(schema, name);
    if (known === undefined) yield unknownField([...path, name], Object.keys(schema.properties ?? {}));
    // Null counts as an absent field.
    else if (value !== null) yield* schemaFaults(known, { value, path: [...path, name] });
  }
}

type JsonObject = Readonly<Record<string, unknown>>;

/** The schema of a field; `undefined` for an unknown field. */
function schemaOf(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  const isOpen = properties === undefined || schema['x-kubernetes-preserve-unknown-fields'] === true;
  return additionalProperties ?? (isOpen ? {} : undefined);
}

function unknownField(path: readonly (string | number)[], names: readonly string[]): FieldError {
  const like = nearest(String(path.at(-1)), names);
  const hint = like === undefined ? '' : `; did you mean ${JSON.stringify(like)}?`;
  return { ...forbidden(fieldPath(...path), ''), message: `${UNKNOWN_FIELD}${hint}` };
}
