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
const specOf = (image: string): Spec => ({ schedule: '@daily', template: { image } });

const collected = async (held: WeakRef<object>) => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  await eventually(() => {
    collect();
    if (held.deref() !== undefined) throw new Error('it is still held');
  });
};

test('a compact object looks the same, and so does its copy', () => {
  const made = compact(specOf('a'));
  expect({ ...made }).toEqual(specOf('a'));
  expect(JSON.parse(JSON.stringify(made))).toEqual(specOf('a'));
  expect([isCompact(made), isCompact({ ...made }), isCompact(specOf('a'))]).toEqual([true, false, false]);
});

test('an object without the field stays as it is', () => {
  const without = { schedule: '@daily' } as Spec;
  expect(compact(without)).toBe(without);
});

test('equal values of the field are one', () => {
  expect(compact(specOf('a')).template).toBe(compact(specOf('a')).template);
  expect(compact(specOf('b')).template).toEqual({ image: 'b' });
});

test('holds neither the value that it was made of nor the parsed one', async () => {
  const made = compact(specOf('large'));
  expect(Object.getOwnPropertyDescriptor(made, 'template')?.value).toBeUndefined();
  await collected(new WeakRef(made.template));
  expect(made.template).toEqual({ image: 'large' });
});

test('a text that no object uses is collected', async () => {
  await collected(new WeakRef(compact(specOf('unused'))));
  expect(compact(specOf('unused')).template).toEqual({ image: 'unused' });
});
