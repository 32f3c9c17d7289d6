import { expect, test } from 'vitest';
import { TrackedIds } from './tracked-ids.ts';

const MANY = 30_000;

test('what the cache has is remembered, however much it is', () => {
  const ids = new TrackedIds();
  for (let each = 0; each < MANY; each++) ids.add(`${each}`, true);
  expect([ids.has('0'), ids.has(`${MANY - 1}`)]).toEqual([true, true]);
  ids.delete('0');
  expect(ids.has('0')).toBe(false);
});

test('of what the cache has not, the oldest is forgotten', () => {
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
