import { describe, expect, test } from 'vitest';
import type { ObjectMeta } from '../kubernetes/object.ts';
import { type Widget, widget } from '../test-support/objects.ts';
import {
  and,
  annotationChanged,
  createPredicate,
  generationChanged,
  labelChanged,
  labelSelector,
  not,
  or,
  type Predicate,
  resourceVersionChanged,
  specOrMetadataChanged,
} from './predicate.ts';

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
])('specOrMetadataChanged returns $want if $name', ({ change, want }) => {
  expect(specOrMetadataChanged.onUpdate?.(widget(before), widget({ ...before, ...change }))).toBe(want);
});

test('specOrMetadataChanged treats empty labels like absent labels', () => {
  expect(specOrMetadataChanged.onUpdate?.(widget(), widget({ labels: {}, annotations: {} }))).toBe(false);
});

type Change = Partial<ObjectMeta>;
test.each<[name: string, predicate: Predicate<Widget>, change: Change, other: Change]>([
  ['generationChanged', generationChanged, { generation: 2 }, { resourceVersion: '2', labels: { app: 'db' } }],
  ['labelChanged', labelChanged, { labels: { app: 'db' } }, { resourceVersion: '2', generation: 2, annotations: {} }],
  ['annotationChanged', annotationChanged, { annotations: { note: 'y' } }, { generation: 2, labels: {} }],
  ['resourceVersionChanged', resourceVersionChanged, { resourceVersion: '2' }, {}],
])('%s accepts an update if that changed, or if the UID changed', (_, predicate, change, other) => {
  const lets = (more: Partial<ObjectMeta>) => predicate.onUpdate?.(widget(before), widget({ ...before, ...more }));
  expect([lets(change), lets(other), lets({ uid: 'another' })]).toEqual([true, false, true]);
  expect([predicate.onAdd, predicate.onDelete]).toEqual([undefined, undefined]);
});

/** Which of the three kinds of events of `object` the predicate accepts; `old` is the object before the update. */
function letThrough(predicate: Predicate<Widget>, object = widget(), old = object): string[] {
  return [
    ...((predicate.onAdd?.(object) ?? true) ? ['add'] : []),
    ...((predicate.onUpdate?.(old, object) ?? true) ? ['update'] : []),
    ...((predicate.onDelete?.(object) ?? true) ? ['delete'] : []),
  ];
}

describe('combined predicates:', () => {
  const noAdds: Predicate<Widget> = { onAdd: () => false };
  const noDeletes: Predicate<Widget> = { onDelete: () => false };
  const nothing: Predicate<Widget> = { onAdd: () => false, onUpdate: () => false, onDelete: () => false };

  test.each<{ name: string; predicate: Predicate<Widget>; want: readonly string[] }>([
    { name: 'and lets through what all do', predicate: and(noAdds, noDeletes), want: ['update'] },
    { name: 'and of none lets everything through', predicate: and<Widget>(), want: ['add', 'update', 'delete'] },
    { name: 'or lets through what any does', predicate: or(noAdds, noDeletes), want: ['add', 'update', 'delete'] },
    { name: 'or holds back what none lets through', predicate: or(noAdds, nothing), want: ['update', 'delete'] },
    { name: 'not turns it round', predicate: not(noAdds), want: ['add'] },
    { name: 'not of what looks at nothing holds all back', predicate: not<Widget>({}), want: [] },
    { name: 'they nest', predicate: or(and(noAdds, nothing), not(noDeletes)), want: ['delete'] },
  ])('$name', ({ predicate, want }) => {
    expect(letThrough(predicate)).toEqual(want);
  });
});

test('labelSelector accepts objects that match, and objects that no longer match', () => {
  const predicate = labelSelector('app in (web,db)');
  const [web, cache] = [widget({ labels: { app: 'web' } }), widget({ labels: { app: 'cache' } })];
  expect(letThrough(predicate, web)).toEqual(['add', 'update', 'delete']);
  expect(letThrough(predicate, cache)).toEqual([]);
  expect(letThrough(predicate, cache, web)).toEqual(['update']);
  expect(() => labelSelector('app in')).toThrow('label selector');
});

test('createPredicate tests the new object', () => {
  const predicate = createPredicate(({ spec }: Widget) => spec.color === 'red');
  const [red, blue] = [widget(), widget({}, { color: 'blue' })];
  expect(letThrough(predicate, red)).toEqual(['add', 'update', 'delete']);
  expect(letThrough(predicate, blue)).toEqual([]);
});
