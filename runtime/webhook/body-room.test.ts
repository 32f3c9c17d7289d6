import { expect, test } from 'vitest';
import { BodyRoom } from './body-room.ts';

const KIB = 1024;

/** Takes places by name; `evicted` are those that had to give way, in that order. */
function setUp(maxBytes: number) {
  const room = new BodyRoom(maxBytes);
  const evicted: string[] = [];
  const take = (name: string, bytes: number, sender?: string) =>
    room.take({ bytes, sender, evict: () => void evicted.push(name) });
  return { room, evicted, take };
}

test('never holds more than it may, and gives room back once', () => {
  const { room, take } = setUp(400 * KIB);
  const [first, second] = [take('first', 300 * KIB), take('second', 100 * KIB)];
  first?.complete();
  second?.complete();
  expect(room.heldBytes).toBe(400 * KIB);
  expect(take('third', 1)).toBeUndefined();
  first?.leave();
  first?.leave();
  expect(room.heldBytes).toBe(100 * KIB);
});

test('counts each body for its buffers at least, so there are never more than so many', () => {
  const { take, room } = setUp(128 * KIB);
  for (let index = 0; index < 2; index++) take('tiny', 1)?.complete();
  expect(room.heldBytes).toBe(128 * KIB);
  expect(take('tiny', 1)).toBeUndefined();
});

test('takes room from whoever has been sending for the longest time', () => {
  const { take, evicted, room } = setUp(300 * KIB);
  const slow = ['slow 1', 'slow 2', 'slow 3'].map((name) => take(name, 100 * KIB));
  expect(take('good', 100 * KIB)).toBeDefined();
  expect(evicted).toEqual(['slow 1']);
  slow[0]?.leave();
  expect(take('large', 200 * KIB)).toBeDefined();
  expect(evicted).toEqual(['slow 1', 'slow 2', 'slow 3']);
  expect(room.heldBytes).toBe(300 * KIB);
});

test('takes nothing from a body that is complete, nor from others in vain', () => {
  const { take, evicted } = setUp(300 * KIB);
  take('complete', 200 * KIB)?.complete();
  take('slow', 100 * KIB);
  expect(take('large', 200 * KIB)).toBeUndefined();
  expect(evicted).toEqual([]);
  expect(take('good', 100 * KIB)).toBeDefined();
  expect(evicted).toEqual(['slow']);
});

test('takes room from whoever holds more than the newcomer would, from what is complete last', () => {
  const { take, evicted, room } = setUp(400 * KIB);
  take('of few', 100 * KIB, 'few');
  take('complete', 100 * KIB, 'many')?.complete();
  take('slow', 100 * KIB, 'many');
  take('slower', 100 * KIB, 'many');
  expect(take('large', 250 * KIB, 'another')).toBeDefined();
  expect(evicted).toEqual(['slow', 'slower', 'complete']);
  expect(room.heldBytes).toBe(350 * KIB);
});

test('takes nothing that is complete for a newcomer that would hold as much', () => {
  const { take, evicted } = setUp(400 * KIB);
  for (const name of ['first', 'second']) take(name, 100 * KIB, 'many')?.complete();
  take('of few', 200 * KIB, 'few')?.complete();
  expect(take('large', 200 * KIB, 'another')).toBeUndefined();
  expect(take('third', 100 * KIB, 'many')).toBeUndefined();
  expect(evicted).toEqual([]);
});
