import { expect, test } from 'vitest';
import { type GoldenRow, readGoldenAmounts } from '../yaml/testing/golden.ts';
import { Quantity } from './quantity.ts';

/** Go prints `1000E` as `1`, because it has no larger suffix. */
const rows = readGoldenAmounts().filter(({ quantity }) => quantity !== undefined && quantity !== '1000E');
/** Texts that Go accepts, and that the pattern in CRDs refuses. */
const LENIENT = /^[+-]?\.?([a-z]|$)/i;

test('reads, prints, adds, subtracts and compares quantities like Go', () => {
  const differences = rows
    .map((row) => [row, calculate(row)] as const)
    .filter(([{ canonical, quantity = '' }, result]) => {
      return result === undefined ? canonical !== undefined && !LENIENT.test(quantity) : result.canonical !== canonical;
    });
  expect(differences).toEqual([]);
  for (const row of rows) expect(row).toMatchObject(calculate(row) ?? {});
  expect(rows.filter(({ other }) => other !== undefined).length).toBeGreaterThan(100);
});

/** Returns the results for a row, or `undefined` if its text is not a quantity. */
function calculate({ quantity, value, other, compared }: GoldenRow): Partial<GoldenRow> | undefined {
  const parsed = Quantity.tryParse(quantity);
  if (parsed === undefined) return undefined;
  const canonical = String(parsed);
  // Go's Value() of -500m is 1.
  const rounded = value === undefined || canonical.startsWith('-') ? {} : { value: String(parsed.toBigInt()) };
  if (other === undefined) return { canonical, ...rounded };
  const operand = Quantity.parse(other);
  const order = parsed.compare(operand);
  const results = { sum: String(parsed.add(operand)), difference: String(parsed.subtract(operand)) };
  return { canonical, ...rounded, ...results, ...((compared !== undefined || order !== 0) && { compared: order }) };
}

test('multiplies by an integer, and converts to numbers', () => {
  const memory = Quantity.parse('1.5Gi');
  expect(String(memory.multiply(3))).toBe('4608Mi');
  expect(memory.toNumber()).toBe(1.5 * 2 ** 30);
  expect(Quantity.parse('250m').toNumber()).toBe(0.25);
  expect(['1500m', '-500m', '-2'].map((text) => Quantity.parse(text).toBigInt())).toEqual([2n, -1n, -2n]);
  expect(JSON.stringify({ cpu: Quantity.parse(0.5) })).toBe('{"cpu":"500m"}');
  expect(() => memory.multiply(0.5)).toThrow(RangeError);
});

test('explains an invalid text', () => {
  expect(() => Quantity.parse('1 GB')).toThrow(
    '"1 GB" is not a quantity; use a number with a unit, such as 500m, 2 or 1Gi',
  );
  expect([Number.NaN, true, '1e999', '', undefined].map((value) => Quantity.tryParse(value))).toEqual(
    Array(5).fill(undefined),
  );
});
