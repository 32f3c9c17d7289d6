/**
 * Checks whether stored values fit their zod schema. Takes a fraction of the time of zod, because it checks every object that is
 * read, and its messages quote the value.
 */
import { z } from 'zod';
import { parseTime } from '../time.ts';
import { isRecord, valueAt } from './raw-object.ts';

/** Returns the fault, such as ` must be of type array, not 5`; `undefined` for a value that fits. */
export type Check = (value: unknown) => string | undefined;

/** Which checks apply: all checks of the API server, or only the types where validation reports the rest. */
export type Strictness = 'All' | 'Types';

export interface FieldCheck {
  readonly name: string;
  readonly isRequired: boolean;
  readonly check: Check;
  /** Checks for the value of a list. */
  readonly list?: ListCheck;
}

export interface ListCheck {
  readonly element: Check;
  /** The field whose values must be unique in the list. */
  readonly key?: string | undefined;
}

/** Returns one check for each field in the schema of an object. */
export function compileFieldChecks(shape: z.core.$ZodShape, strictness: Strictness): readonly FieldCheck[] {
  return Object.entries(shape).map(([name, schema]) => {
    const { isOptional, inner } = unwrap(schema);
    const field = { name, isRequired: !isOptional };
    if (inner._zod.def.type !== 'array') return { ...field, check: compileCheck(schema, strictness) };
    return toListField(field, toListCheck(inner, inner._zod.def.element, strictness));
  });
}

export function toListField(field: Pick<FieldCheck, 'name' | 'isRequired'>, list: ListCheck): FieldCheck {
  return { ...field, list, check: listCheck(list) };
}

function toListCheck(schema: z.core.$ZodType, element: z.core.$ZodType, strictness: Strictness): ListCheck {
  const keys = z.globalRegistry.get(schema)?.['x-kubernetes-list-map-keys'];
  return { element: compileCheck(element, strictness), key: Array.isArray(keys) ? String(keys[0]) : undefined };
}

interface UnwrappedSchema {
  readonly isOptional: boolean;
  readonly inner: z.core.$ZodTypes;
}

function unwrap(schema: z.core.$ZodType): UnwrappedSchema {
  const inner = schema as z.core.$ZodTypes; // every schema is one of these
  const { def } = inner._zod;
  if (def.type !== 'optional' && def.type !== 'default') return { isOptional: false, inner };
  return { ...unwrap(def.innerType), isOptional: true };
}

function compileCheck(schema: z.core.$ZodType, strictness: Strictness): Check {
  const { inner } = unwrap(schema);
  const { def } = inner._zod;
  const isStrict = strictness === 'All';
  switch (def.type) {
    case 'string':
      return isStrict ? textCheck(def) : checkString;
    case 'enum':
      return isStrict ? choiceCheck(Object.values(def.entries)) : checkString;
    case 'number':
      return isStrict ? countCheck(def) : hasType('number');
    case 'boolean':
      return hasType('boolean');
    case 'array':
      return listCheck(toListCheck(inner, def.element, strictness));
    case 'object':
      // The API server checks other fields, such as the template's.
      return def.catchall === undefined ? objectCheck(compileFieldChecks(def.shape, strictness)) : checkObject;
    default:
      return () => undefined;
  }
}

const hasType =
  (type: 'string' | 'number' | 'boolean'): Check =>
  (value) =>
    typeof value === type ? undefined : typeFault(type, value);

export const checkString = hasType('string');

function typeFault(type: string, value: unknown): string {
  return ` must be of type ${type}, not ${quoteValue(value)}`;
}

const MAX_QUOTED_LENGTH = 40;

function quoteValue(value: unknown): string {
  // The message shows only the beginning, because a text may be of any length.
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, MAX_QUOTED_LENGTH + 1) : value);
  return text.length <= MAX_QUOTED_LENGTH ? text : `${text.slice(0, MAX_QUOTED_LENGTH).toWellFormed()}…`;
}

function textCheck({ checks = [], ...def }: z.core.$ZodStringDef): Check {
  const limits = checks.map(({ _zod }) =>
    'maximum' in _zod.def ? Number(_zod.def.maximum) : Number.POSITIVE_INFINITY,
  );
  const maxLength = Math.min(...limits, Number.POSITIVE_INFINITY);
  const isTime = 'format' in def && def.format === 'datetime';
  return (value) => {
    if (typeof value !== 'string') return typeFault('string', value);
    if (value.length > maxLength) return ` may not be more than ${maxLength} characters`;
    return isTime && parseTime(value) === undefined ? ` must be a time, not ${quoteValue(value)}` : undefined;
  };
}

function choiceCheck(choices: readonly unknown[]): Check {
  return (value) =>
    choices.includes(value) ? undefined : ` must be one of ${choices.join(', ')}, not ${quoteValue(value)}`;
}

/** Every number of a status is a count. */
function countCheck(def: z.core.$ZodNumberDef): Check {
  const max = 'format' in def && def.format === 'int32' ? 2 ** 31 - 1 : 2 ** 63;
  return (value) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max
      ? undefined
      : ` must be a whole number from 0 on, not ${quoteValue(value)}`;
}

function listCheck({ element, key }: ListCheck): Check {
  return (value) => {
    if (!Array.isArray(value)) return typeFault('array', value);
    for (let index = 0; index < value.length; index++) {
      const fault = element(value[index]);
      if (fault !== undefined) return `[${index}]${fault}`;
    }
    return uniqueBy(key, value) === value ? undefined : ` has two elements with the same ${key}`;
  };
}

/** The first element for each value of its `key`; `list` itself when it has no duplicates. */
export function uniqueBy(key: string | undefined, list: readonly unknown[]): readonly unknown[] {
  if (key === undefined) return list;
  const values = new Set(list.map((each) => valueAt(each, key)));
  return values.size === list.length ? list : list.filter((each) => values.delete(valueAt(each, key)));
}

export const checkObject: Check = (value) => (isRecord(value) ? undefined : typeFault('object', value));

function objectCheck(fields: readonly FieldCheck[]): Check {
  return (value) => {
    if (!isRecord(value)) return typeFault('object', value);
    for (const field of fields) {
      const fault = findFault(value, field);
      if (fault !== undefined) return `.${field.name}${fault}`;
    }
    return undefined;
  };
}

/** The fault of a field of `object`. Null counts as absent. */
export function findFault(object: object, { name, isRequired, check }: FieldCheck): string | undefined {
  const value = getField(object, name);
  if (value !== undefined) return check(value);
  return isRequired ? ' is missing' : undefined;
}

/** The value of a field. Null counts as absent. */
export function getField(object: object, name: string): unknown {
  return (object as Readonly<Record<string, unknown>>)[name] ?? undefined;
}
