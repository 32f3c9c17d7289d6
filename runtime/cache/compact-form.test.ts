import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { compactForm } from './compact-form.ts';

interface Spec {
  readonly schedule: string;
  readonly template: { readonly image: string };
}

const { compact, isCompact } = compactForm<Spec>('template');
const createSpec = (image: string): Spec => ({ schedule: '@daily', template: { image } });

const collected = async (held: WeakRef<object>) => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  await eventually(() => {
    collect();
    if (held.deref() !== undefined) throw new Error('it is still held');
  });
};

test('a compact object and its copy equal the original', () => {
  const compacted = compact(createSpec('a'));
  expect({ ...compacted }).toEqual(createSpec('a'));
  expect(JSON.parse(JSON.stringify(compacted))).toEqual(createSpec('a'));
  expect([isCompact(compacted), isCompact({ ...compacted }), isCompact(createSpec('a'))]).toEqual([true, false, false]);
});

test('returns an object without the field unchanged', () => {
  const without = { schedule: '@daily' } as Spec;
  expect(compact(without)).toBe(without);
});

test('objects with equal values share one value', () => {
  expect(compact(createSpec('a')).template).toBe(compact(createSpec('a')).template);
  expect(compact(createSpec('b')).template).toEqual({ image: 'b' });
});

test('keeps neither the original value nor the parsed value in memory', async () => {
  const compacted = compact(createSpec('large'));
  expect(Object.getOwnPropertyDescriptor(compacted, 'template')?.value).toBeUndefined();
  await collected(new WeakRef(compacted.template));
  expect(compacted.template).toEqual({ image: 'large' });
});

test('drops a text that no object uses', async () => {
  await collected(new WeakRef(compact(createSpec('unused'))));
  expect(compact(createSpec('unused')).template).toEqual({ image: 'unused' });
});
