/** Lists contain the writes of this process that the cache does not contain yet. */
import { expect, test } from 'vitest';
import type { CachedListOptions } from '../client/client.ts';
import { CacheHarness, WIDGETS_PATH } from '../test-support/cache-harness.ts';
import { type Widget, widget, widgets } from '../test-support/objects.ts';

/** Returns the names, versions and colors that a list returns, sorted. */
async function list({ client }: CacheHarness, options: CachedListOptions<Widget> = {}): Promise<readonly string[]> {
  const objects = await client.list(widgets, options);
  return objects.map(({ metadata, spec }) => `${metadata.name}@${metadata.resourceVersion} ${spec.color}`).toSorted();
}

/** Deletes the Widget; the watch has not delivered the deletion yet. */
async function remove({ client, transport }: CacheHarness, name: string): Promise<void> {
  transport.answer = () => ({ apiVersion: 'v1', kind: 'Status', details: { uid: `uid-of-${name}` } });
  await client.delete(widgets, { namespace: 'default', name });
}

/** The cache has the red Widgets a, b and c; this client changed a, removed b, and created d and e. */
async function written(): Promise<CacheHarness> {
  const scene = await CacheHarness.with(widget({ name: 'a' }), widget({ name: 'b' }), widget({ name: 'c' }));
  await scene.write({ name: 'a', resourceVersion: '2' }, 'blue');
  await remove(scene, 'b');
  await scene.write({ name: 'd', resourceVersion: '4', labels: { app: 'web' } }, 'blue');
  await scene.write({ name: 'e', resourceVersion: '5', namespace: 'other' }, 'red');
  return scene;
}

test.each<[CachedListOptions<Widget>, readonly string[]]>([
  [{}, ['a@2 blue', 'c@1 red', 'd@4 blue', 'e@5 red']],
  [{ namespace: 'other' }, ['e@5 red']],
  [{ labelSelector: 'app=web' }, ['d@4 blue']],
  [{ index: { name: 'color', value: 'blue' } }, ['a@2 blue', 'd@4 blue']],
  [{ index: { name: 'color', value: 'red' }, namespace: 'default' }, ['c@1 red']],
])('a list with %j contains what was written, and not what was changed or removed', async (options, want) => {
  const scene = await written();
  expect(await list(scene, options)).toEqual(want);
});

test('a list contains each object once, after the watch has delivered it', async () => {
  const scene = await written();
  await scene.deliver('MODIFIED', { name: 'a', resourceVersion: '2' }, 'blue');
  await scene.deliver('DELETED', { name: 'b', resourceVersion: '3' });
  await scene.deliver('ADDED', { name: 'd', resourceVersion: '4' }, 'blue');
  await scene.deliver('ADDED', { name: 'e', namespace: 'other', resourceVersion: '5' });
  await scene.deliver('MODIFIED', { name: 'c', resourceVersion: '6' }, 'green');
  expect(await list(scene)).toEqual(['a@2 blue', 'c@6 green', 'd@4 blue', 'e@5 red']);
  expect(await scene.client.list(widgets)).toEqual(await scene.cache.list(widgets));
});

test('a list omits a new object that another client deleted before the response', async () => {
  const scene = await CacheHarness.with();
  scene.transport.answer = async () => {
    await scene.deliver('ADDED', { resourceVersion: '2' });
    await scene.deliver('DELETED', { resourceVersion: '3' });
    return widget({ resourceVersion: '2' });
  };
  await scene.client.create(widgets, widget());
  expect(await list(scene)).toEqual([]);
});

test('a list omits a new object that the watch has passed over', async () => {
  const scene = await CacheHarness.with();
  await scene.write({ resourceVersion: '2' }, 'red');
  expect(await list(scene)).toEqual(['a@2 red']);
  await scene.deliver('ADDED', { name: 'b', resourceVersion: '3' });
  expect(await list(scene)).toEqual(['b@3 red']);
});

test('a list contains a new object of a deleted name, also after the watch has delivered the deletion', async () => {
  const scene = await CacheHarness.with(widget());
  await remove(scene, 'a');
  await scene.write({ uid: 'another', resourceVersion: '3' }, 'blue');
  expect(await list(scene)).toEqual(['a@3 blue']);
  await scene.deliver('DELETED', { resourceVersion: '2' });
  expect(await list(scene)).toEqual(['a@3 blue']);
});

test.each([
  ['labels', { labelSelector: 'app=web' }],
  ['namespaces', { namespaces: ['other'] }],
  ['fields', { fieldSelector: 'spec.color=blue' }],
])('a list omits written objects outside of the scope of the cache: %s', async (_, scope) => {
  const scene = new CacheHarness();
  scene.cache.informerFor(widgets, scope);
  const labels = { app: 'web' };
  await scene.read(widget({ name: 'b', namespace: 'other', labels }));
  await scene.write({ name: 'a', resourceVersion: '2' }, 'red');
  await scene.write({ name: 'b', namespace: 'other', resourceVersion: '3' }, 'blue');
  const isStillSelected = !('labelSelector' in scope);
  expect(await list(scene)).toEqual(isStillSelected ? ['b@3 blue'] : []);
});

test('a list forgets writes before the informer reads all objects, because a restore of etcd may have lost them', async () => {
  const scene = await written();
  scene.transport.watch().expire();
  await scene.clock.advance(60_000);
  scene.transport.watch(WIDGETS_PATH).sendInitial([widget({ name: 'b' })], '1');
  await scene.settled();
  expect(await list(scene)).toEqual(['b@1 red']);
});
