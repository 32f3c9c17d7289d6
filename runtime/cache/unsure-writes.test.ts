import { expect, test } from 'vitest';
import { UnsureWrites } from './unsure-writes.ts';

const MANY = 30_000;

test('what the cache has is remembered, however much it is', () => {
  const unsure = new UnsureWrites();
  for (let each = 0; each < MANY; each++) unsure.add(`${each}`, true);
  expect([unsure.has('0'), unsure.has(`${MANY - 1}`)]).toEqual([true, true]);
  unsure.delete('0');
  expect(unsure.has('0')).toBe(false);
});

test('of what the cache has not, the oldest is forgotten', () => {
  const unsure = new UnsureWrites();
  unsure.add('arrives', false);
  unsure.move('arrives', true);
  unsure.add('goes', true);
  unsure.move('goes', false);
  unsure.move('unknown', true);
  for (let each = 0; each < MANY; each++) unsure.add(`${each}`, false);
  expect(['arrives', 'goes', 'unknown', '0', `${MANY - 1}`].filter((id) => unsure.has(id))).toEqual([
    'arrives',
    `${MANY - 1}`,
  ]);
});
