import { expect, test } from 'vitest';
import { JsonBounds, MAX_JSON_DEPTH, MAX_JSON_VALUES } from './json-bounds.ts';

const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;

test.each<[name: string, text: string, want: ReturnType<JsonBounds['add']>]>([
  ['nothing', '', undefined],
  ['an object', '{"a":[1,2,{"b":null}]}', undefined],
  ['what is nested as deep as allowed', nested(MAX_JSON_DEPTH), undefined],
  ['what is nested deeper', nested(MAX_JSON_DEPTH + 2), 'too-deep'],
  ['what is nested 100,000 deep and never closed', '['.repeat(100_000), 'too-deep'],
  ['many lists side by side', '[[],[],[]]'.repeat(1000), undefined],
  ['brackets in a text', `{"a":"${'[{'.repeat(MAX_JSON_DEPTH)}"}`, undefined],
  ['brackets behind escaped quotes', `{"a\\\\":"\\"${'[{'.repeat(MAX_JSON_DEPTH)}\\\\"}`, undefined],
  ['commas in a text', `["${','.repeat(MAX_JSON_VALUES)}"]`, undefined],
  ['as many values as allowed', `[${'0,'.repeat(MAX_JSON_VALUES - 2)}0]`, undefined],
  ['one value more', `[${'0,'.repeat(MAX_JSON_VALUES - 1)}0]`, 'too-many-values'],
])('measures %s, in one piece and byte by byte', (_, text, want) => {
  const bytes = Buffer.from(text);
  expect(new JsonBounds().add(bytes)).toBe(want);
  const inPieces = new JsonBounds();
  let excess: ReturnType<JsonBounds['add']>;
  for (let at = 0; at < bytes.length && excess === undefined; at++) excess = inPieces.add(bytes.subarray(at, at + 1));
  expect(excess).toBe(want);
});

test('counts no less memory than the parsed values take', () => {
  const bounds = new JsonBounds();
  bounds.add(Buffer.from(`[${'{},'.repeat(999)}{}]`));
  expect(bounds.parsedBytes).toBeGreaterThan(1000 * (56 + 8));
});
