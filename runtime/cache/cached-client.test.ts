import { describe, expect, test } from 'vitest';
import { ApiError } from '../client/errors.ts';
import { LiveClient } from '../client/live-client.ts';
import type { ObjectMeta, ObjectToCreate } from '../kubernetes/object.ts';
import { discardLogger } from '../log/logger.ts';
import { racks, type Widget, widget, widgets } from '../test-support/objects.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingTransport } from '../testing/recording-transport.ts';
import { Cache } from './cache.ts';
import { CachedClient } from './cached-client.ts';

const key = { namespace: 'default', name: 'a' };

/** A client over a cache that mirrors Widgets, and the server behind both. */
class Scene {
  readonly transport = new RecordingTransport();
  readonly clock = new FakeClock();
  readonly cache = new Cache({ transport: this.transport, clock: this.clock, log: discardLogger });
  readonly client = new CachedClient(this.cache, new LiveClient(this.transport, { fieldManager: 'tester' }));

  static async with(...objects: readonly Widget[]): Promise<Scene> {
    const scene = new Scene();
    scene.cache.indexField(widgets, 'color', ({ spec }) => [spec.color]);
    return await scene.start(...objects);
  }

  async start(...objects: readonly Widget[]): Promise<this> {
    void this.cache.start(new AbortController().signal);
    await this.clock.advance(0);
    this.transport.watch().sendInitial(objects);
    await this.clock.advance(0);
    return this;
  }

  /** The server stores our write; nothing has come through the watch yet. */
  async write(metadata: Partial<ObjectMeta>, color: string): Promise<Widget> {
    this.transport.answer = () => widget(metadata, { color });
    return this.client.update(widgets, widget(metadata, { color }));
  }

  async hear(type: 'ADDED' | 'MODIFIED' | 'DELETED', metadata: Partial<ObjectMeta>, color = 'red'): Promise<void> {
    this.transport.watch().send(type, widget(metadata, { color }));
    await this.clock.advance(0);
  }

  /** The color of what a get finds. */
  async color(): Promise<string | undefined> {
    return (await this.client.get(widgets, key))?.spec.color;
  }
}

const notFound = () => {
  throw new ApiError(404, {});
};
const mustNotAsk = () => {
  throw new Error('the cache knows that');
};

describe('reads of a kind that has an informer', () => {
  test('come from the cache', async () => {
    const scene = await Scene.with(widget({ name: 'a' }), widget({ name: 'b', namespace: 'other' }));
    expect(await scene.client.get(widgets, key)).toEqual(widget({ name: 'a' }));
    expect(await scene.client.get(widgets, { ...key, name: 'c' })).toBeUndefined();
    expect(await scene.client.list(widgets, { namespace: 'other' })).toEqual([
      widget({ name: 'b', namespace: 'other' }),
    ]);
    expect(scene.transport.requests).toEqual([]);
  });

  test('may use its field indexes', async () => {
    const scene = await Scene.with(widget({ name: 'a' }), widget({ name: 'b' }, { color: 'blue' }));
    const index = { name: 'color', value: 'blue' };
    expect(await scene.client.list(widgets, { index })).toEqual([widget({ name: 'b' }, { color: 'blue' })]);
  });

  test('refuse an index that nobody added', async () => {
    const { client } = await Scene.with();
    await expect(client.list(widgets, { index: { name: 'size', value: 'big' } })).rejects.toThrow(
      'no field index "size"',
    );
  });
});

describe('reads of a kind that has none', () => {
  test('refuse an index', async () => {
    const { client, transport } = await Scene.with();
    const index = { name: 'color', value: 'red' };
    await expect(client.list(racks, { index })).rejects.toThrow('racks are not cached');
    expect(transport.requests).toEqual([]);
  });

  test('ask the API server', async () => {
    const { client, transport } = await Scene.with();
    await client.get(racks, { name: 'a' });
    transport.answer = () => ({ metadata: { resourceVersion: '1' }, items: [] });
    await client.list(racks, { labelSelector: 'app=web' });
    const path = '/apis/example.com/v1/racks';
    expect(transport.requests).toMatchObject([{ path: `${path}/a` }, { path, query: { labelSelector: 'app=web' } }]);
  });

  test('refuse a field index', async () => {
    const { client } = await Scene.with();
    await expect(client.list(racks, { index: { name: 'color', value: 'red' } })).rejects.toThrow(TypeError);
  });

  test('do not start an informer', async () => {
    const { client, cache } = await Scene.with();
    await client.get(racks, { name: 'a' });
    expect(cache.has(racks)).toBe(false);
  });
});

