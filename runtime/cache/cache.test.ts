import { describe, expect, test } from 'vitest';
import { ApiError } from '../client/errors.ts';
import { CacheHarness, RACKS_PATH, WIDGETS_PATH } from '../test-support/cache-harness.ts';
import { racks, widget, widgets } from '../test-support/objects.ts';
import { MAX_HEALTHY_WATCH_SILENCE_MS } from './cache.ts';
import { MAX_WATCH_SILENCE_MS } from './reflector.ts';

describe('informers', () => {
  test('exist once per kind', () => {
    const { cache } = new CacheHarness();
    expect(cache.has(widgets)).toBe(false);
    expect(cache.informerFor(widgets)).toBe(cache.informerFor({ ...widgets }));
    expect(cache.informerFor(racks)).not.toBe(cache.informerFor(widgets));
    expect(cache.informerFor({ ...widgets, group: 'other.com' })).not.toBe(cache.informerFor(widgets));
    expect(cache.has(widgets)).toBe(true);
  });

  test('run from the start of the cache, or from their creation', async () => {
    const { cache, transport, settled, start } = new CacheHarness();
    cache.informerFor(widgets);
    await settled();
    expect(transport.watches).toEqual([]);
    await start();
    cache.informerFor(racks);
    await settled();
    expect(transport.watches.map(({ request }) => request.path)).toEqual([WIDGETS_PATH, RACKS_PATH]);
  });

  test('stop with the cache, also if created later', async () => {
    const scene = new CacheHarness();
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
    const { cache } = await CacheHarness.with(
      widget({ name: 'a', namespace: 'x', labels: LABELS }),
      widget({ name: 'b', namespace: 'x' }, { color: 'blue' }),
      widget({ name: 'c', namespace: 'y', labels: { ...LABELS, tier: 'back' } }, { color: 'blue' }),
    );
    return cache;
  }
  const LABELS = { app: 'web', tier: 'front' };
  const index = { name: 'color', value: 'blue' };

  test('get one object', async () => {
    const cache = await filled();
    expect(await cache.get(widgets, { namespace: 'x', name: 'a' })).toEqual(
      widget({ name: 'a', namespace: 'x', labels: LABELS }),
    );
    expect(await cache.get(widgets, { namespace: 'y', name: 'a' })).toBeUndefined();
  });

  test.each([
    { name: 'all', options: {}, want: ['a', 'b', 'c'] },
    { name: 'those of a namespace', options: { namespace: 'x' }, want: ['a', 'b'] },
    { name: 'the objects of an index value', options: { index }, want: ['b', 'c'] },
    { name: 'the objects of an index value in a namespace', options: { namespace: 'y', index }, want: ['c'] },
    { name: 'those with labels', options: { labelSelector: 'app=web,tier in (back,front)' }, want: ['a', 'c'] },
    { name: 'those without', options: { labelSelector: '!app' }, want: ['b'] },
    { name: 'those with labels as an object', options: { labelSelector: { matchLabels: LABELS } }, want: ['a'] },
    { name: 'all of it at once', options: { namespace: 'y', labelSelector: 'app', index }, want: ['c'] },
  ])('list $name', async ({ options, want }) => {
    const found = await (await filled()).list(widgets, options);
    expect(found.map(({ metadata }) => metadata.name).sort()).toEqual(want);
  });

  test('reject an unknown index and a field selector', async () => {
    const cache = await filled();
    await expect(cache.list(widgets, { index: { name: 'size', value: 'big' } })).rejects.toThrow('no field index');
    await expect(cache.list(widgets, { labelSelector: 'app in' })).rejects.toThrow('label selector');
    // @ts-expect-error a cached list takes an index instead
    await expect(cache.list(widgets, { fieldSelector: 'spec.color=blue' })).rejects.toThrow('add an index');
  });

  test('of a new kind wait until the informer has synced', async () => {
    const { cache, transport, settled, start } = new CacheHarness();
    await start();
    const [found, all] = [cache.get(widgets, { namespace: 'default', name: 'a' }), cache.list(widgets)];
    await settled();
    transport.watch().sendInitial([widget()]);
    expect(await found).toEqual(widget());
    expect(await all).toEqual([widget()]);
  });
});

describe('waitForSync', () => {
  test('resolves when every informer has synced', async () => {
    const { cache, transport, settled, start } = new CacheHarness();
    cache.informerFor(widgets);
    cache.informerFor(racks);
    await start();
    let hasSynced: boolean | undefined;
    void cache.waitForSync(new AbortController().signal).then((result) => {
      hasSynced = result;
    });
    transport.watch(WIDGETS_PATH).sendInitial([]);
    await settled();
    expect([hasSynced, cache.hasSynced]).toEqual([undefined, false]);
    transport.watch(RACKS_PATH).sendInitial([]);
    await settled();
    expect([hasSynced, cache.hasSynced]).toEqual([true, true]);
  });

  test('resolves to false when its signal aborts', async () => {
    const { cache, start } = new CacheHarness();
    cache.informerFor(widgets);
    await start();
    expect(await cache.waitForSync(AbortSignal.abort())).toBe(false);
  });
});

describe('health check', () => {
  test('fails until every informer has synced', async () => {
    const scene = new CacheHarness();
    scene.cache.informerFor(widgets);
    await scene.start();
    expect(scene.cache.check()).toBe('informer of widgets has not synced');
    scene.transport.watch().sendInitial([]);
    await scene.settled();
    expect(scene.cache.check()).toBeUndefined();
  });

  test('passes while the reflector replaces a silent watch in time', async () => {
    const { clock, cache } = await CacheHarness.with();
    await clock.advance(MAX_HEALTHY_WATCH_SILENCE_MS * 3);
    expect(cache.check()).toBeUndefined();
  });

  test('fails when the server has sent nothing for too long', async () => {
    const { clock, cache, transport } = await CacheHarness.with();
    transport.stream = () => Promise.reject(new Error('no route to host'));
    await clock.advance(MAX_WATCH_SILENCE_MS);
    expect(cache.check()).toBeUndefined();
    await clock.advance(MAX_HEALTHY_WATCH_SILENCE_MS - MAX_WATCH_SILENCE_MS + 1000);
    expect(cache.check()).toBe('watch of widgets has been silent for 181 s');
  });
});

describe('an optional kind', () => {
  async function startWithout(code: number) {
    const scene = new CacheHarness();
    const { stream } = scene.transport;
    scene.transport.stream = () => Promise.reject(new ApiError(code, {}));
    scene.cache.configure(widgets, { optional: true });
    scene.cache.informerFor(widgets);
    await scene.start();
    return { ...scene, scene, serve: () => Object.assign(scene.transport, { stream }) };
  }

  test.each([404, 403])('is empty and healthy while its requests fail with %i', async (code) => {
    const { scene, serve } = await startWithout(code);
    await scene.clock.advance(MAX_HEALTHY_WATCH_SILENCE_MS * 2);
    expect([scene.cache.hasSynced, scene.cache.check()]).toEqual([true, undefined]);
    expect(await scene.cache.list(widgets)).toEqual([]);
    serve();
    // The back-off is random, and a watch that stays silent is replaced.
    const isWatched = () => scene.transport.watches.length > 0;
    for (let second = 0; second < 600 && !isWatched(); second++) await scene.clock.advance(1_000);
    scene.transport.watch().sendInitial([widget({ name: 'a' })]);
    await scene.settled();
    expect(await scene.cache.list(widgets)).toHaveLength(1);
  });

  test('is not synced while its requests fail for another reason', async () => {
    const { scene } = await startWithout(500);
    await scene.clock.advance(MAX_HEALTHY_WATCH_SILENCE_MS);
    expect([scene.cache.hasSynced, scene.cache.check()]).toEqual([false, 'informer of widgets has not synced']);
  });
});
