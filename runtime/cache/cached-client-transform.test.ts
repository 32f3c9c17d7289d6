/** The transform of the cache, which the client also applies to written objects. */
import { expect, test } from 'vitest';
import { CacheHarness, key } from '../test-support/cache-harness.ts';
import { type Widget, widget, widgets } from '../test-support/objects.ts';
import { MAX_BACK_OFF_MS } from './watch-retries.ts';

async function transforming(
  transform: (object: Widget) => Widget,
  ...objects: readonly Widget[]
): Promise<CacheHarness> {
  const scene = new CacheHarness();
  scene.cache.configure(widgets, { transform });
  scene.cache.informerFor(widgets);
  return await scene.read(...objects);
}

/** Keeps the first letter of the color. */
async function abridged(...objects: readonly Widget[]): Promise<CacheHarness> {
  return await transforming((object) => ({ ...object, spec: { color: object.spec.color.slice(0, 1) } }), ...objects);
}

test('is applied to a written object while the cache is behind', async () => {
  const scene = await abridged(widget({ resourceVersion: '1' }));
  expect(await scene.color()).toBe('r');
  const written = await scene.write({ resourceVersion: '2' }, 'blue');
  expect(written.spec.color).toBe('blue'); // what the API server answered
  expect(await scene.color()).toBe('b');
});

test('is applied to an object from the API server when the cache may be outdated', async () => {
  const scene = await abridged();
  await scene.write({ resourceVersion: '2' }, 'blue');
  expect(await scene.color()).toBe('b');
});

test('is applied once to a write of this client, and again to a write of another client', async () => {
  let times = 0;
  const scene = await transforming(
    (object) => {
      times++;
      return object;
    },
    widget({ resourceVersion: '1' }),
  );
  await scene.write({ resourceVersion: '2' }, 'blue');
  const written = await scene.client.get(widgets, key);
  await scene.deliver('MODIFIED', { resourceVersion: '2' }, 'blue');
  expect(times).toBe(2);
  expect(await scene.client.get(widgets, key)).toBe(written);
  await scene.write({ resourceVersion: '3' }, 'green');
  await scene.deliver('MODIFIED', { resourceVersion: '4' }, 'red');
  expect([times, await scene.color()]).toEqual([4, 'red']);
});

test('is applied to a version from before a relist, because etcd may have been restored', async () => {
  const scene = await transforming((object) => object);
  await scene.write({ resourceVersion: '2' }, 'red');
  scene.transport.watch().expire();
  await scene.clock.advance(2 * MAX_BACK_OFF_MS);
  scene.transport.watch().sendInitial([widget({ resourceVersion: '2' }, { color: 'blue' })], '2');
  await scene.clock.advance(0);
  expect((await scene.cache.get(widgets, key))?.spec.color).toBe('blue');
});

test('is applied again to a version that arrived before', async () => {
  const scene = await transforming((object) => object, widget({ resourceVersion: '1' }));
  await scene.write({ resourceVersion: '2' }, 'red');
  await scene.deliver('MODIFIED', { resourceVersion: '2' }, 'red');
  await scene.deliver('MODIFIED', { resourceVersion: '3' }, 'green');
  await scene.deliver('MODIFIED', { resourceVersion: '2' }, 'blue');
  expect((await scene.cache.get(widgets, key))?.spec.color).toBe('blue');
});
