import { expect, test } from 'vitest';
import { LruMap } from './lru-map.ts';

test('drops what was not used for longest when it is full', () => {
  const map = new LruMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.get('a');
  map.set('c', 3);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
  expect(map.size).toBe(2);
});

test('a value that is set again takes the place of the old one', () => {
  const map = new LruMap<string, number>(2);
  map.set('a', 1);
  map.set('a', 2);
  expect([map.get('a'), map.size]).toEqual([2, 1]);
});

test('delete makes room', () => {
  const map = new LruMap<string, number>(1);
  map.set('a', 1);
  map.delete('a');
  expect([map.get('a'), map.size]).toEqual([undefined, 0]);
});
