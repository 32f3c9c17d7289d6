import { describe, expect, test } from 'vitest';
import { discardLogger } from '../log/logger.ts';
import { racks, type Widget, widget, widgets } from '../test-support/objects.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { type FedWatch, RecordingTransport } from '../testing/recording-transport.ts';
import { Cache, type CacheOptions, MAX_HEALTHY_SILENCE_MS } from './cache.ts';
import { MAX_SILENCE_MS } from './reflector.ts';

const WIDGETS = '/apis/example.com/v1/widgets';
const RACKS = '/apis/example.com/v1/racks';

class Scene {
  readonly clock = new FakeClock();
  readonly transport = new RecordingTransport();
  readonly cache: Cache;
  readonly #stop = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  constructor({ namespaces }: Pick<CacheOptions, 'namespaces'> = {}) {
    this.cache = new Cache({ transport: this.transport, clock: this.clock, log: discardLogger, namespaces });
  }

  readonly start = async () => {
    this.#ended = this.cache.start(this.#stop.signal);
    await this.settled();
  };

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  readonly settled = () => this.clock.advance(0);
}

describe('informers', () => {
  test('are one to a kind', () => {
    const { cache } = new Scene();
    expect(cache.has(widgets)).toBe(false);
    expect(cache.informerFor(widgets)).toBe(cache.informerFor({ ...widgets }));
    expect(cache.informerFor(racks)).not.toBe(cache.informerFor(widgets));
    expect(cache.has(widgets)).toBe(true);
  });

  test('tell kinds of the same name in different groups apart', () => {
    const { cache } = new Scene();
    expect(cache.informerFor({ ...widgets, group: 'other.com' })).not.toBe(cache.informerFor(widgets));
  });

  test('run from the start, or from when they are made', async () => {
    const { cache, transport, settled, start } = new Scene();
    cache.informerFor(widgets);
    await settled();
    expect(transport.watches).toEqual([]);
    await start();
    cache.informerFor(racks);
    await settled();
    expect(transport.watches.map(({ request }) => request.path)).toEqual([WIDGETS, RACKS]);
  });

  test('stop with the cache, those that came late too', async () => {
    const scene = new Scene();
    scene.cache.informerFor(widgets);
    await scene.start();
    scene.cache.informerFor(racks);
    await scene.settled();
    await scene.stop();
    expect(scene.transport.watches.map(({ bytes }) => bytes.destroyed)).toEqual([true, true]);
    expect(scene.clock.pendingTimers).toBe(0);
  });
});

describe('reads', () => {
  async function filled() {
    const scene = new Scene();
    scene.cache.indexField(widgets, 'color', ({ spec }) => [spec.color]);
    await scene.start();
    scene.transport
      .watch()
      .sendInitial([
        widget({ name: 'a', namespace: 'x', labels: LABELS }),
        widget({ name: 'b', namespace: 'x' }, { color: 'blue' }),
        widget({ name: 'c', namespace: 'y', labels: { ...LABELS, tier: 'back' } }, { color: 'blue' }),
      ]);
    await scene.settled();
    return scene.cache;
  }
  const LABELS = { app: 'web', tier: 'front' };
  const index = { name: 'color', value: 'blue' };

  test('find one object', async () => {
    const cache = await filled();
    expect(await cache.get(widgets, { namespace: 'x', name: 'a' })).toEqual(
      widget({ name: 'a', namespace: 'x', labels: LABELS }),
    );
    expect(await cache.get(widgets, { namespace: 'y', name: 'a' })).toBeUndefined();
  });

  test.each([
    { name: 'all', options: {}, want: ['a', 'b', 'c'] },
    { name: 'those of a namespace', options: { namespace: 'x' }, want: ['a', 'b'] },
    { name: 'those that an index files', options: { index }, want: ['b', 'c'] },
    { name: 'those that an index files in a namespace', options: { namespace: 'y', index }, want: ['c'] },
    { name: 'those with labels', options: { labelSelector: 'app=web,tier in (back,front)' }, want: ['a', 'c'] },
    { name: 'those without', options: { labelSelector: '!app' }, want: ['b'] },
    { name: 'those with labels as an object', options: { labelSelector: { matchLabels: LABELS } }, want: ['a'] },
    { name: 'all of it at once', options: { namespace: 'y', labelSelector: 'app', index }, want: ['c'] },
  ])('find $name', async ({ options, want }) => {
    const found = await (await filled()).list(widgets, options);
    expect(found.map(({ metadata }) => metadata.name).sort()).toEqual(want);
  });

  test('refuse an index that nobody added, and selectors that the cache has not', async () => {
    const cache = await filled();
    await expect(cache.list(widgets, { index: { name: 'size', value: 'big' } })).rejects.toThrow('no field index');
    await expect(cache.list(widgets, { labelSelector: 'app in' })).rejects.toThrow('label selector');
    // @ts-expect-error a cached list takes an index instead
    await expect(cache.list(widgets, { fieldSelector: 'spec.color=blue' })).rejects.toThrow('add an index');
  });

  test('of a kind that nobody has asked for wait until it has been read', async () => {
    const { cache, transport, settled, start } = new Scene();
    await start();
    const [found, all] = [cache.get(widgets, { namespace: 'default', name: 'a' }), cache.list(widgets)];
    await settled();
    transport.watch().sendInitial([widget()]);
    expect(await found).toEqual(widget());
    expect(await all).toEqual([widget()]);
  });
});

