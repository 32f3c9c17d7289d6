import { describe, expect, test } from 'vitest';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { keyOf } from '../kubernetes/resource.ts';
import { racks, type Widget, widget, widgets } from '../test-support/objects.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import { type FedWatch, RecordingTransport } from '../testing/recording-transport.ts';
import { dropManagedFields, type EventHandler, Informer, type InformerOptions, type Transform } from './informer.ts';
import { MAX_BACK_OFF_MS } from './reflector.ts';

/** Writes down what it is told, such as `update a: 1 to 2`. */
class Notes implements EventHandler<KubernetesObject> {
  #lines: string[] = [];

  onAdd({ metadata }: KubernetesObject): void {
    this.#lines.push(`add ${metadata.name}`);
  }

  onUpdate({ metadata: old }: KubernetesObject, { metadata }: KubernetesObject): void {
    this.#lines.push(`update ${metadata.name}: ${old.resourceVersion} to ${metadata.resourceVersion}`);
  }

  onDelete({ metadata }: KubernetesObject): void {
    this.#lines.push(`delete ${metadata.name}@${metadata.resourceVersion}`);
  }

  /** What came since this was asked last. */
  taken(): string[] {
    return this.#lines.splice(0);
  }
}

class Scene {
  readonly clock = new FakeClock();
  readonly transport = new RecordingTransport();
  readonly log = new RecordingLogger();
  readonly notes = new Notes();
  readonly informer: Informer<Widget>;
  readonly stop = new AbortController();

  constructor(options: Partial<InformerOptions<Widget>> = {}) {
    const { clock, transport, log } = this;
    this.informer = new Informer({ resource: widgets, clock, transport, log, ...options });
  }

  /** An informer that runs, has read `objects`, and told its handler. */
  static async with(...objects: readonly Widget[]): Promise<Scene> {
    const scene = new Scene();
    scene.informer.addEventHandler(scene.notes);
    await scene.run();
    await scene.reads(objects);
    scene.notes.taken();
    return scene;
  }

  async run(): Promise<void> {
    void this.informer.run(this.stop.signal);
    await this.settled();
  }

  async reads(objects: readonly KubernetesObject[], watch: FedWatch = this.transport.watch()): Promise<void> {
    watch.sendInitial(objects);
    await this.settled();
  }

  /** The server forgets where the watch was, and shows what there is now. */
  async readsAnew(objects: readonly KubernetesObject[], watch: FedWatch = this.transport.watch()): Promise<void> {
    watch.expire();
    await this.clock.advance(2 * MAX_BACK_OFF_MS);
    await this.reads(objects, this.transport.watch(watch.request.path));
  }

  readonly settled = () => this.clock.advance(0);

  get keys(): string[] {
    return [...this.informer.store.keys()].sort();
  }
}

