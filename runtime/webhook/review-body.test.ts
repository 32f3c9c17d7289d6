import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { measureJson, receiveBody } from './review-body.ts';

const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;

test.each<[name: string, text: string, values: number, depth: number]>([
  ['nothing', '', 1, 0],
  ['an object', '{"a":[1,2,{"b":null}]}', 6, 3],
  ['what is nested deep', nested(502), 503, 502],
  ['what is nested 100,000 deep and never closed', '['.repeat(100_000), 100_001, 100_000],
  ['many lists side by side', '[[],[],[]]'.repeat(1000), 6001, 2],
  ['brackets in a text', `{"a":"${'[{'.repeat(502)}"}`, 2, 1],
  ['brackets behind escaped quotes', `{"a\\\\":"\\"${'[{'.repeat(502)}\\\\"}`, 2, 1],
  ['commas in a text', `["${','.repeat(1000)}"]`, 2, 1],
])('measures %s', (_, text, values, depth) => {
  expect(measureJson(Buffer.from(text))).toEqual({ values, depth });
});

/** A request whose body is available at once. */
function request(body: string): IncomingMessage {
  const headers = { 'content-length': `${Buffer.byteLength(body)}` };
  return Object.assign(Readable.from([Buffer.from(body)]), { headers }) as unknown as IncomingMessage;
}

test.each([
  ['as deep as allowed', nested(500), 'received'],
  ['deeper', nested(502), 'the review is nested more than 500 deep'],
  ['of as many values as allowed', `[${'0,'.repeat(299_998)}0]`, 'received'],
  ['of one value more', `[${'0,'.repeat(299_999)}0]`, 'the review has more than 300000 values'],
])('accepts or rejects a body %s', async (_, body, want) => {
  const received = await receiveBody(request(body), () => true);
  expect(received.kind === 'rejected' ? received.message : received.kind).toBe(want);
});

test('reserves memory for the body, and then for its parsed values', async () => {
  const reserved: number[] = [];
  const body = `[${'{},'.repeat(999)}{}]`;
  await receiveBody(request(body), (bytes) => reserved.push(bytes) > 0);
  expect(reserved).toEqual([body.length, expect.any(Number)]);
  expect(reserved[1]).toBeGreaterThan(1000 * (56 + 8));
});

test.each([
  ['before it is read', 0],
  ['before it is parsed', 1],
])('rejects a body for which there is no memory %s', async (_, granted) => {
  let count = 0;
  const received = await receiveBody(request('{}'), () => count++ < granted);
  expect(received).toMatchObject({ kind: 'rejected', code: 429 });
});
