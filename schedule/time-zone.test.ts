import { expect, test, vi } from 'vitest';
import { loadTimeZone, type TimeZone } from './time-zone.ts';

/** Number of Intl calls during `work`. */
function countIntlCalls(work: () => void): number {
  // A getter, although its type is a method.
  const prototype: { readonly format: unknown } = Intl.DateTimeFormat.prototype;
  const format = vi.spyOn(prototype, 'format', 'get');
  work();
  const questions = format.mock.calls.length;
  format.mockRestore();
  return questions;
}

function loadZone(name: string): TimeZone {
  const zone = loadTimeZone(name);
  if (zone === undefined) throw new Error(`no zone ${name}`);
  return zone;
}

test('a year is read once', () => {
  const zone = loadZone('Europe/Paris');
  zone.offsetAt(Date.UTC(2026, 0, 1));
  expect(countIntlCalls(() => zone.offsetAt(Date.UTC(2026, 6, 1)))).toBe(0);
});

test('of a hundred years the first is dropped, and reads the same again', () => {
  const zone = loadZone('Europe/Madrid');
  const first = zone.offsetAt(Date.UTC(2026, 6, 1));
  for (let year = 2100; year < 2200; year++) zone.offsetAt(Date.UTC(year, 0, 1));
  let again = first;
  expect(countIntlCalls(() => (again = zone.offsetAt(Date.UTC(2026, 6, 1))))).toBeGreaterThan(0);
  expect(again).toEqual(first);
});

test('offsets are exact to the second, until the next change', () => {
  const newYork = loadZone('America/New_York');
  const before = newYork.offsetAt(Date.parse('2026-03-08T06:59:59Z'));
  expect(new Date(before.endMs).toISOString()).toBe('2026-03-08T07:00:00.000Z');
  const after = newYork.offsetAt(before.endMs);
  expect([before.offsetMs, after.offsetMs]).toEqual([-5 * 3_600_000, -4 * 3_600_000]);
  expect(new Date(after.endMs).toISOString()).toBe('2026-11-01T06:00:00.000Z');
});

test('local mean times of the past have seconds', () => {
  const { offsetMs } = loadZone('Africa/Monrovia').offsetAt(Date.parse('1966-01-01T00:00:00Z'));
  expect(offsetMs).toBe(-(44 * 60 + 30) * 1000);
});

test('UTC has one constant offset', () => {
  expect(loadZone('UTC').offsetAt(0)).toEqual({ startMs: -Infinity, endMs: Infinity, offsetMs: 0 });
});

test('spans in the first century have the right year', () => {
  const at = Date.parse('0050-06-01T00:00:00Z');
  const { startMs, endMs } = loadZone('Europe/Berlin').offsetAt(at);
  expect(startMs).toBeLessThanOrEqual(at);
  expect(endMs).toBeGreaterThan(at);
});
