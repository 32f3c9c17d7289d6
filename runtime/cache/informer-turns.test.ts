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

test('takes over what it has read in turns, and has synced after the last', async () => {
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

test('changes that come meanwhile wait until all is taken over', async () => {
  const { informer, handler, transport, settled } = await withMany();
  transport.watch().send('MODIFIED', widget({ name: 'w99', resourceVersion: '2' }));
  transport.watch().send('DELETED', widget({ name: 'w98' }));
  await informer.synced;
  await settled();
  expect(handler.take()).toEqual([...added, 'update w99: 1 to 2', 'delete w98@1']);
});

test('a handler that comes late is told in turns, each object once', async () => {
  const { informer } = await withMany();
  await informer.synced;
  const late = new RecordingHandler();
  informer.addEventHandler(late);
  const first = late.take();
  expect(first.length).toBeLessThan(many.length);
  for (let turn = 0; turn < many.length; turn++) await yieldToEventLoop();
  expect([...first, ...late.take()]).toEqual(added);
});

test('a handler that comes late hears of no object whose addition it was not told of', async () => {
  const { informer, transport } = await withMany();
  await informer.synced;
  const late = new RecordingHandler();
  transport.watch().send('MODIFIED', widget({ name: 'w99', resourceVersion: '2' }));
  transport.watch().send('DELETED', widget({ name: 'w98' }));
  transport.watch().send('MODIFIED', widget({ name: 'w0', resourceVersion: '2' }));
  transport.watch().send('ADDED', widget({ name: 'new' }));
  informer.addEventHandler(late);
  for (let turn = 0; turn < many.length; turn++) await yieldToEventLoop();
  const untouched = added.filter((line) => !['add w98', 'add w99'].includes(line));
  expect(late.take().toSorted()).toEqual([...untouched, 'add w99', 'add new', 'update w0: 1 to 2'].toSorted());
});

test('keeps of each object what the transform makes of it, from when it comes', async () => {
  const seen: string[] = [];
  const transform = (object: Widget) => {
    seen.push(object.metadata.name);
    return { ...object, spec: { color: 'gray' } };
  };
  const scene = new InformerHarness({ transform });
  await scene.run();
  scene.transport.watch().send('ADDED', widget());
  await scene.settled();
  expect([seen, scene.keys]).toEqual([['a'], []]);
  await scene.sendInitial([]);
  expect(seen).toEqual(['a']);
  expect(scene.informer.store.list().map(({ spec }) => spec)).toEqual([{ color: 'gray' }]);
});

test('holds no object twice while everything is read anew', async () => {
  const made: Widget[] = [];
  const transform = (object: Widget) => {
    made.push({ ...object });
    return made.at(-1) ?? object;
  };
  const scene = new InformerHarness({ transform });
  await scene.run();
  await scene.sendInitial([widget({ name: 'same' }), widget({ name: 'changed' })]);
  await scene.relist([widget({ name: 'same' }), widget({ name: 'changed', resourceVersion: '2' })]);
  expect(made.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`)).toEqual([
    'same@1',
    'changed@1',
    'changed@2',
  ]);
});
