import { expect, test } from 'vitest';
import { widget } from '../test/support/objects.ts';
import type { ObjectMeta } from './client/object.ts';
import { specOrMetadataChanged } from './predicate.ts';

const before: Partial<ObjectMeta> = {
  generation: 1,
  resourceVersion: '1',
  labels: { app: 'web', tier: 'front' },
  annotations: { note: 'x' },
};

test.each<{ name: string; change: Partial<ObjectMeta>; want: boolean }>([
  { name: 'the status changed', change: { resourceVersion: '2' }, want: false },
  { name: 'the spec changed', change: { generation: 2 }, want: true },
  { name: 'it is to be deleted', change: { deletionTimestamp: '2026-01-01T00:00:00Z' }, want: true },
  { name: 'another object took its name', change: { uid: 'another' }, want: true },
  { name: 'a label has another value', change: { labels: { app: 'web', tier: 'back' } }, want: true },
  { name: 'a label has another name', change: { labels: { app: 'web', level: 'front' } }, want: true },
  { name: 'a label was added', change: { labels: { ...before.labels, more: '' } }, want: true },
  { name: 'a label was removed', change: { labels: { app: 'web' } }, want: true },
  { name: 'all labels were removed', change: { labels: {} }, want: true },
  { name: 'labels come in another order', change: { labels: { tier: 'front', app: 'web' } }, want: false },
  { name: 'an annotation changed', change: { annotations: { note: 'y' } }, want: true },
])('specOrMetadataChanged answers $want when $name', ({ change, want }) => {
  expect(specOrMetadataChanged.onUpdate?.(widget(before), widget({ ...before, ...change }))).toBe(want);
});

test('specOrMetadataChanged takes no labels for the same as absent ones', () => {
  expect(specOrMetadataChanged.onUpdate?.(widget(), widget({ labels: {}, annotations: {} }))).toBe(false);
});