describe('tells its handlers', () => {
  test('of every object there is', async () => {
    const scene = new Scene();
    scene.informer.addEventHandler(scene.notes);
    await scene.run();
    await scene.reads([widget({ name: 'a' }), widget({ name: 'b' })]);
    expect(scene.notes.taken()).toEqual(['add a', 'add b']);
  });

  test('of every change', async () => {
    const { transport, notes, settled } = await Scene.with(widget({ name: 'a', resourceVersion: '1' }));
    transport.watch().send('ADDED', widget({ name: 'b', resourceVersion: '2' }));
    transport.watch().send('MODIFIED', widget({ name: 'a', resourceVersion: '3' }));
    transport.watch().send('DELETED', widget({ name: 'b', resourceVersion: '4' }));
    await settled();
    expect(notes.taken()).toEqual(['add b', 'update a: 1 to 3', 'delete b@2']);
  });

  test('of what is different after everything was read anew, deletions first', async () => {
    const scene = await Scene.with(
      widget({ name: 'gone', resourceVersion: '1' }),
      widget({ name: 'same', resourceVersion: '2' }),
      widget({ name: 'changed', resourceVersion: '3' }),
    );
    await scene.readsAnew([
      widget({ name: 'same', resourceVersion: '2' }),
      widget({ name: 'changed', resourceVersion: '5' }),
      widget({ name: 'new', resourceVersion: '6' }),
    ]);
    expect(scene.notes.taken()).toEqual(['delete gone@1', 'update changed: 3 to 5', 'add new']);
    expect(scene.keys).toEqual(['default/changed', 'default/new', 'default/same']);
  });

  test('nothing when an event says what is known already', async () => {
    const { transport, notes, settled } = await Scene.with(widget({ name: 'a', resourceVersion: '1' }));
    transport.watch().send('MODIFIED', widget({ name: 'a', resourceVersion: '1' }));
    transport.watch().send('DELETED', widget({ name: 'unknown' }));
    await settled();
    expect(notes.taken()).toEqual([]);
  });

  test('after the store and its indexes have the change', async () => {
    const { informer, transport, settled } = await Scene.with();
    informer.addIndex('color', ({ spec }) => [spec.color]);
    const seen: string[][] = [];
    const look = () => void seen.push(informer.store.byIndex('color', 'red').map(keyOf));
    informer.addEventHandler({ onAdd: look, onUpdate: look, onDelete: look });
    transport.watch().send('ADDED', widget({ resourceVersion: '1' }));
    transport.watch().send('MODIFIED', widget({ resourceVersion: '2' }, { color: 'blue' }));
    transport.watch().send('MODIFIED', widget({ resourceVersion: '3' }));
    transport.watch().send('DELETED', widget({ resourceVersion: '4' }));
    await settled();
    expect(seen).toEqual([['default/a'], [], ['default/a'], []]);
  });

  test('that come late of what is here already', async () => {
    const { informer, transport, settled } = await Scene.with(widget({ name: 'a' }), widget({ name: 'b' }));
    const late = new Notes();
    informer.addEventHandler(late);
    expect(late.taken()).toEqual(['add a', 'add b']);
    transport.watch().send('ADDED', widget({ name: 'c' }));
    await settled();
    expect(late.taken()).toEqual(['add c']);
  });

  test('all, when one of them throws, and goes on', async () => {
    const { informer, transport, log, settled } = await Scene.with();
    const fault = new Error('not my day');
    const fail = () => {
      throw fault;
    };
    informer.addEventHandler({ onAdd: fail, onUpdate: fail, onDelete: fail });
    const last = new Notes();
    informer.addEventHandler(last);
    transport.watch().send('ADDED', widget({ resourceVersion: '1' }));
    transport.watch().send('MODIFIED', widget({ resourceVersion: '2' }));
    transport.watch().send('DELETED', widget({ resourceVersion: '3' }));
    await settled();
    expect(last.taken()).toEqual(['add a', 'update a: 1 to 2', 'delete a@2']);
    const record = { message: 'event handler failed', error: fault, fields: { resource: 'widgets' } };
    expect(log.errors).toMatchObject([record, record, record]);
    expect(transport.watches).toHaveLength(1);
  });

  test('and logs what an asynchronous one rejects with', async () => {
    const { informer, transport, log, settled } = await Scene.with();
    const fault = new Error('not my day');
    const fail = () => Promise.reject(fault);
    informer.addEventHandler({ onAdd: fail, onUpdate: fail, onDelete: fail });
    transport.watch().send('ADDED', widget());
    await settled();
    expect(log.errors).toMatchObject([{ message: 'event handler failed', error: fault }]);
  });
});

describe('has synced', () => {
  test('when every object has been here, and handlers were told', async () => {
    const scene = new Scene();
    let syncedAtAdd: boolean | undefined;
    const onAdd = () => {
      syncedAtAdd = scene.informer.hasSynced;
    };
    scene.informer.addEventHandler({ onAdd, onUpdate() {}, onDelete() {} });
    await scene.run();
    scene.transport.watch().send('ADDED', widget());
    await scene.settled();
    expect([scene.informer.hasSynced, scene.keys]).toEqual([false, []]);
    scene.transport.watch().sendInitial([]);
    await scene.informer.synced;
    expect([scene.informer.hasSynced, syncedAtAdd]).toEqual([true, false]);
  });

  test('for good, also while it reads everything anew', async () => {
    const scene = await Scene.with(widget());
    scene.transport.watch().expire();
    await scene.settled();
    expect([scene.informer.hasSynced, scene.keys]).toEqual([true, ['default/a']]);
  });
});

