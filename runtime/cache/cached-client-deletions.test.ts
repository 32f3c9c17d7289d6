import { describe, expect, test } from 'vitest';
import { ApiError } from '../client/errors.ts';
import { core, type Namespace } from '../kubernetes/core.ts';
import { CacheHarness, key } from '../test-support/cache-harness.ts';
import { widget, widgets } from '../test-support/objects.ts';
import { MAX_BACK_OFF_MS } from './watch-retries.ts';

const notFound = () => {
  throw new ApiError(404, {});
};
const mustNotAsk = () => {
  throw new Error('the client knows that');
};

describe('get does not return an object that this client removed', () => {
  const marked = { finalizers: ['example.com/disk'], deletionTimestamp: '2026-01-02T00:00:00Z' };
  const createDeletedStatus = () => ({ kind: 'Status', apiVersion: 'v1', details: { uid: 'uid-of-a' } });

  /** The cache has an object that is being deleted, and a write removes its last finalizer. */
  async function finalized(): Promise<CacheHarness> {
    const scene = await CacheHarness.with(widget({ resourceVersion: '9', ...marked }));
    await scene.write({ resourceVersion: '9', deletionTimestamp: marked.deletionTimestamp }, 'red');
    scene.transport.answer = mustNotAsk;
    return scene;
  }

  test('by removing the last finalizer, whose answer has the old version', async () => {
    const scene = await finalized();
    expect(await scene.color()).toBeUndefined();
    await scene.deliver('MODIFIED', { resourceVersion: '10', ...marked });
    expect(await scene.color()).toBeUndefined();
  });

  test.each([
    ['nothing keeps it', createDeletedStatus, undefined],
    ['its kind is answered with the object', () => widget({ resourceVersion: '2' }), undefined],
    ['a finalizer keeps it', () => widget({ resourceVersion: '2', ...marked }, { color: 'blue' }), 'blue'],
    [
      'its grace period keeps it',
      () => widget({ resourceVersion: '2', deletionGracePeriodSeconds: 30 }, { color: 'blue' }),
      'blue',
    ],
  ])('by a delete: %s', async (_, answer, want) => {
    const scene = await CacheHarness.with(widget({ resourceVersion: '1' }));
    scene.transport.answer = answer;
    await scene.client.delete(widgets, key);
    scene.transport.answer = mustNotAsk;
    expect(await scene.color()).toBe(want);
  });

  test.each([
    ['that does not say what is gone', () => ({ kind: 'Status', apiVersion: 'v1' })],
    ['of another object of that name', () => ({ kind: 'Status', apiVersion: 'v1', details: { uid: 'another' } })],
    ['that failed', () => notFound()],
  ])('by a delete %s: get reads from the API server', async (_, answer) => {
    const scene = await CacheHarness.with(widget({ resourceVersion: '1' }));
    scene.transport.answer = answer;
    await scene.client.delete(widgets, key).catch(() => {});
    scene.transport.answer = notFound;
    expect(await scene.color()).toBeUndefined();
  });

  test('returns the successor of the removed object', async () => {
    const scene = await finalized();
    await scene.deliver('DELETED', { resourceVersion: '10', ...marked });
    expect(await scene.color()).toBeUndefined();
    await scene.deliver('ADDED', { resourceVersion: '11', uid: 'another' }, 'green');
    expect(await scene.color()).toBe('green');
  });

  test('does not return a predecessor whose deletion the cache has not received', async () => {
    const scene = await finalized();
    await scene.write({ resourceVersion: '12', uid: 'another' }, 'green');
    expect(await scene.color()).toBe('green');
    scene.transport.answer = () => ({ ...createDeletedStatus(), details: { uid: 'another' } });
    await scene.client.delete(widgets, key);
    scene.transport.answer = mustNotAsk;
    expect(await scene.color()).toBeUndefined();
    await scene.deliver('DELETED', { resourceVersion: '10', ...marked });
    await scene.deliver('ADDED', { resourceVersion: '12', uid: 'another' });
    expect(await scene.color()).toBeUndefined();
  });

  test('reads from the API server after a relist, because etcd may have been restored', async () => {
    const scene = await finalized();
    scene.transport.watch().expire();
    await scene.clock.advance(2 * MAX_BACK_OFF_MS);
    scene.transport.answer = notFound;
    expect(await scene.color()).toBeUndefined();
    scene.transport.answer = () => widget({ resourceVersion: '8', ...marked }, { color: 'red' });
    expect(await scene.color()).toBe('red');
  });

  test('a dry run removes nothing', async () => {
    const scene = await CacheHarness.with(widget({ resourceVersion: '1' }));
    scene.transport.answer = createDeletedStatus;
    await scene.client.delete(widgets, key, { dryRun: true });
    expect(await scene.color()).toBe('red');
  });

  test('hides a Namespace only when its own finalizers are gone', async () => {
    const { namespaces } = core.v1;
    const scene = new CacheHarness();
    scene.cache.informerFor(namespaces);
    const { namespace: _, ...metadata } = widget().metadata;
    const stored = (spec: object) =>
      ({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { ...metadata, ...marked, finalizers: [] },
        spec,
      }) as unknown as Namespace;
    await scene.start();
    scene.transport.watch().sendInitial([stored({ finalizers: ['kubernetes'] })]);
    await scene.clock.advance(0);
    for (const [spec, isThere] of [
      [{ finalizers: ['kubernetes'] }, true],
      [{}, false],
    ] as const) {
      scene.transport.answer = () => stored(spec);
      await scene.client.patch(namespaces, { name: 'a' }, { kind: 'merge', body: {} });
      expect((await scene.client.get(namespaces, { name: 'a' })) !== undefined).toBe(isThere);
    }
  });
});
