/** Converts any logged value to JSON data. */

export type PlainValue =
  | string
  | number
  | boolean
  | null
  | readonly PlainValue[]
  | { readonly [key: string]: PlainValue };

/** Deeper objects are cut, because a log line is not a dump. */
const MAX_DEPTH = 6;

/**
 * Returns `value` as plain data: dates as ISO 8601, errors as {name, message, stack, cause} and a few more fields,
 * bigints as digits. Cycles, getters that throw and similar cases become a short text that describes them. Never
 * throws.
 */
export function toPlainValue(value: unknown): PlainValue {
  return convert(value, []);
}

/** @param parents The objects that contain `value`. */
function convert(value: unknown, parents: readonly object[]): PlainValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'object':
      return value === null ? null : readSafely(() => convertObject(value, parents));
    case 'function':
      return `[function ${value.name}]`;
    case 'bigint':
    case 'symbol':
    case 'undefined':
      return String(value);
  }
}

function convertObject(value: object, parents: readonly object[]): PlainValue {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (parents.includes(value)) return '[circular]';
  if (parents.length === MAX_DEPTH) return '[too deep]';
  const containers = [...parents, value];
  if (Array.isArray(value)) return value.map((item) => convert(item, containers));
  if (value instanceof Set) return [...value].map((item) => convert(item, containers));
  if (value instanceof Map) return convertEntries([...value], containers);
  if (value instanceof Error) return convertError(value, containers);
  if ('toJSON' in value && typeof value.toJSON === 'function') return convert(value.toJSON(), containers);
  return convertEntries(readEntries(value), containers);
}

/**
 * Properties of an error to show besides its name, message, stack and cause. Other properties are left out: libraries
 * attach their input to errors, such as the text that they could not parse.
 */
const ERROR_FIELDS = [
  ...['code', 'status', 'statusCode', 'reason', 'causes', 'retryAfterMs'],
  ...['syscall', 'path', 'address', 'hostname', 'port'],
];

/**
 * The causes of an error without a stack have no stack either: the location where the program noticed the error does
 * not help there.
 */
function convertError(error: Error, inside: readonly object[]): PlainValue {
  const isStackShown = inside.every((each) => !(each instanceof Error) || each.stack !== undefined);
  return convertEntries(
    [
      ['name', error.name],
      ['message', error.message],
      ...ERROR_FIELDS.map((key) => [key, readSafely(() => Reflect.get(error, key))] as const),
      ['errors', error instanceof AggregateError ? error.errors : undefined],
      ['stack', isStackShown ? error.stack : undefined],
      ['cause', error.cause],
    ],
    inside,
  );
}

/** Leaves out undefined entries, as JSON does. */
function convertEntries(entries: readonly (readonly [unknown, unknown])[], inside: readonly object[]): PlainValue {
  const defined = entries.filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined.map(([key, value]) => [String(key), convert(value, inside)]));
}

function readEntries(object: object): [string, unknown][] {
  return Object.keys(object).map((key) => [key, readSafely(() => Reflect.get(object, key))]);
}

/** Returns the result of `read`, or a text that says why it fails. */
function readSafely<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    return `[unreadable: ${error instanceof Error ? error.message : typeof error}]`;
  }
}