describe('better: after a write, get finds', () => {
  test('what was written, while the cache is behind', async () => {
    const scene = await Scene.with(widget({ resourceVersion: '9' }));
    await scene.write({ resourceVersion: '10' }, 'blue');
    expect(await scene.color()).toBe('blue');
    expect(await scene.color()).toBe('blue');
  });

  test.each([
    {
      by: 'a status update',
      write: ({ client }: Scene) => client.updateStatus(widgets, { ...widget(), status: { ready: true } }),
    },
    { by: 'a patch', write: ({ client }: Scene) => client.patch(widgets, key, { kind: 'merge', body: {} }) },
    { by: 'a create', write: ({ client }: Scene) => client.create(widgets, widget()) },
    { by: 'an apply', write: ({ client }: Scene) => client.apply(widgets, { metadata: key }) },
  ])('what was written by $by', async ({ write }) => {
    const scene = await Scene.with(widget({ resourceVersion: '1' }));
    scene.transport.answer = () => widget({ resourceVersion: '2' }, { color: 'blue' });
    await write(scene);
    expect(await scene.color()).toBe('blue');
  });

  test('what was written last', async () => {
    const scene = await Scene.with(widget({ resourceVersion: '1' }));
    await scene.write({ resourceVersion: '2' }, 'blue');
    await scene.write({ resourceVersion: '3' }, 'green');
    await scene.hear('MODIFIED', { resourceVersion: '2' }, 'blue');
    expect(await scene.color()).toBe('green');
  });

  test('what the cache has, once it has caught up', async () => {
    const scene = await Scene.with(widget({ resourceVersion: '1' }));
    await scene.write({ resourceVersion: '2' }, 'blue');
    await scene.hear('MODIFIED', { resourceVersion: '2' }, 'blue');
    expect(await scene.client.get(widgets, key)).toBe(scene.cache.informerFor(widgets).store.get('default/a'));
  });

  test('what somebody else wrote later', async () => {
    const scene = await Scene.with(widget({ resourceVersion: '1' }));
    await scene.write({ resourceVersion: '2' }, 'blue');
    await scene.hear('MODIFIED', { resourceVersion: '3' }, 'green');
    expect(await scene.color()).toBe('green');
  });

  test('what the cache has, when it heard of the write first', async () => {
    const scene = await Scene.with(widget({ resourceVersion: '1' }));
    await scene.hear('MODIFIED', { resourceVersion: '3' }, 'green');
    await scene.write({ resourceVersion: '2' }, 'blue');
    expect(await scene.color()).toBe('green');
  });

  test('nothing, when the object was deleted since', async () => {
    const scene = await Scene.with(widget({ resourceVersion: '1' }));
    await scene.write({ resourceVersion: '2' }, 'blue');
    await scene.hear('DELETED', { resourceVersion: '3' });
    expect(await scene.color()).toBeUndefined();
  });

  test('nothing, when the cache heard of the deletion first', async () => {
    const scene = await Scene.with(widget({ resourceVersion: '1' }));
    await scene.hear('DELETED', { resourceVersion: '3' });
    await scene.write({ resourceVersion: '2' }, 'blue');
    scene.transport.answer = notFound;
    expect(await scene.color()).toBeUndefined();
    scene.transport.answer = mustNotAsk;
    expect(await scene.color()).toBeUndefined();
  });

  test('what the API server has, when the cache has yet to hear of the object', async () => {
    const scene = await Scene.with();
    await scene.write({ resourceVersion: '5' }, 'blue');
    expect(await scene.color()).toBe('blue');
    await scene.hear('ADDED', { resourceVersion: '4' });
    expect(await scene.color()).toBe('blue');
    await scene.hear('MODIFIED', { resourceVersion: '5' }, 'blue');
    expect(await scene.color()).toBe('blue');
    scene.transport.answer = mustNotAsk;
    expect(await scene.color()).toBe('blue');
  });

  test('the new object that was written, when only then the cache hears that the old one was deleted', async () => {
    const scene = await Scene.with(widget({ resourceVersion: '1' }));
    await scene.write({ resourceVersion: '4', uid: 'another' }, 'green');
    await scene.hear('DELETED', { resourceVersion: '2' });
    expect(await scene.color()).toBe('green');
    scene.transport.answer = notFound; // and deleted too by now
    expect(await scene.color()).toBeUndefined();
  });

  test('the new object, when the old one was replaced by another of its name', async () => {
    const scene = await Scene.with(widget({ resourceVersion: '1' }));
    await scene.write({ resourceVersion: '2' }, 'blue');
    await scene.hear('DELETED', { resourceVersion: '3' });
    await scene.hear('ADDED', { resourceVersion: '4', uid: 'another' }, 'green');
    expect(await scene.color()).toBe('green');
  });

  test('what the cache has, after a dry run', async () => {
    const scene = await Scene.with(widget({ resourceVersion: '1' }));
    scene.transport.answer = () => widget({ resourceVersion: '2' }, { color: 'blue' });
    await scene.client.update(widgets, widget(), { dryRun: true });
    expect(await scene.color()).toBe('red');
  });

  test.each([
    { by: 'an update', write: ({ client }: Scene) => client.update(widgets, widget({}, { color: 'blue' })) },
    {
      by: 'a status update',
      write: ({ client }: Scene) => client.updateStatus(widgets, { ...widget(), status: { ready: true } }),
    },
    { by: 'a patch', write: ({ client }: Scene) => client.patch(widgets, key, { kind: 'merge', body: {} }) },
    { by: 'an apply', write: ({ client }: Scene) => client.apply(widgets, { metadata: key }) },
  ])('what the API server has, after $by that failed and may have been stored', async ({ write }) => {
    const scene = await Scene.with(widget({ resourceVersion: '1' }));
    scene.transport.answer = () => {
      throw new Error('socket hang up');
    };
    await expect(write(scene)).rejects.toThrow('socket hang up');
    scene.transport.answer = () => widget({ resourceVersion: '2' }, { color: 'blue' });
    expect(await scene.color()).toBe('blue');
    expect(await scene.color()).toBe('blue');
    await scene.hear('MODIFIED', { resourceVersion: '2' }, 'blue');
    expect(await scene.color()).toBe('blue');
    scene.transport.answer = mustNotAsk;
    expect(await scene.color()).toBe('blue');
  });

  test('versions compared as numbers', async () => {
    const scene = await Scene.with(widget({ resourceVersion: '999999999999999999' }));
    await scene.write({ resourceVersion: '1000000000000000000' }, 'blue');
    expect(await scene.color()).toBe('blue');
  });
});

