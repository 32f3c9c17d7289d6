/** JSON values that differ from good ones in a few places: of another type, too long, too deep, with names that objects inherit. */
import fc from 'fast-check';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A change of one place of a value. Places are numbered in the order in which they come, so that every number is one. */
export type Edit =
  | { readonly kind: 'set' | 'insert'; readonly place: number; readonly value: Json }
  | { readonly kind: 'remove'; readonly place: number }
  | { readonly kind: 'wrapInList' | 'copy'; readonly place: number; readonly other: number }
  | { readonly kind: 'add'; readonly place: number; readonly key: string; readonly value: Json }
  | { readonly kind: 'repeat' | 'nest'; readonly place: number; readonly count: number };

/** Names that a careless program takes for what every object has. */
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

/** What JSON can hold and Go's decoder stores as it is. */
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

/** Halves of characters: JSON can name them, and UTF-8 cannot hold them. */
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
  fc.tuple(someKey, fc.constantFrom<Json>(...WORDS, 'x', 1)).map(([key, value]) => parsedObject(key, value)),
);

/** Any value, with halves of characters as well. */
export const anyValue: fc.Arbitrary<Json> = fc.oneof(
  { weight: 20, arbitrary: wellFormedValue },
  fc.constantFrom<Json>(...LONE_SURROGATES),
);

/** What an API server can have stored: no half of a character. */
export const storableValue = wellFormedValue;

const aPlace = fc.nat(10_000);
const MAX_COUNT = 3000;

/** Changes of `value`s at any place. */
export function editsWith(value: fc.Arbitrary<Json>, maxLength = 5): fc.Arbitrary<readonly Edit[]> {
  const edit: fc.Arbitrary<Edit> = fc.oneof(
    { weight: 12, arbitrary: fc.record({ kind: fc.constant('set' as const), place: aPlace, value }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('insert' as const), place: aPlace, value }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const), place: aPlace, key: someKey, value }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove' as const), place: aPlace }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom('wrapInList' as const, 'copy' as const),
        place: aPlace,
        other: aPlace,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constantFrom('repeat' as const, 'nest' as const),
        place: aPlace,
        count: fc.oneof({ weight: 30, arbitrary: fc.nat(20) }, fc.nat(MAX_COUNT)),
      }),
    },
  );
  return fc.array(edit, { minLength: 1, maxLength });
}

/** One place of a value. */
interface Place {
  readonly holder: Json[] | { [key: string]: Json };
  readonly key: string | number;
}

/** The value of a JSON text with the changes made to it. It may be anything then. */
export function edited(text: string, edits: readonly Edit[]): Json {
  const root: { [key: string]: Json } = { root: JSON.parse(text) };
  for (const edit of edits) apply(root, edit);
  return root['root'] ?? null;
}

function apply(root: { [key: string]: Json }, edit: Edit): void {
  const places = placesOf(root);
  const place = places[edit.place % places.length];
  if (place === undefined) return;
  const old = valueAt(place);
  if (edit.kind === 'remove') removeAt(place);
  else if (edit.kind === 'insert' && Array.isArray(old)) old.push(copyOf(edit.value));
  else if (edit.kind === 'add' && isObject(old)) define(old, edit.key, copyOf(edit.value));
  else setAt(place, changed(old, edit, places));
}

function changed(old: Json, edit: Exclude<Edit, { readonly kind: 'remove' }>, places: readonly Place[]): Json {
  switch (edit.kind) {
    case 'set':
    case 'insert':
      return copyOf(edit.value);
    case 'add':
      return parsedObject(edit.key, edit.value);
    case 'wrapInList':
      return [old];
    case 'copy': {
      const from = places[edit.other % places.length];
      return from === undefined ? old : copyOf(valueAt(from));
    }
    case 'repeat':
      return repeated(old, edit.count);
    case 'nest':
      return nested(old, edit.count);
  }
}

function placesOf(root: { [key: string]: Json }): readonly Place[] {
  const places: Place[] = [];
  const holders: Place['holder'][] = [root];
  for (let holder = holders.pop(); holder !== undefined; holder = holders.pop()) {
    for (const key of Object.keys(holder)) {
      const place = { holder, key: Array.isArray(holder) ? Number(key) : key };
      places.push(place);
      const value = valueAt(place);
      if (typeof value === 'object' && value !== null) holders.push(value);
    }
  }
  return places;
}

/** By descriptor: an own `__proto__` is a place like others. */
function valueAt({ holder, key }: Place): Json {
  return Object.getOwnPropertyDescriptor(holder, key)?.value as Json;
}

function setAt({ holder, key }: Place, value: Json): void {
  if (Array.isArray(holder)) holder[Number(key)] = value;
  else define(holder, String(key), value);
}

function removeAt({ holder, key }: Place): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
}

function define(object: { [key: string]: Json }, key: string, value: Json): void {
  Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
}

function parsedObject(key: string, value: Json): Json {
  return JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(value)}}`);
}

/** A text is longer then, a list has more items, and anything else is a list of itself. */
function repeated(value: Json, count: number): Json {
  if (typeof value === 'string') return value.repeat(Math.min(count, Math.ceil(100_000 / (value.length + 1))));
  const items = Array.isArray(value) ? value : [value];
  const times = Math.min(count, Math.ceil(200_000 / JSON.stringify(items).length));
  return Array.from({ length: times }, () => copyOf(items)).flat();
}

/** Of its own: a later change at one place must not be one at others. */
function copyOf<T extends Json>(value: T): T {
  return typeof value === 'object' ? JSON.parse(JSON.stringify(value)) : value;
}

/** By each of at most five edits, one within the other: `JSON.stringify` gives up beyond some thousand levels, and so would the test. */
const MAX_DEPTH = 1_000;

function nested(value: Json, count: number): Json {
  let whole = value;
  const levels = Math.min(count, MAX_DEPTH - depthOf(value));
  for (let depth = 0; depth < levels; depth++) whole = depth % 2 === 0 ? [whole] : { a: whole };
  return whole;
}

/** Level by level: a recursion would not go as deep as what it measures. */
function depthOf(value: Json): number {
  let depth = 0;
  for (let level: readonly Json[] = [value]; level.length > 0; depth++) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return depth;
}

function isObject(value: Json): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
