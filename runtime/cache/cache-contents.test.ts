import { describe, expect, test } from 'vitest';
import { CacheHarness, WIDGETS_PATH } from '../test-support/cache-harness.ts';
import { type Widget, widget, widgets } from '../test-support/objects.ts';
import type { FakeWatch } from '../testing/recording-transport.ts';
import type { Cache } from './cache.ts';

describe('scope and transform of a kind', () => {
  const transform = (object: Widget) => ({ ...object, spec: { color: 'gray' } });
  const scope = { labelSelector: { matchLabels: { app: 'web' } }, fieldSelector: 'metadata.name=a', namespaces: ['x'] };

  /** Paths and selectors of all watches. */
  const watched = ({ transport }: CacheHarness) =>
    transport.watches.map(({ request: { path, query: q = {} } }) => [path, q['labelSelector'], q['fieldSelector']]);

  test.each(['before', 'after'])('can be configured %s its informer exists', async (when) => {
    const { cache, transport, settled, start } = new CacheHarness();
    if (when === 'after') cache.informerFor(widgets);
    cache.configure(widgets, { transform });
    if (when === 'before') cache.informerFor(widgets);
    await start();
    transport.watch().sendInitial([widget()]);
    await settled();
    expect(await cache.list(widgets)).toEqual([widget({}, { color: 'gray' })]);
  });

  test('cannot be configured twice or while the informer runs', async () => {
    const { cache, start } = new CacheHarness();
    cache.configure(widgets, { transform });
    cache.configure(widgets, { labelSelector: 'app' });
    expect(() => cache.configure(widgets, { transform })).toThrow('the transform of widgets is configured already');
    cache.informerFor(widgets);
    await start();
    expect(() => cache.configure(widgets, { fieldSelector: 'a=b' })).toThrow('widgets are cached already');
  });

  test('rejects an invalid scope', () => {
    const { cache } = new CacheHarness();
    expect(() => cache.configure(widgets, { labelSelector: 'app in' })).toThrow('label selector');
    expect(() => cache.configure(widgets, { namespaces: [] })).toThrow('`namespaces` is empty');
    expect(() => cache.informerFor(widgets, { labelSelector: 'app in' })).toThrow('label selector');
  });

  test('sends no request until a caller needs the kind', async () => {
    const scene = new CacheHarness();
    scene.cache.configure(widgets, scope);
    expect(scene.cache.has(widgets)).toBe(false);
    await scene.start();
    expect(watched(scene)).toEqual([]);
  });

  const path = '/apis/example.com/v1/namespaces/x/widgets';
  const expectedScope = [path, 'app=web', 'metadata.name=a'];

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
      name: 'requested after a caller got the informer without a scope',
      setUp: (cache) => {
        cache.informerFor(widgets);
        cache.informerFor(widgets, scope);
      },
    },
    {
      name: 'configured, and the kind requested without a scope',
      setUp: (cache) => {
        cache.informerFor(widgets, {});
        cache.configure(widgets, scope);
      },
    },
    {
      name: 'configured, and requested with the same scope',
      setUp: (cache) => {
        cache.configure(widgets, scope);
        cache.informerFor(widgets, { labelSelector: 'app=web' });
      },
    },
  ])('sends the scope to the API server: $name', async ({ setUp }) => {
    const scene = new CacheHarness();
    setUp(scene.cache);
    await scene.start();
    expect(watched(scene)).toEqual([expectedScope]);
  });

  test.each<{ name: string; ask: (cache: Cache) => void }>([
    { name: 'one wants it all and one a part', ask: (cache) => void cache.informerFor(widgets, {}) },
    { name: 'two want different parts', ask: (cache) => void cache.informerFor(widgets, { labelSelector: 'app=db' }) },
  ])('throws when $name, in any order', ({ ask }) => {
    const askFor = (cache: Cache) => void cache.informerFor(widgets, scope);
    for (const [first, second] of [
      [ask, askFor],
      [askFor, ask],
    ] as const) {
      const { cache } = new CacheHarness();
      first(cache);
      expect(() => second(cache)).toThrow('A kind has one cache');
    }
  });

  test('does not change while the informer runs', async () => {
    const { cache, start } = new CacheHarness();
    cache.informerFor(widgets);
    await start();
    expect(() => cache.informerFor(widgets, scope)).toThrow(
      'widgets are cached already: all objects, not labelSelector',
    );
    expect(() => cache.informerFor(widgets, {})).not.toThrow();
  });

  test("is the manager's namespaces, unless the kind has its own", async () => {
    const scene = new CacheHarness({ namespaces: ['x', 'y'] });
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

describe('metadata only', () => {
  test('has its own watch and its own reads', async () => {
    const { cache, transport, settled, start } = new CacheHarness();
    const informer = cache.informerFor(widgets, { metadataOnly: true, labelSelector: 'app' });
    expect(cache.has(widgets)).toBe(false);
    await start();
    const [{ request }] = transport.watches as [FakeWatch];
    expect(request).toMatchObject({ path: WIDGETS_PATH, accept: expect.stringContaining('as=PartialObjectMetadata;') });
    expect(request.query).toMatchObject({ labelSelector: 'app' });
    // An object as the API server sends it, and as a server without metadata support sends it.
    const type = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' };
    const partial = { ...widget({ name: 'a' }), spec: undefined, ...type };
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
