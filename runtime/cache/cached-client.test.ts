import { describe, expect, test } from 'vitest';
import { ApiError } from '../client/errors.ts';
import type { ObjectToCreate } from '../kubernetes/object.ts';
import { subresources } from '../kubernetes/subresource.ts';
import { CacheHarness, key } from '../test-support/cache-harness.ts';
import { racks, type Widget, widget, widgets } from '../test-support/objects.ts';
import { MAX_BACK_OFF_MS } from './watch-retries.ts';

const notFound = () => {
  throw new ApiError(404, {});
};
const mustNotAsk = () => {
  throw new Error('the cache knows that');
};

test('reads a kind with an informer from the cache', async () => {
  const [a, b] = [widget({ name: 'a' }), widget({ name: 'b', namespace: 'other' })];
  const scene = await CacheHarness.with(a, b);
  expect(await scene.client.get(widgets, key)).toEqual(a);
  expect(await scene.client.get(widgets, { ...key, name: 'c' })).toBeUndefined();
  expect(await scene.client.list(widgets, { namespace: 'other' })).toEqual([b]);
  expect(scene.transport.requests).toEqual([]);
});

test('reads a kind without an informer from the API server, and stores no writes of it', async () => {
  const { client, transport, cache } = await CacheHarness.with();
  const index = { name: 'color', value: 'red' };
  await expect(client.list(racks, { index })).rejects.toThrow('racks are not cached');
  await client.get(racks, { name: 'a' });
  transport.answer = () => ({ metadata: { resourceVersion: '1' }, items: [] });
  await client.list(racks, { labelSelector: 'app=web' });
  const path = '/apis/example.com/v1/racks';
  expect(transport.requests).toMatchObject([{ path: `${path}/a` }, { path, query: { labelSelector: 'app=web' } }]);
  transport.answer = () => ({ ...widget(), kind: 'Rack' });
  await client.patch(racks, { name: 'a' }, { kind: 'merge', body: {} });
  expect(cache.has(racks)).toBe(false);
});

type CacheStep = (scene: CacheHarness) => Promise<unknown>;
const writes =
  (resourceVersion: string, color: string): CacheStep =>
  (scene) =>
    scene.write({ resourceVersion }, color);
const receives =
  (type: 'ADDED' | 'MODIFIED' | 'DELETED', resourceVersion: string, color?: string, more = {}): CacheStep =>
  (scene) =>
    scene.deliver(type, { resourceVersion, ...more }, color);

const WRITES = [
  { by: 'an update', write: ({ client }: CacheHarness) => client.update(widgets, widget({}, { color: 'blue' })) },
  {
    by: 'a status update',
    write: ({ client }: CacheHarness) => client.updateStatus(widgets, { ...widget(), status: { ready: true } }),
  },
  { by: 'a patch', write: ({ client }: CacheHarness) => client.patch(widgets, key, { kind: 'merge', body: {} }) },
  { by: 'a create', write: ({ client }: CacheHarness) => client.create(widgets, widget()) },
  { by: 'an apply', write: ({ client }: CacheHarness) => client.apply(widgets, { metadata: key }) },
];