describe('what is kept of a kind', () => {
  const transform = (object: Widget) => ({ ...object, spec: { color: 'gray' } });
  const scope = { labelSelector: { matchLabels: { app: 'web' } }, fieldSelector: 'metadata.name=a', namespaces: ['x'] };

  /** Paths and selectors of all watches. */
  const watched = ({ transport }: Scene) =>
    transport.watches.map(({ request: { path, query = {} } }) => [
      path,
      query['labelSelector'],
      query['fieldSelector'],
    ]);

  test.each(['before', 'after'])('is configured %s its informer is made', async (when) => {
    const { cache, transport, settled, start } = new Scene();
    if (when === 'after') cache.informerFor(widgets);
    cache.configure(widgets, { transform });
    if (when === 'before') cache.informerFor(widgets);
    await start();
    transport.watch().sendInitial([widget()]);
    await settled();
    expect(await cache.list(widgets)).toEqual([widget({}, { color: 'gray' })]);
  });

  test('is not configured twice, nor when it runs', async () => {
    const { cache, start } = new Scene();
    cache.configure(widgets, { transform });
    cache.configure(widgets, { labelSelector: 'app' });
    expect(() => cache.configure(widgets, { transform })).toThrow('the transform of widgets is configured already');
    cache.informerFor(widgets);
    await start();
    expect(() => cache.configure(widgets, { fieldSelector: 'a=b' })).toThrow('widgets are cached already');
  });

  test('is refused when it cannot be', () => {
    const { cache } = new Scene();
    expect(() => cache.configure(widgets, { labelSelector: 'app in' })).toThrow('label selector');
    expect(() => cache.configure(widgets, { namespaces: [] })).toThrow('`namespaces` is empty');
    expect(() => cache.informerFor(widgets, { labelSelector: 'app in' })).toThrow('label selector');
  });

  test('is not asked for unless somebody wants the kind', async () => {
    const scene = new Scene();
    scene.cache.configure(widgets, scope);
    expect(scene.cache.has(widgets)).toBe(false);
    await scene.start();
    expect(watched(scene)).toEqual([]);
  });

  const path = '/apis/example.com/v1/namespaces/x/widgets';
  const sent = [path, 'app=web', 'metadata.name=a'];

  test.each<{ name: string; setUp: (cache: Cache) => void }>([
    { name: 'asked for', setUp: (cache) => void cache.informerFor(widgets, scope) },
    {
      name: 'asked for twice, in other words',
      setUp: (cache) => {
        cache.informerFor(widgets, scope);
        cache.informerFor(widgets, { ...scope, labelSelector: 'app == web' });
      },
    },
    {
      name: 'asked for after somebody wanted the kind, whatever there is of it',
      setUp: (cache) => {
        cache.informerFor(widgets);
        cache.informerFor(widgets, scope);
      },
    },
    {
      name: 'configured, and the kind asked for without more',
      setUp: (cache) => {
        cache.informerFor(widgets, {});
        cache.configure(widgets, scope);
      },
    },
    {
      name: 'configured, and again asked for',
      setUp: (cache) => {
        cache.configure(widgets, scope);
        cache.informerFor(widgets, { labelSelector: 'app=web' });
      },
    },
  ])('is what the API server is asked for: $name', async ({ setUp }) => {
    const scene = new Scene();
    setUp(scene.cache);
    await scene.start();
    expect(watched(scene)).toEqual([sent]);
  });

  test.each<{ name: string; ask: (cache: Cache) => void }>([
    { name: 'one wants it all and one a part', ask: (cache) => void cache.informerFor(widgets, {}) },
    { name: 'two want different parts', ask: (cache) => void cache.informerFor(widgets, { labelSelector: 'app=db' }) },
  ])('is one thing: an error when $name, in whatever order', ({ ask }) => {
    const askFor = (cache: Cache) => void cache.informerFor(widgets, scope);
    for (const [first, second] of [
      [ask, askFor],
      [askFor, ask],
    ] as const) {
      const { cache } = new Scene();
      first(cache);
      expect(() => second(cache)).toThrow('There is one cache for each kind');
    }
  });

  test('does not change while it runs', async () => {
    const { cache, start } = new Scene();
    cache.informerFor(widgets);
    await start();
    expect(() => cache.informerFor(widgets, scope)).toThrow(
      'widgets are cached already: all objects, not labelSelector',
    );
    expect(() => cache.informerFor(widgets, {})).not.toThrow();
  });

  test("is the manager's namespaces, unless the kind has its own", async () => {
    const scene = new Scene({ namespaces: ['x', 'y'] });
    scene.cache.informerFor(widgets, { labelSelector: 'app' });
    scene.cache.informerFor({ ...widgets, plural: 'others' }, { namespaces: ['z'] });
    await scene.start();
    expect(scene.transport.watches.map(({ request }) => request.path)).toEqual([
      '/apis/example.com/v1/namespaces/x/widgets',
      '/apis/example.com/v1/namespaces/y/widgets',
      '/apis/example.com/v1/namespaces/z/others',
    ]);
  });
});

