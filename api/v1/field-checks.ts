/**
 * Compiles a zod schema to functions that check stored values. The controller checks every object that it reads with
 * the compiled functions, because they are faster than zod. The error messages contain the invalid value.
 */
import { z } from 'zod';
import { parseTime } from '../time.ts';
import { isRecord, valueAt } from './raw-object.ts';

/** Returns the fault of a value, such as ` must be of type array, not 5`, or `undefined` for a valid value. */
export type ValueCheck = (value: unknown) => string | undefined;

/**
 * With `All`, checks every rule of the schema, as the API server does. With `Types`, checks only the types of the
 * values.
 */
export type Strictness = 'All' | 'Types';

export interface FieldCheck {
  readonly name: string;
  readonly isRequired: boolean;
  readonly check: ValueCheck;
  /** If the field is a list, the checks of its elements. */
  readonly listCheck?: ListCheck;
}

export interface ListCheck {
  readonly elementCheck: ValueCheck;
  /** The name of a field that must have a different value in each element of the list. */
  readonly uniqueKey?: string | undefined;
}

/** Returns one check for each field in the schema of an object. */
export function compileFieldChecks(shape: z.core.$ZodShape, strictness: Strictness): readonly FieldCheck[] {
  return Object.entries(shape).map(([name, schema]) => {
    const { isOptional, innerSchema } = unwrapSchema(schema);
    const field = { name, isRequired: !isOptional };
    if (innerSchema._zod.def.type !== 'array') return { ...field, check: compileCheck(schema, strictness) };
    return toListField(field, toListCheck(innerSchema, innerSchema._zod.def.element, strictness));
  });
}

export function toListField(field: Pick<FieldCheck, 'name' | 'isRequired'>, listCheck: ListCheck): FieldCheck {
  return { ...field, listCheck, check: createListCheck(listCheck) };
}

function toListCheck(schema: z.core.$ZodType, element: z.core.$ZodType, strictness: Strictness): ListCheck {
  const keys = z.globalRegistry.get(schema)?.['x-kubernetes-list-map-keys'];
  return {
    elementCheck: compileCheck(element, strictness),
    uniqueKey: Array.isArray(keys) ? String(keys[0]) : undefined,
  };
}

interface UnwrappedSchema {
  readonly isOptional: boolean;
  readonly innerSchema: z.core.$ZodTypes;
}

function unwrapSchema(schema: z.core.$ZodType): UnwrappedSchema {
  const innerSchema = schema as z.core.$ZodTypes; // $ZodTypes is the union of all schema types
  const { def } = innerSchema._zod;
  if (def.type !== 'optional' && def.type !== 'default') return { isOptional: false, innerSchema };
  return { ...unwrapSchema(def.innerType), isOptional: true };
}

function compileCheck(schema: z.core.$ZodType, strictness: Strictness): ValueCheck {
  const { innerSchema } = unwrapSchema(schema);
  const { def } = innerSchema._zod;
  const isStrict = strictness === 'All';
  switch (def.type) {
    case 'string':
      return isStrict ? createStringCheck(def) : checkString;
    case 'enum':
      return isStrict ? createEnumCheck(Object.values(def.entries)) : checkString;
    case 'number':
      return isStrict ? createCountCheck(def) : createTypeCheck('number');
    case 'boolean':
      return createTypeCheck('boolean');
    case 'array':
      return createListCheck(toListCheck(innerSchema, def.element, strictness));
    case 'object':
      // Fields without a zod schema, such as the fields of the Job template, are checked only by the API server.
      return def.catchall === undefined ? createObjectCheck(compileFieldChecks(def.shape, strictness)) : checkObject;
    default:
      return () => undefined;
  }
}

const createTypeCheck =
  (type: 'string' | 'number' | 'boolean'): ValueCheck =>
  (value) =>
    typeof value === type ? undefined : formatTypeFault(type, value);

export const checkString = createTypeCheck('string');

function formatTypeFault(type: string, value: unknown): string {
  return ` must be of type ${type}, not ${quoteValue(value)}`;
}

const MAX_QUOTED_LENGTH = 40;

function quoteValue(value: unknown): string {
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, MAX_QUOTED_LENGTH + 1) : value);
  return text.length <= MAX_QUOTED_LENGTH ? text : `${text.slice(0, MAX_QUOTED_LENGTH).toWellFormed()}…`;
}

function createStringCheck({ checks = [], ...def }: z.core.$ZodStringDef): ValueCheck {
  const limits = checks.map(({ _zod }) =>
    'maximum' in _zod.def ? Number(_zod.def.maximum) : Number.POSITIVE_INFINITY,
  );
  const maxLength = Math.min(...limits, Number.POSITIVE_INFINITY);
  const isTime = 'format' in def && def.format === 'datetime';
  return (value) => {
    if (typeof value !== 'string') return formatTypeFault('string', value);
    if (value.length > maxLength) return ` may not be more than ${maxLength} characters`;
    return isTime && parseTime(value) === undefined ? ` must be a time, not ${quoteValue(value)}` : undefined;
  };
}

function createEnumCheck(choices: readonly unknown[]): ValueCheck {
  return (value) =>
    choices.includes(value) ? undefined : ` must be one of ${choices.join(', ')}, not ${quoteValue(value)}`;
}

function createCountCheck(def: z.core.$ZodNumberDef): ValueCheck {
  const max = 'format' in def && def.format === 'int32' ? 2 ** 31 - 1 : 2 ** 63;
  return (value) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max
      ? undefined
      : ` must be a whole number from 0 on, not ${quoteValue(value)}`;
}

function createListCheck({ elementCheck, uniqueKey }: ListCheck): ValueCheck {
  return (value) => {
    if (!Array.isArray(value)) return formatTypeFault('array', value);
    for (let index = 0; index < value.length; index++) {
      const fault = elementCheck(value[index]);
      if (fault !== undefined) return `[${index}]${fault}`;
    }
    return removeDuplicates(uniqueKey, value) === value ? undefined : ` has two elements with the same ${uniqueKey}`;
  };
}

/** Returns the first element for each value of `key`. Returns `list` itself if it has no duplicates. */
export function removeDuplicates(key: string | undefined, list: readonly unknown[]): readonly unknown[] {
  if (key === undefined) return list;
  const values = new Set(list.map((each) => valueAt(each, key)));
  return values.size === list.length ? list : list.filter((each) => values.delete(valueAt(each, key)));
}

export const checkObject: ValueCheck = (value) => (isRecord(value) ? undefined : formatTypeFault('object', value));

function createObjectCheck(fields: readonly FieldCheck[]): ValueCheck {
  return (value) => {
    if (!isRecord(value)) return formatTypeFault('object', value);
    const invalidField = fields.find((field) => findFieldFault(value, field) !== undefined);
    return invalidField && `.${invalidField.name}${findFieldFault(value, invalidField)}`;
  };
}

/** Returns the fault of a field of `object`. A null field is treated as absent. */
export function findFieldFault(object: object, { name, isRequired, check }: FieldCheck): string | undefined {
  const value = getField(object, name);
  if (value !== undefined) return check(value);
  return isRequired ? ' is missing' : undefined;
}

/** Returns the value of a field, or `undefined` for null. */
export function getField(object: object, name: string): unknown {
  return (object as Readonly<Record<string, unknown>>)[name] ?? undefined;
}
