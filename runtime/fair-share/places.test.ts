import { expect, test } from 'vitest';
import { Places } from './places.ts';

/** Takes what `flow` may have; says how much that was. */
function takeAll(places: Places, flow: string): number {
  let count = 0;
  for (; places.mayTake(flow); count++) places.take(flow);
  return count;
}

test('a flow alone gets three fifths, the next ones ever less, and each finds a place until all are taken', () => {
  const places = new Places(100);
  expect([takeAll(places, 'a'), takeAll(places, 'b'), takeAll(places, 'c')]).toEqual([60, 12, 3]);
  for (let flow = 0; flow < 25; flow++) expect(takeAll(places, `first-${flow}`)).toBe(1);
  expect(places.areFull).toBe(true);
  expect(places.mayTake('late')).toBe(false);
});

test('what is given back can be taken again', () => {
  const places = new Places(1);
  places.take('a');
  expect(places.mayTake('b')).toBe(false);
  places.giveBack('a');
  expect([places.areFull, places.mayTake('b')]).toEqual([false, true]);
});

test('without a limit there is always room', () => {
  const places = new Places(Number.POSITIVE_INFINITY);
  for (let index = 0; index < 1000; index++) places.take('a');
  expect([places.areFull, places.mayTake('a')]).toEqual([false, true]);
});
