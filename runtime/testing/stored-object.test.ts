import { expect, test } from 'vitest';
import { z } from 'zod';
import { core } from '../kubernetes/core.ts';
import { defineKind } from '../schema/define-kind.ts';
import { storedObject } from './stored-object.ts';

const Website = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Website',
  spec: z.object({ image: z.string(), replicas: z.int().default(1) }),
  status: z.object({ readyReplicas: z.int().optional() }),
});

test("adds the API server's metadata and the defaults of the kind", () => {
  expect(storedObject(Website, { metadata: { name: 'blog' }, spec: { image: 'nginx' } })).toEqual({
    apiVersion: 'example.com/v1',
    kind: 'Website',
    metadata: {
      namespace: 'default',
      name: 'blog',
      uid: 'uid-of-blog',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { image: 'nginx', replicas: 1 },
  });
});

test('keeps the given fields', () => {
  const metadata = { namespace: 'shop', name: 'a', uid: 'u', labels: { app: 'a' } };
  const site = storedObject(Website, { metadata, spec: { image: 'nginx', replicas: 3 }, status: { readyReplicas: 2 } });
  expect(site).toMatchObject({ metadata, spec: { replicas: 3 }, status: { readyReplicas: 2 } });
});

test('supports built-in kinds, also cluster-scoped', () => {
  expect(storedObject(core.v1.configMaps, { metadata: { name: 'a' }, data: { key: 'value' } })).toMatchObject({
    kind: 'ConfigMap',
    metadata: { namespace: 'default' },
    data: { key: 'value' },
  });
  expect(storedObject(core.v1.namespaces, { metadata: { name: 'a' } }).metadata).not.toHaveProperty('namespace');
});
