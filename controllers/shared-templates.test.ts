import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventually } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import type { JobTemplateSpec } from '../api/kubernetes.ts';
import { sharedTemplate } from './shared-templates.ts';

const templateOf = (image: string): JobTemplateSpec => ({
  spec: { template: { spec: { containers: [{ name: 'main', image }] } } },
});

test('equal templates are one', () => {
  const [one, other] = [sharedTemplate(templateOf('a')), sharedTemplate(templateOf('b'))];
  expect(sharedTemplate(templateOf('a'))).toBe(one);
  expect(one.parsed).toEqual(templateOf('a'));
  expect(other.parsed).toEqual(templateOf('b'));
});

test('is kept as text: the template that it was made of is let go, and so is the parsed one', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const shared = sharedTemplate(templateOf('large'));
  const held = new WeakRef(shared.parsed);
  await eventually(() => {
    collect();
    if (held.deref() !== undefined) throw new Error('it is still held');
  });
  expect(shared.parsed).toEqual(templateOf('large'));
});

test('one that nobody holds is let go', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const held = new WeakRef(sharedTemplate(templateOf('unheld')));
  await eventually(() => {
    collect();
    if (held.deref() !== undefined) throw new Error('it is still held');
  });
  expect(sharedTemplate(templateOf('unheld')).parsed).toEqual(templateOf('unheld'));
});