describe('better: after a write, a get returns the newest object', () => {
  test.each<[name: string, had: string, steps: readonly CacheStep[], want: string | undefined]>([
    ['what was written, while the cache is behind', '9', [writes('10', 'blue')], 'blue'],
    ['versions compared as numbers', '999999999999999999', [writes('1000000000000000000', 'blue')], 'blue'],
    [
      'what was written last',
      '1',
      [writes('2', 'blue'), writes('3', 'green'), receives('MODIFIED', '2', 'blue')],
      'green',
    ],
    ['a later write of another client', '1', [writes('2', 'blue'), receives('MODIFIED', '3', 'green')], 'green'],
    [
      'what the cache heard of before the write',
      '1',
      [receives('MODIFIED', '3', 'green'), writes('2', 'blue')],
      'green',
    ],
    ['nothing, when the object was deleted since', '1', [writes('2', 'blue'), receives('DELETED', '3')], undefined],
    [
      'the new object, when the old one was replaced by another of its name',
      '1',
      [writes('2', 'blue'), receives('DELETED', '3'), receives('ADDED', '4', 'green', { uid: 'another' })],
      'green',
    ],
  ])('%s', async (_, had, steps, want) => {
    const scene = await CacheHarness.with(widget({ resourceVersion: had }));
    for (const step of steps) await step(scene);
    for (let times = 0; times < 2; times++) expect(await scene.color()).toBe(want);
  });

  test.each(WRITES)('the object written by $by', async ({ write }) => {
    const scene = await CacheHarness.with(widget({ resourceVersion: '1' }));
    scene.transport.answer = () => widget({ resourceVersion: '2' }, { color: 'blue' });
    await write(scene);
    expect(await scene.color()).toBe('blue');
  });

  test('the object in the cache, once the cache has caught up', async () => {
    const scene = await CacheHarness.with(widget({ resourceVersion: '1' }));
    await scene.write({ resourceVersion: '2' }, 'blue');
    await scene.deliver('MODIFIED', { resourceVersion: '2' }, 'blue');
    expect(await scene.client.get(widgets, key)).toBe(scene.cache.informerFor(widgets).store.get('default/a'));
  });

  test('the object on the API server after a relist, because etcd may have been restored', async () => {
    const scene = await CacheHarness.with(widget({ resourceVersion: '1' }));
    await scene.write({ resourceVersion: '3' }, 'blue');
    scene.transport.watch().expire();
    await scene.clock.advance(2 * MAX_BACK_OFF_MS);
    scene.transport.answer = () => widget({ resourceVersion: '2' }, { color: 'green' });
    expect(await scene.color()).toBe('green');
    scene.transport.watch().sendInitial([widget({ resourceVersion: '2' }, { color: 'green' })], '2');
    await scene.clock.advance(0);
    expect(await scene.color()).toBe('green');
    scene.transport.answer = mustNotAsk;
    expect(await scene.color()).toBe('green');
  });

  test('nothing, if the cache received the deletion first', async () => {
    const scene = await CacheHarness.with(widget({ resourceVersion: '1' }));
    await scene.deliver('DELETED', { resourceVersion: '3' });
    await scene.write({ resourceVersion: '2' }, 'blue');
    scene.transport.answer = notFound;
    expect(await scene.color()).toBeUndefined();
    scene.transport.answer = mustNotAsk;
    expect(await scene.color()).toBeUndefined();
  });

  test('the object on the API server while the cache does not have it', async () => {
    const scene = await CacheHarness.with();
    await scene.write({ resourceVersion: '5' }, 'blue');
    expect(await scene.color()).toBe('blue');
    await scene.deliver('ADDED', { resourceVersion: '4' });
    expect(await scene.color()).toBe('blue');
    await scene.deliver('MODIFIED', { resourceVersion: '5' }, 'blue');
    expect(await scene.color()).toBe('blue');
    scene.transport.answer = mustNotAsk;
    expect(await scene.color()).toBe('blue');
  });

  test('nothing, if the object no longer matches the label selector of the cache', async () => {
    const scene = new CacheHarness();
    scene.cache.configure(widgets, { labelSelector: 'shard=a' });
    scene.cache.informerFor(widgets);
    await scene.read(widget({ resourceVersion: '1', labels: { shard: 'a' } }));
    scene.transport.answer = () => {
      throw new Error('no answer');
    };
    await expect(scene.client.update(widgets, widget())).rejects.toThrow('no answer');
    scene.transport.answer = () => widget({ resourceVersion: '2', labels: { shard: 'a' } }, { color: 'blue' });
    expect(await scene.color()).toBe('blue');
    scene.transport.answer = () => widget({ resourceVersion: '3', labels: { shard: 'b' } });
    expect(await scene.color()).toBeUndefined();
    await scene.deliver('DELETED', { resourceVersion: '3', labels: { shard: 'a' } });
    scene.transport.answer = () => widget({ resourceVersion: '3', labels: { shard: 'b' } });
    expect(await scene.color()).toBeUndefined();
    scene.transport.answer = mustNotAsk;
    expect(await scene.color()).toBeUndefined();
  });

  test('the new object, if the cache receives the deletion of the old one afterwards', async () => {
    const scene = await CacheHarness.with(widget({ resourceVersion: '1' }));
    await scene.write({ resourceVersion: '4', uid: 'another' }, 'green');
    await scene.deliver('DELETED', { resourceVersion: '2' });
    expect(await scene.color()).toBe('green');
    scene.transport.answer = notFound; // and deleted too by now
    expect(await scene.color()).toBeUndefined();
  });

  test('the object in the cache, after a dry run', async () => {
    const scene = await CacheHarness.with(widget({ resourceVersion: '1' }));
    scene.transport.answer = () => widget({ resourceVersion: '2' }, { color: 'blue' });
    await scene.client.update(widgets, widget(), { dryRun: true });
    expect(await scene.color()).toBe('red');
  });

  test.each(WRITES)('the object on the API server, after a failed $by that may have been stored', async ({ write }) => {
    const scene = await CacheHarness.with(widget({ resourceVersion: '1' }));
    scene.transport.answer = () => {
      throw new Error('socket hang up');
    };
    await expect(write(scene)).rejects.toThrow('socket hang up');
    scene.transport.answer = () => widget({ resourceVersion: '2' }, { color: 'blue' });
    expect(await scene.color()).toBe('blue');
    expect(await scene.color()).toBe('blue');
    await scene.deliver('MODIFIED', { resourceVersion: '2' }, 'blue');
    expect(await scene.color()).toBe('blue');
    scene.transport.answer = mustNotAsk;
    expect(await scene.color()).toBe('blue');
  });
});

test.each([key, { namespace: key.namespace, generateName: 'a' }])('returns a new object: %j', async (metadata) => {
  const scene = await CacheHarness.with();
  scene.transport.answer = () => widget({ resourceVersion: '2' });
  await scene.client.create(widgets, { metadata, spec: { color: 'red' } } as ObjectToCreate<Widget>);
  expect(await scene.color()).toBe('red');
});

test.each<[string, (client: CacheHarness['client']) => Promise<unknown>]>([
  ['an update of a subresource', (client) => client.updateSubresource(widgets, key, subresources.scale, SCALE)],
  ['a patch of a subresource', (client) => client.patch(widgets, key, NO_CHANGE, { subresource: 'scale' })],
  ['deleteAllOf', (client) => client.deleteAllOf(widgets, { namespace: 'default', labelSelector: 'app=web' })],
])('after %s, get reads the object from the API server until the cache is up to date', async (_, write) => {
  const labels = { app: 'web' };
  const scene = await CacheHarness.with(widget({ labels }));
  scene.transport.answer = () => ({ kind: 'Scale', metadata: { ...key, uid: 'uid-of-a', resourceVersion: '2' } });
  await write(scene.client);
  scene.transport.answer = () => widget({ resourceVersion: '2', labels }, { color: 'blue' });
  expect(await scene.color()).toBe('blue');
  await scene.deliver('MODIFIED', { resourceVersion: '2', labels }, 'blue');
  expect(await scene.color()).toBe('blue');
  scene.transport.answer = mustNotAsk;
  expect(await scene.color()).toBe('blue');
});

const SCALE = { spec: { replicas: 2 } };
const NO_CHANGE = { kind: 'merge', body: {} } as const;
