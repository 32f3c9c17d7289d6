import { expect, test } from 'vitest';
import { listKustomizePatches } from './kustomize-patches.ts';

test.each(['Kustomization', 'Component'])('lists the files of the patches of a %s', (kind) => {
  const patches = [{ path: 'a.yaml' }, { patch: '- op: remove' }, 5];
  expect(listKustomizePatches({ kind, patches, patchesStrategicMerge: ['b.yaml'] }, 'a.yaml')).toEqual([
    'a.yaml',
    'b.yaml',
  ]);
});

test.each([
  ['another kind', { kind: 'CronJob', patches: [{ path: 'a.yaml' }] }],
  ['a kind that cannot be made a text', { kind: Object.create(null), patches: [{ path: 'a.yaml' }] }],
  ['patches that are not a list', { kind: 'Component', patches: { path: 'a.yaml' } }],
  ['null', null],
])('lists no patches of %s', (_, object) => {
  expect(listKustomizePatches(object, 'a.yaml')).toEqual([]);
});