describe('metadata alone', () => {
  test('is watched beside whole objects, and read apart from them', async () => {
    const { cache, transport, settled, start } = new Scene();
    const informer = cache.informerFor(widgets, { metadataOnly: true, labelSelector: 'app' });
    expect(cache.has(widgets)).toBe(false);
    await start();
    const [{ request }] = transport.watches as [FedWatch];
    expect(request).toMatchObject({ path: WIDGETS, accept: expect.stringContaining('as=PartialObjectMetadata;') });
    expect(request.query).toMatchObject({ labelSelector: 'app' });
    // As the API server sends it, and as one that does not know the form does.
    const partial = {
      ...widget({ name: 'a' }),
      spec: undefined,
      apiVersion: 'meta.k8s.io/v1',
      kind: 'PartialObjectMetadata',
    };
    transport.watch().sendInitial([partial, widget({ name: 'b' })]);
    await settled();
    const { spec: _, ...a } = widget({ name: 'a' });
    const { spec: __, ...b } = widget({ name: 'b' });
    expect(informer.store.list()).toEqual([a, b]);
    expect(await cache.listMetadata(widgets)).toEqual([a, b]);
    expect(await cache.getMetadata(widgets, { namespace: 'default', name: 'b' })).toEqual(b);
    transport.watch().send('MODIFIED', widget({ name: 'b', resourceVersion: '7', labels: { app: 'web' } }));
    await settled();
    expect(await cache.listMetadata(widgets, { labelSelector: 'app=web' })).toMatchObject([
      { metadata: { name: 'b' } },
    ]);
    // @ts-expect-error it has no spec
    expect(informer.store.list()[0]?.spec).toBeUndefined();
    cache.informerFor(widgets);
    await settled();
    expect(transport.watches.map((watch) => watch.request.accept)).toEqual([request.accept, undefined]);
  });
});

describe('waitForSync', () => {
  test('resolves when every kind has been read', async () => {
    const { cache, transport, settled, start } = new Scene();
    cache.informerFor(widgets);
    cache.informerFor(racks);
    await start();
    let hasSynced: boolean | undefined;
    void cache.waitForSync(new AbortController().signal).then((result) => {
      hasSynced = result;
    });
    transport.watch(WIDGETS).sendInitial([]);
    await settled();
    expect([hasSynced, cache.hasSynced]).toEqual([undefined, false]);
    transport.watch(RACKS).sendInitial([]);
    await settled();
    expect([hasSynced, cache.hasSynced]).toEqual([true, true]);
  });

  test('gives up when its signal aborts', async () => {
    const { cache, start } = new Scene();
    cache.informerFor(widgets);
    await start();
    expect(await cache.waitForSync(AbortSignal.abort())).toBe(false);
  });

  test('waits for nothing when there is nothing', async () => {
    expect(await new Scene().cache.waitForSync(new AbortController().signal)).toBe(true);
  });
});

describe('health check', () => {
  async function synced() {
    const scene = new Scene();
    scene.cache.informerFor(widgets);
    await scene.start();
    scene.transport.watch().sendInitial([]);
    await scene.settled();
    return scene;
  }

  test('fails until all is read', async () => {
    const scene = new Scene();
    scene.cache.informerFor(widgets);
    await scene.start();
    expect(scene.cache.check()).toBe('informer of widgets has not synced');
    scene.transport.watch().sendInitial([]);
    await scene.settled();
    expect(scene.cache.check()).toBeUndefined();
  });

  test('passes while a silent watch is replaced in time', async () => {
    const { clock, cache } = await synced();
    await clock.advance(MAX_HEALTHY_SILENCE_MS * 3);
    expect(cache.check()).toBeUndefined();
  });

  test('fails when the server has not been heard for too long', async () => {
    const { clock, cache, transport } = await synced();
    transport.stream = () => Promise.reject(new Error('no route to host'));
    await clock.advance(MAX_SILENCE_MS);
    expect(cache.check()).toBeUndefined();
    await clock.advance(MAX_HEALTHY_SILENCE_MS - MAX_SILENCE_MS + 1000);
    expect(cache.check()).toBe('watch of widgets has been silent for 181 s');
  });
});
