import { describe, expect, test } from 'vitest';
import type { JsonPatchOperation } from '../client/patch.ts';
import { resourcePath } from '../kubernetes/resource.ts';
import { type Job, job, jobs } from '../test-support/objects.ts';
import { sendRequest } from '../test-support/raw-api.ts';
import { FakeApiServer } from './fake-api-server.ts';

const key = { namespace: 'default', name: 'a' };
const metadata = { ...key, labels: { app: 'web', tier: 'front' } };

describe('server-side apply', () => {
  test('creates the object, then sets the given fields and removes fields that the manager no longer applies', async () => {
    await using server = await FakeApiServer.start();
    const { client } = server;
    const created = await client.apply(jobs, { metadata, spec: { parallelism: 1 } });
    expect(created).toMatchObject({ metadata: { generation: 1 }, spec: { parallelism: 1 } });
    await client.patch(jobs, key, { kind: 'merge', body: { metadata: { annotations: { by: 'hand' } } } });
    await client.apply(jobs, { metadata: { ...key, labels: { app: 'api' } } }, { fieldManager: 'another' });
    const changed = await client.apply(jobs, {
      metadata: { ...key, labels: { app: 'api' } },
      spec: { parallelism: 2 },
    });
    expect(changed.metadata).toMatchObject({ labels: { app: 'api' }, annotations: { by: 'hand' } });
    expect(changed.metadata.labels).toEqual({ app: 'api' });
    expect(changed.spec).toEqual({ parallelism: 2 });
    expect(changed.metadata.uid).toBe(created.metadata.uid);
  });

  test('writes only the status through /status, and nothing in a dry run', async () => {
    await using server = await FakeApiServer.start();
    server.put(jobs, job('a'));
    await server.client.apply(jobs, { metadata: key, status: { ready: 1 } }, { subresource: 'status' });
    await server.client.apply(jobs, { metadata: key, spec: { parallelism: 7 } }, { dryRun: true });
    expect(server.get(jobs, key)).toMatchObject({ spec: { parallelism: 1 }, status: { ready: 1 } });
  });
});

describe('JSON patches', () => {
  const patched = async (body: readonly JsonPatchOperation[]) => {
    await using server = await FakeApiServer.start();
    server.put(jobs, { metadata: { ...metadata, finalizers: ['x/a', 'x/b', 'x/c'] }, spec: { parallelism: 1 } });
    return (await server.client.patch(jobs, key, { kind: 'json', body })) as Job;
  };

  test('add, replace, remove, copy and move, in objects and in lists', async () => {
    const result = await patched([
      { op: 'test', path: '/spec/parallelism', value: 1 },
      { op: 'replace', path: '/spec/parallelism', value: 2 },
      { op: 'add', path: '/metadata/annotations', value: { 'a/b': '1' } },
      { op: 'copy', from: '/metadata/annotations/a~1b', path: '/metadata/annotations/c' },
      { op: 'move', from: '/metadata/labels/tier', path: '/metadata/labels/level' },
      { op: 'remove', path: '/metadata/finalizers/1' },
      { op: 'add', path: '/metadata/finalizers/0', value: 'x/first' },
      { op: 'add', path: '/metadata/finalizers/-', value: 'x/last' },
    ]);
    expect(result.spec).toEqual({ parallelism: 2 });
    expect(result.metadata).toMatchObject({ annotations: { 'a/b': '1', c: '1' } });
    expect(result.metadata.labels).toEqual({ app: 'web', level: 'front' });
    expect(result.metadata.finalizers).toEqual(['x/first', 'x/a', 'x/c', 'x/last']);
  });

  test.each([
    { op: 'test', path: '/spec/parallelism', value: 2 },
    { op: 'remove', path: '/spec/none' },
    { op: 'replace', path: '/metadata/finalizers/9', value: 'x/d' },
  ])('that do not match the document are rejected: $op $path', async (operation) => {
    await expect(patched([operation as JsonPatchOperation])).rejects.toMatchObject({ code: 422 });
  });

  test('with an old resourceVersion are a conflict', async () => {
    await expect(patched([{ op: 'replace', path: '/metadata/resourceVersion', value: '1' }])).rejects.toMatchObject({
      code: 409,
      reason: 'Conflict',
    });
  });
});

test('generates a name from generateName', async () => {
  await using server = await FakeApiServer.start();
  const names = [];
  for (const _ of [1, 2]) {
    const body = { ...job('a'), metadata: { generateName: 'job-' } };
    const created = await sendRequest(server, 'POST', resourcePath(jobs, 'default'), body);
    names.push(created.body.metadata.name);
  }
  expect(names).toEqual([expect.stringMatching(/^job-[a-z2-9]{5}$/), expect.stringMatching(/^job-[a-z2-9]{5}$/)]);
  expect(new Set(names).size).toBe(2);
});