describe('the transform of the cache', () => {
  /** Keeps the first letter of the color. */
  async function abridged(...objects: readonly Widget[]): Promise<Scene> {
    const scene = new Scene();
    scene.cache.configure(widgets, {
      transform: (object) => ({ ...object, spec: { color: object.spec.color.slice(0, 1) } }),
    });
    scene.cache.informerFor(widgets);
    return await scene.start(...objects);
  }

  test('is applied to what was written, while the cache is behind', async () => {
    const scene = await abridged(widget({ resourceVersion: '1' }));
    expect(await scene.color()).toBe('r');
    const written = await scene.write({ resourceVersion: '2' }, 'blue');
    expect(written.spec.color).toBe('blue'); // what the API server answered
    expect(await scene.color()).toBe('b');
  });

  test('is applied to what the API server has, where the cache cannot know', async () => {
    const scene = await abridged();
    await scene.write({ resourceVersion: '2' }, 'blue');
    expect(await scene.color()).toBe('b');
  });

  test('is applied once to what was written, and again to what somebody else writes', async () => {
    const scene = new Scene();
    let times = 0;
    const transform = (object: Widget) => {
      times++;
      return object;
    };
    scene.cache.configure(widgets, { transform });
    scene.cache.informerFor(widgets);
    await scene.start(widget({ resourceVersion: '1' }));
    await scene.write({ resourceVersion: '2' }, 'blue');
    const written = await scene.client.get(widgets, key);
    await scene.hear('MODIFIED', { resourceVersion: '2' }, 'blue');
    expect(times).toBe(2);
    expect(await scene.client.get(widgets, key)).toBe(written);
    await scene.write({ resourceVersion: '3' }, 'green');
    await scene.hear('MODIFIED', { resourceVersion: '4' }, 'red');
    expect([times, await scene.color()]).toEqual([4, 'red']);
  });

  test('by default leaves managedFields out', async () => {
    const scene = await Scene.with(widget({ resourceVersion: '1' }));
    await scene.write({ resourceVersion: '2', managedFields: [{ manager: 'tester' }] }, 'blue');
    expect((await scene.client.get(widgets, key))?.metadata).not.toHaveProperty('managedFields');
  });
});

test('lists show the cache as it is', async () => {
  const scene = await Scene.with(widget({ resourceVersion: '1' }));
  await scene.write({ resourceVersion: '2' }, 'blue');
  expect(await scene.client.list(widgets)).toEqual([widget({ resourceVersion: '1' })]);
});

test.each([key, { namespace: key.namespace, generateName: 'a' }])('finds a new object: %j', async (metadata) => {
  const scene = await Scene.with();
  scene.transport.answer = () => widget({ resourceVersion: '2' });
  await scene.client.create(widgets, { metadata, spec: { color: 'red' } } as ObjectToCreate<Widget>);
  expect(await scene.color()).toBe('red');
});

test('writes of kinds without an informer are not kept', async () => {
  const { client, transport, cache } = await Scene.with();
  transport.answer = () => ({ ...widget(), kind: 'Rack' });
  await client.patch(racks, { name: 'a' }, { kind: 'merge', body: {} });
  expect(cache.has(racks)).toBe(false);
});
