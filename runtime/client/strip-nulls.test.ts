import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseWithoutNulls, stripNullFields, stripNulls } from './strip-nulls.ts';

const json = fc.jsonValue({ depthSize: 'medium' });

/** Computes the expected value by a simple recursion. */
function computeExpected(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(computeExpected);
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const entries = Object.entries(value).filter(([, child]) => child !== null);
  return Object.fromEntries(entries.map(([key, child]) => [key, computeExpected(child)]));
}

describe('stripNulls', () => {
  test('removes every null and keeps the rest', () => {
    fc.assert(
      fc.property(json, (value) => {
        const before = structuredClone(value);
        expect(stripNulls(value)).toStrictEqual(computeExpected(value));
        expect(parseWithoutNulls(JSON.stringify(value))).toStrictEqual(
          computeExpected(JSON.parse(JSON.stringify(value))),
        );
        expect(value).toStrictEqual(before);
      }),
    );
  });

  test('returns a value without nulls itself', () => {
    fc.assert(
      fc.property(json, (value) => {
        const clean = computeExpected(value);
        expect(stripNulls(clean)).toBe(clean);
      }),
    );
  });

  test('keeps the identity of parts without nulls', () => {
    const [spec, list] = [{ schedule: '@hourly' }, [{ a: 1 }]];
    const input = { metadata: { name: 'a', deletionTimestamp: null }, spec, list: [list, null] };
    const got = stripNulls(input) as { spec: unknown; list: unknown[] };
    expect(got).toStrictEqual({ metadata: { name: 'a' }, spec, list: [list] });
    expect(got.spec).toBe(spec);
    expect(got.list[0]).toBe(list);
  });

  test('treats the key __proto__ as any other key', () => {
    const got = parseWithoutNulls('{"__proto__": {"a": null, "b": 1}, "c": null}') as object;
    expect(Object.keys(got)).toEqual(['__proto__']);
    expect(JSON.stringify(got)).toBe('{"__proto__":{"b":1}}');
    expect(Object.getPrototypeOf(got)).toBe(Object.prototype);
  });

  test('handles deeper nesting than the API server accepts', () => {
    const depth = 100_000;
    const got = parseWithoutNulls(`${'{"a":['.repeat(depth)}null${']}'.repeat(depth)}`);
    let left = 0;
    for (let at = got; at !== undefined; left++) at = (at as { readonly a: readonly unknown[] }).a[0];
    expect(left).toBe(depth);
  });
});

describe('stripNullFields', () => {
  test('keeps list items, and returns a value without null fields itself', () => {
    const list = [null, { a: 1 }, [null]];
    const got = stripNullFields({ list, others: [null, { b: null }], gone: null });
    expect(got).toStrictEqual({ list, others: [null, {}] });
    expect((got as { list: unknown }).list).toBe(list);
    expect(stripNullFields(got)).toBe(got);
  });
});
