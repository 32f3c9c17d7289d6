import { expect, test } from 'vitest';
import { yieldToEventLoop } from '../clock/yielding-loop.ts';
import { InformerHarness, RecordingHandler } from '../test-support/informer-harness.ts';
import { type Widget, widget } from '../test-support/objects.ts';
import { tickingClock } from '../test-support/ticking-clock.ts';

const many = Array.from({ length: 100 }, (_, index) => widget({ name: `w${index}` }));
const added = many.map(({ metadata }) => `add ${metadata.name}`);

/** An informer with many objects, and a clock that makes it yield. */
async function withMany(): Promise<InformerHarness> {
  const scene = new InformerHarness({ clock: tickingClock() });
  scene.informer.addEventHandler(scene.handler);
  await scene.run();
  scene.transport.watch().sendInitial(many);
  return scene;
}

test('stores the initial objects in several turns, and has synced after the last turn', async () => {
  const { informer, handler } = await withMany();
  const halves: boolean[] = [];
  while (informer.store.size < many.length) {
    if (informer.store.size > 0) halves.push(informer.hasSynced);
    await yieldToEventLoop();
  }
  expect(halves).not.toEqual([]);
  expect(halves).not.toContain(true);
  await informer.synced;
  expect(handler.take()).toEqual(added);
});

test('handles changes after all initial objects are stored', async () => {
  const { informer, handler, transport, settled } = await withMany();
  transport.watch().send('MODIFIED', widget({ name: 'w99', resourceVersion: '2' }));
  transport.watch().send('DELETED', widget({ name: 'w98' }));
  await informer.synced;
  await settled();
  expect(handler.take()).toEqual([...added, 'update w99: 1 to 2', 'delete w98@1']);
});

test('notifies a late handler in several turns, once per object', async () => {
  const { informer } = await withMany();
  await informer.synced;
  const lateHandler = new RecordingHandler();
  informer.addEventHandler(lateHandler);
  const first = lateHandler.take();
  expect(first.length).toBeLessThan(many.length);
  for (let turn = 0; turn < many.length; turn++) await yieldToEventLoop();
  expect([...first, ...lateHandler.take()]).toEqual(added);
});

test('sends a late handler no update or deletion before the add', async () => {
  const { informer, transport } = await withMany();
  await informer.synced;
  const lateHandler = new RecordingHandler();
  transport.watch().send('MODIFIED', widget({ name: 'w99', resourceVersion: '2' }));
  transport.watch().send('DELETED', widget({ name: 'w98' }));
  transport.watch().send('MODIFIED', widget({ name: 'w0', resourceVersion: '2' }));
  transport.watch().send('ADDED', widget({ name: 'new' }));
  informer.addEventHandler(lateHandler);
  for (let turn = 0; turn < many.length; turn++) await yieldToEventLoop();
  const untouched = added.filter((line) => !['add w98', 'add w99'].includes(line));
  expect(lateHandler.take().toSorted()).toEqual([...untouched, 'add w99', 'add new', 'update w0: 1 to 2'].toSorted());
});

test('stores only the result of the transform from the start', async () => {
  const notifications: string[] = [];
  const transform = (object: Widget) => {
    notifications.push(object.metadata.name);
    return { ...object, spec: { color: 'gray' } };
  };
  const scene = new InformerHarness({ transform });
  await scene.run();
  scene.transport.watch().send('ADDED', widget());
  await scene.settled();
  expect([notifications, scene.keys]).toEqual([['a'], []]);
  await scene.sendInitial([]);
  expect(notifications).toEqual(['a']);
  expect(scene.informer.store.list().map(({ spec }) => spec)).toEqual([{ color: 'gray' }]);
});

test('stores no object twice during a relist', async () => {
  const transformed: Widget[] = [];
  const transform = (object: Widget) => {
    transformed.push({ ...object });
    return transformed.at(-1) ?? object;
  };
  const scene = new InformerHarness({ transform });
  await scene.run();
  await scene.sendInitial([widget({ name: 'same' }), widget({ name: 'changed' })]);
  await scene.relist([widget({ name: 'same' }), widget({ name: 'changed', resourceVersion: '2' })]);
  expect(transformed.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`)).toEqual([
    'same@1',
    'changed@1',
    'changed@2',
  ]);
});
