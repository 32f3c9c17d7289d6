/** Turns whatever somebody logged into what JSON can carry. */

export type PlainValue =
  | string
  | number
  | boolean
  | null
  | readonly PlainValue[]
  | { readonly [key: string]: PlainValue };

/** Deeper objects are cut: a log line is not a dump. */
const MAX_DEPTH = 6;

/**
 * `value` as plain data: dates as ISO 8601, errors as {name, message, stack, cause} and a few more, bigints as digits. Cycles, getters
 * that throw and the like become a short text that says so. Never throws.
 */
export function plainValue(value: unknown): PlainValue {
  return convert(value, []);
}

/** @param parents The objects that `value` is inside of. */
function convert(value: unknown, parents: readonly object[]): PlainValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'object':
      return value === null ? null : unlessItThrows(() => convertObject(value, parents));
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
  const inside = [...parents, value];
  if (Array.isArray(value)) return value.map((item) => convert(item, inside));
  if (value instanceof Set) return [...value].map((item) => convert(item, inside));
  if (value instanceof Map) return convertEntries([...value], inside);
  if (value instanceof Error) return convertError(value, inside);
  if ('toJSON' in value && typeof value.toJSON === 'function') return convert(value.toJSON(), inside);
  return convertEntries(entriesOf(value), inside);
}

/**
 * What is shown of an error besides its name, message, stack and cause. No other property: libraries hang onto errors what they
 * were given, such as the text that they could not parse.
 */
const SHOWN_OF_ERRORS = [
  ...['code', 'status', 'statusCode', 'reason', 'causes', 'retryAfterMs'],
  ...['syscall', 'path', 'address', 'hostname', 'port'],
];

/** Below an error without a stack, nothing has one: where the program noticed helps nobody there. */
function convertError(error: Error, inside: readonly object[]): PlainValue {
  const isStackShown = inside.every((each) => !(each instanceof Error) || each.stack !== undefined);
  return convertEntries(
    [
      ['name', error.name],
      ['message', error.message],
      ...SHOWN_OF_ERRORS.map((key) => [key, unlessItThrows(() => Reflect.get(error, key))] as const),
      ['errors', error instanceof AggregateError ? error.errors : undefined],
      ['stack', isStackShown ? error.stack : undefined],
      ['cause', error.cause],
    ],
    inside,
  );
}

/** Entries that are undefined are left out, as JSON does. */
function convertEntries(entries: readonly (readonly [unknown, unknown])[], inside: readonly object[]): PlainValue {
  const defined = entries.filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined.map(([key, value]) => [String(key), convert(value, inside)]));
}

function entriesOf(object: object): [string, unknown][] {
  return Object.keys(object).map((key) => [key, unlessItThrows(() => Reflect.get(object, key))]);
}

/** What `read` returns, or a text that says why it cannot be read. */
function unlessItThrows<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    return `[unreadable: ${error instanceof Error ? error.message : typeof error}]`;
  }
}
