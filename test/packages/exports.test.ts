import { labelSelector } from 'controller-runtime';
import { expect, test } from 'vitest';
import { LIBRARIES } from '../../hack/packages/pack-package.ts';
import { listHiddenNames } from './public-declarations.ts';

test.each(LIBRARIES)('no export of %s hides a name of an `export *`', (folder) => {
  expect(listHiddenNames(folder)).toEqual([]);
});

test('labelSelector of controller-runtime is the predicate', () => {
  const { onAdd } = labelSelector('app=web');
  const createPod = (app: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z', labels: { app } },
  });
  expect(['web', 'db'].map((app) => onAdd?.(createPod(app)))).toEqual([true, false]);
});
