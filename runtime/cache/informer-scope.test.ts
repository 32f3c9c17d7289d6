import { describe, expect, test } from 'vitest';
import { formatKey } from '../kubernetes/resource.ts';
import { InformerHarness } from '../test-support/informer-harness.ts';
import { racks, type Widget, widget } from '../test-support/objects.ts';
import { RecordingTransport } from '../testing/recording-transport.ts';
import { dropManagedFields, Informer, type Transform } from './informer.ts';

describe('an informer of several namespaces', () => {
  const path = (namespace: string) => `/apis/example.com/v1/namespaces/${namespace}/widgets`;

  async function scoped() {
    const scene = new InformerHarness({ scope: { namespaces: ['x', 'y'] } });
    scene.informer.addEventHandler(scene.handler);
    await scene.run();
    return { scene, x: scene.transport.watch(path('x')), y: scene.transport.watch(path('y')) };
  }

  test('has synced when every namespace has synced', async () => {
    const { scene, x, y } = await scoped();
    await scene.sendInitial([widget({ namespace: 'x' })], x);
    expect(scene.informer.hasSynced).toBe(false);
    await scene.sendInitial([widget({ namespace: 'y' })], y);
    expect([scene.informer.hasSynced, scene.keys]).toEqual([true, ['x/a', 'y/a']]);
  });

  test('relists one namespace without changes to the others', async () => {
    const { scene, x, y } = await scoped();
    await scene.sendInitial([widget({ namespace: 'x' })], x);
    await scene.sendInitial([widget({ namespace: 'y' })], y);
    scene.handler.take();
    await scene.relist([], x);
    expect([scene.keys, scene.handler.take()]).toEqual([['y/a'], ['delete a@1']]);
  });

  test('reports the longest silence of its watches', async () => {
    const { scene, x } = await scoped();
    await scene.clock.advance(5000);
    x.send('BOOKMARK', { metadata: { resourceVersion: '2' } });
    await scene.settled();
    expect(scene.informer.silenceMs).toBe(5000);
  });

  test('watches a cluster-scoped kind once', async () => {
    const transport = new RecordingTransport();
    const { clock, log, stop } = new InformerHarness();
    const informer = new Informer({ resource: racks, scope: { namespaces: ['x', 'y'] }, transport, clock, log });
    void informer.run(stop.signal);
    await clock.advance(0);
    expect(transport.watches.map(({ request }) => request.path)).toEqual(['/apis/example.com/v1/racks']);
  });
});

describe('the stored object', () => {
  const managedFields = [{ manager: 'kubectl' }];

  test('has all fields but managedFields', async () => {
    const metadata = { ...widget().metadata, managedFields };
    const scene = await InformerHarness.with({ ...widget(), metadata });
    expect(scene.informer.store.list()).toEqual([widget()]);
    expect(dropManagedFields(widget())).toEqual(widget());
  });

  test('is the result of the transform, which also gets the cached object', async () => {
    const cachedObjects: unknown[] = [];
    const scene = new InformerHarness({
      transform: (object, before) => {
        cachedObjects.push(before?.metadata.resourceVersion);
        return object;
      },
    });
    await scene.run();
    await scene.sendInitial([widget({ name: 'a' })]);
    scene.transport.watch().send('MODIFIED', widget({ name: 'a', resourceVersion: '2' }));
    scene.transport.watch().send('MODIFIED', widget({ name: 'a', resourceVersion: '3' }));
    await scene.settled();
    expect(cachedObjects).toEqual([undefined, '1', '2']);
  });

  test.each<{ name: string; transform: Transform<Widget> }>([
    {
      name: 'throws',
      transform: () => {
        throw new Error('no');
      },
    },
    { name: 'returns nothing', transform: (() => undefined) as unknown as Transform<Widget> },
    {
      name: 'returns another object',
      transform: (object) => ({ ...object, metadata: widget({ name: 'x' }).metadata }),
    },
    {
      name: 'forgets the version',
      transform: (object) => ({ ...object, metadata: { ...object.metadata, resourceVersion: '' } }),
    },
  ])('is the incoming object if the transform $name, and the watch continues', async ({ transform }) => {
    const scene = new InformerHarness({
      transform: (object, cachedObjects) => (object.spec.color === 'red' ? transform(object, cachedObjects) : object),
    });
    await scene.run();
    await scene.sendInitial([widget({ name: 'a' }), widget({ name: 'b' }, { color: 'blue' })]);
    scene.transport.watch().send('MODIFIED', widget({ name: 'a', resourceVersion: '2' }));
    await scene.settled();
    expect(scene.informer.store.get('default/a')).toEqual(widget({ name: 'a', resourceVersion: '2' }));
    expect(scene.keys).toEqual(['default/a', 'default/b']);
    const fields = { resource: 'widgets', name: 'a' };
    const record = { message: 'transform failed, cached the object unchanged', fields };
    expect(scene.log.errors).toMatchObject([record, record]);
    expect(scene.transport.watches).toHaveLength(1);
  });

  test('is in the store but not in an index whose function fails, and the watch continues', async () => {
    const scene = new InformerHarness();
    scene.informer.addIndex('color', ({ spec }) => {
      if (spec.color === 'red') throw new Error('no');
      return [spec.color];
    });
    await scene.run();
    await scene.sendInitial([widget({ name: 'a' }), widget({ name: 'b' }, { color: 'blue' })]);
    scene.transport.watch().send('MODIFIED', widget({ name: 'b', resourceVersion: '2' }));
    scene.transport.watch().send('MODIFIED', widget({ name: 'a', resourceVersion: '3' }, { color: 'blue' }));
    await scene.settled();
    expect(scene.informer.store.byIndex('color', 'blue').map(formatKey)).toEqual(['default/a']);
    const failed = (object: string) => ({
      message: 'index function failed, object is missing from the index',
      fields: { resource: 'widgets', index: 'color', object },
    });
    expect(scene.log.errors).toMatchObject([failed('default/a'), failed('default/b')]);
    expect(scene.transport.watches).toHaveLength(1);
  });
});
