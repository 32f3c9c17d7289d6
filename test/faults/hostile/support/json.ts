/** JSON values that differ from good ones in a few places: another type, too long, too deep, or with names that objects inherit. */
import fc from 'fast-check';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A change at one path of a value. */
export interface JsonEdit {
  /** The path: an index at each level. Every number is a valid index, or ends the path. */
  readonly path: readonly number[];
  readonly change:
    | { readonly kind: 'set'; readonly value: Json }
    | { readonly kind: 'remove' | 'wrapInList' }
    | { readonly kind: 'add'; readonly key: string; readonly value: Json }
    | { readonly kind: 'copy'; readonly from: readonly number[] }
    | { readonly kind: 'repeat' | 'nest'; readonly count: number };
}

/** Names that a careless program confuses with properties of every object. */
const INHERITED_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'toJSON',
  'then',
  'length',
  '',
] as const;

/** Values that JSON supports and that Go's decoder stores unchanged. */
export const WELL_FORMED_TEXTS = [
  '',
  ' ',
  '0',
  '-1',
  'null',
  'true',
  '\u0000',
  '\u001b[2J',
  '\r\n',
  '\u2028',
  '\u202eesrever\u202c',
  '\u2067x\u2069',
  '\ufeff',
  '\u{1f600}'.repeat(200),
  `a${'\u{1f600}'.repeat(400)}`,
  'e\u0301'.repeat(50),
  '\u0661\u0662',
  '__proto__',
  '../../etc/passwd',
  '%s%n%x',
  'x'.repeat(63),
  'x'.repeat(254),
  'x'.repeat(5000),
  '2026-01-01T01:00:00Z',
  '2026-01-01T01:00:00.999999999+14:00',
  '2026-02-30T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '0000-01-01T00:00:00+00:01',
  '9999-12-31T23:59:59-23:59',
  '+275760-09-13T00:00:00Z',
  `2026-01-01T01:00:00.${'0'.repeat(1000)}Z`,
  'Europe/Berlin',
  '* * * * *',
  '@every 1s',
  'TZ=0',
] as const;

/** Lone surrogates: JSON has an escape for them, but UTF-8 cannot encode them. */
const LONE_SURROGATES = ['\ud800', 'a\udc00b', '\udfff\ud800'] as const;

const NUMBERS = [0, -0, 1, -1, 0.5, 2 ** 31 - 1, 2 ** 31, 2 ** 53, 2 ** 63, -(2 ** 63), 1e308, 5e-324] as const;
const WORDS: readonly Json[] = [null, true, false, [], {}, [null], [[]], [{}], { a: null }];

const someKey = fc.oneof(
  fc.constantFrom<string>(...INHERITED_NAMES),
  fc.constantFrom('spec', 'status', 'metadata', 'name', 'x'),
  fc.string({ unit: 'binary', maxLength: 4 }),
);

const wellFormedValue: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Json>(...WELL_FORMED_TEXTS) },
  { weight: 3, arbitrary: fc.constantFrom<Json>(...NUMBERS) },
  { weight: 3, arbitrary: fc.constantFrom<Json>(...WORDS) },
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.tuple(someKey, fc.constantFrom<Json>(...WORDS, 'x', 1)).map(([key, value]) => Object.fromEntries([[key, value]])),
);

/** Any value, including lone surrogates. */
export const anyValue: fc.Arbitrary<Json> = fc.oneof(
  { weight: 20, arbitrary: wellFormedValue },
  fc.constantFrom<Json>(...LONE_SURROGATES),
);

/** A value that an API server can have stored: without lone surrogates. */
export const storableValue = wellFormedValue;

const aPath = fc.array(fc.nat(60), { maxLength: 7 });
const MAX_REPEATS = 3000;
/** Levels that one of at most five edits adds: `JSON.stringify` fails beyond some thousand levels, and so would the test. */
const MAX_LEVELS = 200;

/** Changes to `value`s at any path. */
export function editsWith(value: fc.Arbitrary<Json>, maxLength = 5): fc.Arbitrary<readonly JsonEdit[]> {
  const countUpTo = (most: number) => fc.oneof({ weight: 30, arbitrary: fc.nat(20) }, fc.nat(most));
  const change: fc.Arbitrary<JsonEdit['change']> = fc.oneof(
    { weight: 12, arbitrary: fc.record({ kind: fc.constant('set' as const), value }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('add' as const), key: someKey, value }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('remove' as const, 'wrapInList' as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('copy' as const), from: aPath }) },
    fc.record({ kind: fc.constant('repeat' as const), count: countUpTo(MAX_REPEATS) }),
    fc.record({ kind: fc.constant('nest' as const), count: countUpTo(MAX_LEVELS) }),
  );
  return fc.array(fc.record({ path: aPath, change }), { minLength: 1, maxLength });
}

/** The value of a JSON text after the changes. It may have any type. */
export function applyEdits(text: string, edits: readonly JsonEdit[]): Json {
  return edits.reduce((root: Json, { path, change }) => {
    return changeAt(root, path, (old) => applyChange(old, change, root)) ?? null;
  }, JSON.parse(text));
}

/** A copy with another value at the path; `undefined` removes it. Keys are own properties, including `__proto__`. */
function changeAt(value: Json, path: readonly number[], change: (old: Json) => Json | undefined): Json | undefined {
  const part = getPart(value, path);
  if (part === undefined) return change(value);
  const changed = changeAt(part[1], path.slice(1), change);
  const entries = listEntries(value).flatMap((entry): JsonEntry[] => {
    if (entry[0] !== part[0]) return [entry];
    return changed === undefined ? [] : [[entry[0], changed]];
  });
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

function applyChange(old: Json, change: JsonEdit['change'], root: Json): Json | undefined {
  switch (change.kind) {
    case 'set':
      return change.value;
    case 'remove':
      return undefined;
    case 'wrapInList':
      return [old];
    case 'add':
      if (Array.isArray(old)) return [...old, change.value];
      return Object.fromEntries([...listEntries(old), [change.key, change.value]]);
    case 'copy':
      return getValue(root, change.from);
    case 'repeat':
      return repeat(old, change.count);
    case 'nest':
      return Array.from({ length: change.count }).reduce<Json>((whole, _, depth) => {
        return depth % 2 === 0 ? [whole] : { a: whole };
      }, old);
  }
}

type JsonEntry = [key: string, value: Json];

function listEntries(value: Json): readonly JsonEntry[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** The child that the path leads to; `undefined` when it ends here. */
function getPart(value: Json, [step]: readonly number[]): JsonEntry | undefined {
  const entries = listEntries(value);
  return step === undefined ? undefined : entries[step % (entries.length + 1)];
}

function getValue(value: Json, path: readonly number[]): Json {
  const part = getPart(value, path);
  return part === undefined ? value : getValue(part[1], path.slice(1));
}

/** Makes a text longer, gives a list more items, and wraps any other value in a list. */
function repeat(value: Json, count: number): Json {
  if (typeof value === 'string') return value.repeat(Math.min(count, Math.ceil(100_000 / (value.length + 1))));
  const items = Array.isArray(value) ? value : [value];
  const times = Math.min(count, Math.ceil(200_000 / JSON.stringify(items).length));
  return Array.from({ length: times }, () => items).flat();
}
