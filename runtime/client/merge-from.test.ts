import { expect, test } from 'vitest';
import type { ConfigMap } from '../kubernetes/core.ts';
import { mergeFrom } from './merge-from.ts';

const before: ConfigMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    namespace: 'default',
    name: 'a',
    uid: 'u',
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { app: 'a', tier: 'b' },
    finalizers: ['example.com/a', 'example.com/b'],
  },
  data: { a: '1', b: '2' },
};

test.each<{ name: string; after: ConfigMap; want: object }>([
  { name: 'nothing', after: { ...before }, want: {} },
  { name: 'a field', after: { ...before, data: { a: '1', b: '3' } }, want: { data: { b: '3' } } },
  { name: 'a new field', after: { ...before, immutable: true }, want: { immutable: true } },
  { name: 'a field that is gone', after: { ...before, data: { a: '1' } }, want: { data: { b: null } } },
  {
    name: 'a list, as a whole',
    after: { ...before, metadata: { ...before.metadata, finalizers: ['example.com/b'] } },
    want: { metadata: { finalizers: ['example.com/b'] } },
  },
])('a merge patch contains $name', ({ after, want }) => {
  expect(mergeFrom(before, after)).toEqual({ kind: 'merge', body: want });
});

test('removes fields that are undefined', () => {
  const { data: _, ...rest } = before;
  expect(mergeFrom(before, rest).body).toEqual({ data: null });
});

test('an optimistic lock adds the version that was read', () => {
  const after = { ...before, metadata: { ...before.metadata, labels: { app: 'a' } } };
  expect(mergeFrom(before, after, { optimisticLock: true }).body).toEqual({
    metadata: { resourceVersion: '7', labels: { tier: null } },
  });
  expect(mergeFrom(before, before, { optimisticLock: true }).body).toEqual({ metadata: { resourceVersion: '7' } });
});
