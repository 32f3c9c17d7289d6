import { expect, test, vi } from 'vitest';
import { parseScheduleOrThrow } from './parse-schedule.ts';
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

test('the same name has the same time zone', () => {
  expect(loadZone('Europe/Vaduz')).toBe(loadZone('Europe/Vaduz'));
});

// The time zones are loaded once for all tests, so these tests use years that others do not.
test('128 days are read once', () => {
  const zone = loadZone('Europe/Paris');
  const { endMs } = zone.offsetAt(Date.UTC(1992, 0, 1));
  expect(countIntlCalls(() => zone.offsetAt(endMs - 1))).toBe(0);
  expect(countIntlCalls(() => zone.offsetAt(endMs))).toBeLessThan(80);
});

test.each([
  ['Europe/Andorra', '*/5 * * * *', 80],
  ['Europe/Gibraltar', '30 6 1,15 * 1-5', 80],
  ['Europe/Monaco', '0 0 29 2 *', 160],
  ['Europe/Vatican', '0 0 31 2 *', 160],
])('the first use of a schedule reads few offsets: %s %s', (timeZone, text, limit) => {
  const now = new Date('1986-06-03T00:00:00Z');
  const schedule = parseScheduleOrThrow(text, { timeZone });
  expect(countIntlCalls(() => schedule.next(now))).toBeLessThanOrEqual(limit);
  expect(countIntlCalls(() => schedule.previous(now))).toBeLessThanOrEqual(limit);
});

test('of a hundred years the first is dropped, and reads the same again', () => {
  const zone = loadZone('Europe/Madrid');
  const first = zone.offsetAt(Date.UTC(1992, 6, 1));
  for (let span = first; span.startMs < Date.UTC(2092, 0, 1); ) span = zone.offsetAt(span.endMs);
  let again = first;
  expect(countIntlCalls(() => (again = zone.offsetAt(Date.UTC(1992, 6, 1))))).toBeGreaterThan(0);
  expect(again).toEqual(first);
});

test('offsets are exact to the second, until the next change', () => {
  const newYork = loadZone('America/New_York');
  const before = newYork.offsetAt(Date.parse('2026-03-08T06:59:59Z'));
  expect(new Date(before.endMs).toISOString()).toBe('2026-03-08T07:00:00.000Z');
  const after = newYork.offsetAt(before.endMs);
  expect([before.offsetMs, after.offsetMs]).toEqual([-5 * 3_600_000, -4 * 3_600_000]);
});

test.each([
  ['America/Recife', '2000-10-01', ['2000-10-08T03:00:00.000Z', '2000-10-15T02:00:00.000Z']],
  ['America/Argentina/Tucuman', '2004-05-20', ['2004-06-01T03:00:00.000Z', '2004-06-13T04:00:00.000Z']],
  ['Africa/Tunis', '1943-03-20', ['1943-03-29T01:00:00.000Z', '1943-04-17T00:00:00.000Z', '1943-04-25T01:00:00.000Z']],
])('no short summer time is overlooked in %s', (name, from, want) => {
  const zone = loadZone(name);
  const changes: string[] = [];
  const untilMs = Date.parse(from) + 40 * 86_400_000;
  for (let span = zone.offsetAt(Date.parse(from)); span.endMs < untilMs; ) {
    const next = zone.offsetAt(span.endMs);
    if (next.offsetMs !== span.offsetMs) changes.push(new Date(next.startMs).toISOString());
    span = next;
  }
  expect(changes).toEqual(want);
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
