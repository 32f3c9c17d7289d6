import { describe, expect, test } from 'vitest';
import { formatKey } from '../kubernetes/resource.ts';
import { InformerHarness, RecordingHandler } from '../test-support/informer-harness.ts';
import { widget } from '../test-support/objects.ts';

describe('notifies its handlers', () => {
  test('of every change', async () => {
    const { transport, handler, settled } = await InformerHarness.with(widget({ name: 'a', resourceVersion: '1' }));
    transport.watch().send('ADDED', widget({ name: 'b', resourceVersion: '2' }));
    transport.watch().send('MODIFIED', widget({ name: 'a', resourceVersion: '3' }));
    transport.watch().send('DELETED', widget({ name: 'b', resourceVersion: '4' }));
    await settled();
    expect(handler.take()).toEqual(['add b', 'update a: 1 to 3', 'delete b@2']);
  });

  test('of the differences after a relist, deletions first', async () => {
    const scene = await InformerHarness.with(
      widget({ name: 'gone', resourceVersion: '1' }),
      widget({ name: 'same', resourceVersion: '2' }),
      widget({ name: 'changed', resourceVersion: '3' }),
    );
    await scene.relist([
      widget({ name: 'same', resourceVersion: '2' }),
      widget({ name: 'changed', resourceVersion: '5' }),
      widget({ name: 'new', resourceVersion: '6' }),
    ]);
    expect(scene.handler.take()).toEqual(['delete gone@1', 'update changed: 3 to 5', 'add new']);
    expect(scene.keys).toEqual(['default/changed', 'default/new', 'default/same']);
  });

  test('not of an event whose version is already stored', async () => {
    const { transport, handler, settled } = await InformerHarness.with(widget({ name: 'a', resourceVersion: '1' }));
    transport.watch().send('MODIFIED', widget({ name: 'a', resourceVersion: '1' }));
    transport.watch().send('DELETED', widget({ name: 'unknown' }));
    await settled();
    expect(handler.take()).toEqual([]);
  });

  test('after the store and its indexes have the change', async () => {
    const { informer, transport, settled } = await InformerHarness.with();
    informer.addIndex('color', ({ spec }) => [spec.color]);
    const storedKeys: string[][] = [];
    const look = () => void storedKeys.push(informer.store.byIndex('color', 'red').map(formatKey));
    informer.addEventHandler({ onAdd: look, onUpdate: look, onDelete: look });
    transport.watch().send('ADDED', widget({ resourceVersion: '1' }));
    transport.watch().send('MODIFIED', widget({ resourceVersion: '2' }, { color: 'blue' }));
    transport.watch().send('MODIFIED', widget({ resourceVersion: '3' }));
    transport.watch().send('DELETED', widget({ resourceVersion: '4' }));
    await settled();
    expect(storedKeys).toEqual([['default/a'], [], ['default/a'], []]);
  });

  test('of the existing objects when they are added later', async () => {
    const { informer, transport, settled } = await InformerHarness.with(widget({ name: 'a' }), widget({ name: 'b' }));
    const lateHandler = new RecordingHandler();
    informer.addEventHandler(lateHandler);
    expect(lateHandler.take()).toEqual(['add a', 'add b']);
    transport.watch().send('ADDED', widget({ name: 'c' }));
    await settled();
    expect(lateHandler.take()).toEqual(['add c']);
  });

  test('even if one of them throws, and continues', async () => {
    const { informer, transport, log, settled } = await InformerHarness.with();
    const fault = new Error('not my day');
    const fail = () => {
      throw fault;
    };
    informer.addEventHandler({ onAdd: fail, onUpdate: fail, onDelete: fail });
    const last = new RecordingHandler();
    informer.addEventHandler(last);
    transport.watch().send('ADDED', widget({ resourceVersion: '1' }));
    transport.watch().send('MODIFIED', widget({ resourceVersion: '2' }));
    transport.watch().send('DELETED', widget({ resourceVersion: '3' }));
    await settled();
    expect(last.take()).toEqual(['add a', 'update a: 1 to 2', 'delete a@2']);
    const record = { message: 'event handler failed', error: fault, fields: { resource: 'widgets' } };
    expect(log.errors).toMatchObject([record, record, record]);
    expect(transport.watches).toHaveLength(1);
  });

  test('and logs the rejection of an asynchronous handler', async () => {
    const { informer, transport, log, settled } = await InformerHarness.with();
    const fault = new Error('not my day');
    const fail = () => Promise.reject(fault);
    informer.addEventHandler({ onAdd: fail, onUpdate: fail, onDelete: fail });
    transport.watch().send('ADDED', widget());
    await settled();
    expect(log.errors).toMatchObject([{ message: 'event handler failed', error: fault }]);
  });
});

describe('has synced', () => {
  test('after every object is stored and every handler notified', async () => {
    const scene = new InformerHarness();
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

  test('permanently, also during a relist', async () => {
    const scene = await InformerHarness.with(widget());
    scene.transport.watch().expire();
    await scene.settled();
    expect([scene.informer.hasSynced, scene.keys]).toEqual([true, ['default/a']]);
  });
});

test('stops when its signal aborts', async () => {
  const scene = new InformerHarness();
  const ended = scene.informer.run(scene.stop.signal);
  await scene.settled();
  scene.stop.abort();
  await ended;
  expect([scene.clock.pendingTimers, scene.transport.watch().bytes.destroyed]).toEqual([0, true]);
});
