import { expect, test, vi } from 'vitest';
import { zoneOffsets } from './zone-offsets.ts';

/** How often Intl is asked while `work` is done. */
function questionsOf(work: () => void): number {
  // A getter, though its type says method.
  const prototype: { readonly format: unknown } = Intl.DateTimeFormat.prototype;
  const format = vi.spyOn(prototype, 'format', 'get');
  work();
  const questions = format.mock.calls.length;
  format.mockRestore();
  return questions;
}

test('a year that is asked for again is not read again', () => {
  const offsets = zoneOffsets('Europe/Paris');
  offsets.stretchAt(Date.UTC(2026, 0, 1));
  expect(questionsOf(() => offsets.stretchAt(Date.UTC(2026, 6, 1)))).toBe(0);
});

test('of a hundred years the first is not kept, and reads the same when it is asked for again', () => {
  const offsets = zoneOffsets('Europe/Madrid');
  const first = offsets.stretchAt(Date.UTC(2026, 6, 1));
  for (let year = 2100; year < 2200; year++) offsets.stretchAt(Date.UTC(year, 0, 1));
  let again = first;
  expect(questionsOf(() => (again = offsets.stretchAt(Date.UTC(2026, 6, 1))))).toBeGreaterThan(0);
  expect(again).toEqual(first);
});