describe('of some namespaces', () => {
  const path = (namespace: string) => `/apis/example.com/v1/namespaces/${namespace}/widgets`;

  async function scoped() {
    const scene = new Scene({ scope: { namespaces: ['x', 'y'] } });
    scene.informer.addEventHandler(scene.notes);
    await scene.run();
    return { scene, x: scene.transport.watch(path('x')), y: scene.transport.watch(path('y')) };
  }

  test('watches just these', async () => {
    const { scene } = await scoped();
    expect(scene.transport.watches.map(({ request }) => request.path)).toEqual([path('x'), path('y')]);
  });

  test('has synced when all of them have', async () => {
    const { scene, x, y } = await scoped();
    await scene.reads([widget({ namespace: 'x' })], x);
    expect(scene.informer.hasSynced).toBe(false);
    await scene.reads([widget({ namespace: 'y' })], y);
    expect([scene.informer.hasSynced, scene.keys]).toEqual([true, ['x/a', 'y/a']]);
  });

  test('reads one anew without touching the others', async () => {
    const { scene, x, y } = await scoped();
    await scene.reads([widget({ namespace: 'x' })], x);
    await scene.reads([widget({ namespace: 'y' })], y);
    scene.notes.taken();
    await scene.readsAnew([], x);
    expect([scene.keys, scene.notes.taken()]).toEqual([['y/a'], ['delete a@1']]);
  });

  test('is as silent as the most silent of its watches', async () => {
    const { scene, x } = await scoped();
    await scene.clock.advance(5000);
    x.send('BOOKMARK', { metadata: { resourceVersion: '2' } });
    await scene.settled();
    expect(scene.informer.silentForMs).toBe(5000);
  });

  test('watches a kind that no namespace holds as a whole', async () => {
    const transport = new RecordingTransport();
    const { clock, log, stop } = new Scene();
    const informer = new Informer({ resource: racks, scope: { namespaces: ['x', 'y'] }, transport, clock, log });
    void informer.run(stop.signal);
    await clock.advance(0);
    expect(transport.watches.map(({ request }) => request.path)).toEqual(['/apis/example.com/v1/racks']);
  });
});

describe('what the cache keeps', () => {
  const managedFields = [{ manager: 'kubectl' }];

  test('is all but managedFields', async () => {
    const metadata = { ...widget().metadata, managedFields };
    const scene = await Scene.with({ ...widget(), metadata });
    expect(scene.informer.store.list()).toEqual([widget()]);
    expect(dropManagedFields(widget())).toEqual(widget());
  });

  test('is what a transform makes of it', async () => {
    const scene = new Scene({ transform: (object) => ({ ...object, spec: { color: 'gray' } }) });
    await scene.run();
    await scene.reads([widget()]);
    expect(scene.informer.store.get('default/a')).toEqual(widget({}, { color: 'gray' }));
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
  ])('is the object as it came when the transform $name, and the watch goes on', async ({ transform }) => {
    const scene = new Scene({ transform: (object) => (object.spec.color === 'red' ? transform(object) : object) });
    await scene.run();
    await scene.reads([widget({ name: 'a' }), widget({ name: 'b' }, { color: 'blue' })]);
    scene.transport.watch().send('MODIFIED', widget({ name: 'a', resourceVersion: '2' }));
    await scene.settled();
    expect(scene.informer.store.get('default/a')).toEqual(widget({ name: 'a', resourceVersion: '2' }));
    expect(scene.keys).toEqual(['default/a', 'default/b']);
    const record = {
      message: 'transform failed, cached the object unchanged',
      fields: { resource: 'widgets', name: 'a' },
    };
    expect(scene.log.errors).toMatchObject([record, record]);
    expect(scene.transport.watches).toHaveLength(1);
  });

  test('is in the store, and not in an index whose function fails, and the watch goes on', async () => {
    const scene = new Scene();
    scene.informer.addIndex('color', ({ spec }) => {
      if (spec.color === 'red') throw new Error('no');
      return [spec.color];
    });
    await scene.run();
    await scene.reads([widget({ name: 'a' }), widget({ name: 'b' }, { color: 'blue' })]);
    scene.transport.watch().send('MODIFIED', widget({ name: 'b', resourceVersion: '2' }));
    scene.transport.watch().send('MODIFIED', widget({ name: 'a', resourceVersion: '3' }, { color: 'blue' }));
    await scene.settled();
    expect(scene.informer.store.byIndex('color', 'blue').map(keyOf)).toEqual(['default/a']);
    const failed = (object: string) => ({
      message: 'index function failed, object is missing from the index',
      fields: { resource: 'widgets', index: 'color', object },
    });
    expect(scene.log.errors).toMatchObject([failed('default/a'), failed('default/b')]);
    expect(scene.transport.watches).toHaveLength(1);
  });
});

test('stops when its signal aborts', async () => {
  const scene = new Scene();
  const ended = scene.informer.run(scene.stop.signal);
  await scene.settled();
  scene.stop.abort();
  await ended;
  expect([scene.clock.pendingTimers, scene.transport.watch().bytes.destroyed]).toEqual([0, true]);
});
