export type PlainValue =
  | string
  | number
  | boolean
  | null
  | readonly PlainValue[]
  | { readonly [key: string]: PlainValue };

/** Maximum depth of nested objects. Deeper objects are omitted to keep log lines short. */
const MAX_DEPTH = 6;

/**
 * Converts any logged value to JSON data. Converts dates to ISO 8601, errors to objects with `name`, `message`,
 * `stack`, `cause` and a few other fields, and bigints to digits. Replaces values that cannot be converted, such as
 * cycles, with a short description. Never throws.
 */
export function toPlainValue(value: unknown): PlainValue {
  return convertValue(value, []);
}

/** @param ancestors Objects that contain `value`. */
function convertValue(value: unknown, ancestors: readonly object[]): PlainValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'object':
      return value === null ? null : readSafely(() => convertObject(value, ancestors));
    case 'function':
      return `[function ${value.name}]`;
    case 'bigint':
    case 'symbol':
    case 'undefined':
      return String(value);
  }
}

function convertObject(value: object, ancestors: readonly object[]): PlainValue {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (ancestors.includes(value)) return '[circular]';
  if (ancestors.length === MAX_DEPTH) return '[too deep]';
  const enclosingObjects = [...ancestors, value];
  if (Array.isArray(value)) return value.map((item) => convertValue(item, enclosingObjects));
  if (value instanceof Set) return [...value].map((item) => convertValue(item, enclosingObjects));
  if (value instanceof Map) return convertEntries([...value], enclosingObjects);
  if (value instanceof Error) return convertError(value, enclosingObjects);
  if ('toJSON' in value && typeof value.toJSON === 'function') return convertValue(value.toJSON(), enclosingObjects);
  return convertEntries(readEntries(value), enclosingObjects);
}

/**
 * Properties of an error that are logged in addition to its name, message, stack and cause. Other properties are
 * omitted, because some libraries add confidential input to their errors.
 */
const ERROR_FIELDS = [
  ...['code', 'status', 'statusCode', 'reason', 'causes', 'retryAfterMs'],
  ...['syscall', 'path', 'address', 'hostname', 'port'],
];

/** Converts an error. If the error has no stack, the stacks of its causes are omitted too. */
function convertError(error: Error, enclosingObjects: readonly object[]): PlainValue {
  const isStackShown = enclosingObjects.every(
    (enclosingObject) => !(enclosingObject instanceof Error) || enclosingObject.stack !== undefined,
  );
  return convertEntries(
    [
      ['name', error.name],
      ['message', error.message],
      ...ERROR_FIELDS.map((key) => [key, readSafely(() => Reflect.get(error, key))] as const),
      ['errors', error instanceof AggregateError ? error.errors : undefined],
      ['stack', isStackShown ? withoutLibraryFrames(error.stack) : undefined],
      ['cause', error.cause],
    ],
    enclosingObjects,
  );
}

/** A frame of this package, as an installed package, or of Node. */
const LIBRARY_FRAME_PATTERN = /^ +at .*(?:[\\/]node_modules[\\/]controller-runtime[\\/]|node:internal\/)/;

/** Removes the frames of this package and of Node, so that the frames of the operator remain, if there are any. */
function withoutLibraryFrames(stack: string | undefined): string | undefined {
  const lines = stack?.split('\n').filter((line) => !LIBRARY_FRAME_PATTERN.test(line));
  return lines?.some((line) => /^ +at /.test(line)) ? lines.join('\n') : stack;
}

/** Omits undefined values, as JSON does. */
function convertEntries(
  entries: readonly (readonly [unknown, unknown])[],
  enclosingObjects: readonly object[],
): PlainValue {
  const definedEntries = entries.filter(([, value]) => value !== undefined);
  return Object.fromEntries(definedEntries.map(([key, value]) => [String(key), convertValue(value, enclosingObjects)]));
}

function readEntries(object: object): [string, unknown][] {
  return Object.keys(object).map((key) => [key, readSafely(() => Reflect.get(object, key))]);
}

/** Returns the result of `read`, or the error message if `read` throws. */
function readSafely<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    return `[unreadable: ${error instanceof Error ? error.message : typeof error}]`;
  }
}
