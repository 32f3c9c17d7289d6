import { expect, test } from 'vitest';
import { TrackedIds } from './tracked-ids.ts';

const MANY = 30_000;

test('keeps every id that the cache has', () => {
  const ids = new TrackedIds();
  for (let each = 0; each < MANY; each++) ids.add(`${each}`, true);
  expect([ids.has('0'), ids.has(`${MANY - 1}`)]).toEqual([true, true]);
  ids.delete('0');
  expect(ids.has('0')).toBe(false);
});

test('drops the oldest ids that the cache does not have', () => {
  const ids = new TrackedIds();
  ids.add('arrives', false);
  ids.setCached('arrives', true);
  ids.add('goes', true);
  ids.setCached('goes', false);
  ids.setCached('unknown', true);
  for (let each = 0; each < MANY; each++) ids.add(`${each}`, false);
  expect(['arrives', 'goes', 'unknown', '0', `${MANY - 1}`].filter((id) => ids.has(id))).toEqual([
    'arrives',
    `${MANY - 1}`,
  ]);
});
