import { expect, test } from 'vitest';
import { renderSnapshot, type SnapshotDefinition } from './snapshot-gauges.ts';

interface Pet {
  readonly name: string;
  readonly age?: number;
  readonly legs: number;
}

function pets(...items: readonly Pet[]): SnapshotDefinition<Pet> {
  return {
    labelNames: ['name'],
    gauges: [
      { name: 'pet_age_seconds', help: 'Age.', read: ({ age }) => age },
      { name: 'pet_legs', help: 'Legs.', read: ({ legs }) => legs },
    ],
    items: () => items,
    getLabels: ({ name }) => ({ name }),
  };
}

test('writes all series of a gauge below its help and type', async () => {
  expect(await renderSnapshot(pets({ name: 'cat', age: 1.5, legs: 4 }, { name: 'hen', age: 0, legs: 2 }))).toBe(
    [
      '# HELP pet_age_seconds Age.',
      '# TYPE pet_age_seconds gauge',
      'pet_age_seconds{name="cat"} 1.5',
      'pet_age_seconds{name="hen"} 0',
      '',
      '# HELP pet_legs Legs.',
      '# TYPE pet_legs gauge',
      'pet_legs{name="cat"} 4',
      'pet_legs{name="hen"} 2',
      '',
    ].join('\n'),
  );
});

test('omits a series without a value', async () => {
  const lines = (await renderSnapshot(pets({ name: 'egg', legs: 0 }, { name: 'hen', age: 7, legs: 2 }))).split('\n');
  expect(lines.filter((line) => line.startsWith('pet'))).toEqual([
    'pet_age_seconds{name="hen"} 7',
    'pet_legs{name="egg"} 0',
    'pet_legs{name="hen"} 2',
  ]);
});

test('writes a series without labels if there are none', async () => {
  const definition = { ...pets({ name: 'cat', legs: 4 }), labelNames: [], getLabels: () => ({}) };
  expect((await renderSnapshot(definition)).split('\n')).toContain('pet_legs 4');
});

test('separates labels with commas, and escapes their values', async () => {
  const definition = {
    ...pets({ name: 'a"b\\c\nd', legs: 4 }),
    getLabels: ({ name }: Pet) => ({ name, kind: 'x' }),
    gauges: [{ name: 'pet_legs', help: 'Two\nlines and a \\.', read: () => 4 }],
  };
  expect(await renderSnapshot(definition)).toBe(
    [
      '# HELP pet_legs Two\\nlines and a \\\\.',
      '# TYPE pet_legs gauge',
      'pet_legs{name="a\\"b\\\\c\\nd",kind="x"} 4',
      '',
    ].join('\n'),
  );
});

test('reads the items once per scrape', async () => {
  let readCount = 0;
  const items = () => [{ name: `cat-${++readCount}`, age: 1, legs: 4 }];
  const text = await renderSnapshot({ ...pets(), items });
  expect(text.split('\n').filter((line) => line.startsWith('pet'))).toEqual([
    'pet_age_seconds{name="cat-1"} 1',
    'pet_legs{name="cat-1"} 4',
  ]);
});

test('yields at least every 500 lines, and loses no line', async () => {
  const many = Array.from({ length: 5000 }, (_, index) => ({ name: `p${index}`, age: index, legs: 4 }));
  let turns = 0;
  let isRendering = true;
  const count = () => {
    turns++;
    if (isRendering) setImmediate(count);
  };
  setImmediate(count);
  const lines = (await renderSnapshot(pets(...many))).split('\n');
  isRendering = false;
  expect(turns).toBeGreaterThanOrEqual(20);
  expect(new Set(lines.filter((line) => line.startsWith('pet'))).size).toBe(10_000);
  expect(lines.at(-2)).toBe('pet_legs{name="p4999"} 4');
});
