import { describe, expect, test } from 'vitest';
import { ControllerHarness, HOUR_MS } from '../test-support/controller-harness.ts';
import { type Widget, widget, widgetOwner, widgets } from '../test-support/objects.ts';
import { ChannelSource } from './channel-source.ts';
import { enqueueRequestForObject, enqueueRequestForOwner, type MapToRequests } from './map-to-requests.ts';
import type { Predicate } from './predicate.ts';

describe('an event', () => {
  async function watching(
    toRequests: MapToRequests<Widget>,
    predicates: Predicate<Widget>[],
    objects: readonly Widget[] = [],
  ) {
    const scene = new ControllerHarness();
    scene.controller.watch(scene.informer, toRequests, { predicates });
    await scene.start(objects);
    return scene;
  }

  test('that a predicate rejects triggers no reconcile', async () => {
    const isRed = ({ spec }: Widget) => spec.color === 'red';
    const predicates = [{ onAdd: isRed, onUpdate: (_: Widget, object: Widget) => isRed(object), onDelete: isRed }];
    const red = widget({ name: 'red' });
    const blue = widget({ name: 'blue' }, { color: 'blue' });
    const scene = await watching(enqueueRequestForObject, predicates, [red, blue]);
    for (const { metadata, spec } of [red, blue]) {
      await scene.deliver('MODIFIED', widget({ ...metadata, resourceVersion: '2' }, spec));
      await scene.deliver('DELETED', widget({ ...metadata, resourceVersion: '3' }, spec));
    }
    expect(scene.reconciles).toEqual(['red 0', 'red 0', 'red 0']);
  });

  test('that moves an object from one owner to another reconciles both', async () => {
    const owned = widget({ ownerReferences: [widgetOwner('old')] });
    const scene = await watching(enqueueRequestForOwner(widgets), [], [owned]);
    await scene.deliver('MODIFIED', widget({ resourceVersion: '2', ownerReferences: [widgetOwner('new')] }));
    expect(scene.reconciles).toEqual(['old 0', 'old 0', 'new 0']);
  });

  test('before the controller starts is not lost', async () => {
    const scene = new ControllerHarness();
    scene.controller.watch(scene.informer, enqueueRequestForObject);
    void scene.informer.run(scene.abort.signal);
    await scene.clock.advance(0);
    scene.transport.watch().sendInitial([widget()]);
    await scene.clock.advance(0);
    expect(scene.reconciles).toEqual([]);
    void scene.controller.start(new AbortController().signal);
    await scene.clock.advance(0);
    expect(scene.reconciles).toEqual(['a 0']);
  });
});

describe('a mapper', () => {
  /** The controller's logged errors: the message and the object. */
  const listErrors = ({ log }: ControllerHarness) => log.errors.map(({ message, fields }) => ({ message, ...fields }));

  async function mapping(toRequests: MapToRequests<Widget>) {
    const scene = new ControllerHarness();
    scene.controller.watch(scene.informer, toRequests);
    await scene.start([widget()]);
    return scene;
  }

  test('may be asynchronous', async () => {
    const scene = await mapping(async () => [{ namespace: 'x', name: 'b' }, { name: 'rack' }]);
    expect(scene.reconciles).toEqual(['b 0', 'rack 0']);
  });

  test('that returns the same object for the old and the new state reconciles it once', async () => {
    const scene = await mapping(async ({ metadata }) => [metadata]);
    await scene.edit('a');
    expect(scene.reconciles).toEqual(['a 0', 'a 0']);
  });

  test.each<{ name: string; toRequests: MapToRequests<Widget> }>([
    {
      name: 'throws',
      toRequests: () => {
        throw new Error('no');
      },
    },
    { name: 'rejects', toRequests: () => Promise.reject(new Error('no')) },
    { name: 'returns nothing', toRequests: (() => undefined) as unknown as MapToRequests<Widget> },
    { name: 'comes to nothing', toRequests: (async () => 7) as unknown as MapToRequests<Widget> },
    { name: 'returns a value that is not a key', toRequests: (() => ['a']) as unknown as MapToRequests<Widget> },
  ])('that $name is logged, and the next event is handled', async ({ toRequests }) => {
    let isFirst = true;
    const scene = await mapping((object) => {
      if (!isFirst) return enqueueRequestForObject(object);
      isFirst = false;
      return toRequests(object);
    });
    const message = 'mapper failed, dropped the event';
    expect(listErrors(scene)).toEqual([
      { controller: 'widget', message, kind: 'Widget', namespace: 'default', name: 'a' },
    ]);
    expect(scene.reconciles).toEqual([]);
    await scene.edit('a');
    expect(scene.reconciles).toEqual(['a 0']);
  });

  test('is called if a predicate throws, and the error is logged', async () => {
    const scene = new ControllerHarness();
    const fail = () => {
      throw new Error('no');
    };
    const predicates = [{ onAdd: fail, onUpdate: fail, onDelete: fail }];
    scene.controller.watch(scene.informer, enqueueRequestForObject, { predicates });
    await scene.start([widget()]);
    await scene.edit('a');
    await scene.deliver('DELETED', widget());
    expect(scene.reconciles).toEqual(['a 0', 'a 0', 'a 0']);
    const record = { controller: 'widget', message: 'predicate failed, accepted the event', name: 'a' };
    expect(listErrors(scene)).toMatchObject([record, record, record]);
  });
});

describe('a channel', () => {
  test('reconciles emitted objects in every controller, also if emitted before the start', async () => {
    const source = new ChannelSource();
    const [first, second] = [new ControllerHarness(), new ControllerHarness()];
    first.controller.watchChannel(source);
    second.controller.watchChannel(source);
    source.emit({ namespace: 'default', name: 'early' });
    source.emit({ namespace: 'default', name: 'early' });
    await first.start([]);
    source.emit({ name: 'rack' });
    await first.clock.advance(0);
    expect(first.reconciles).toEqual(['early 0', 'rack 0']);
    await second.start([]);
    expect(second.reconciles).toEqual(['early 0', 'rack 0']);
  });

  test('is ignored by a stopped controller', async () => {
    const source = new ChannelSource();
    const scene = new ControllerHarness();
    scene.controller.watchChannel(source);
    await scene.start([]);
    await scene.stop();
    source.emit({ name: 'late' });
    await scene.clock.advance(0);
    expect(scene.reconciles).toEqual([]);
  });
});

describe('the resync', () => {
  test('reconciles every object once per period, also after a terminal error', async () => {
    const scene = new ControllerHarness();
    scene.controller.resync(scene.informer, HOUR_MS);
    await scene.start([widget({ name: 'a' }), widget({ name: 'b' })]);
    expect(scene.reconciles).toEqual([]);
    await scene.clock.advance(HOUR_MS);
    await scene.deliver('DELETED', widget({ name: 'a' }));
    await scene.clock.advance(HOUR_MS);
    expect(scene.reconciles).toEqual([`a ${HOUR_MS}`, `b ${HOUR_MS}`, `b ${2 * HOUR_MS}`]);
  });

  test('does not change wake-ups', async () => {
    const scene = new ControllerHarness();
    scene.controller.watch(scene.informer, enqueueRequestForObject);
    scene.controller.resync(scene.informer, 40_000);
    scene.reconcile = async () => ({ requeueAfterMs: 60_000 - (scene.clock.monotonicMs() % 60_000) });
    await scene.start([widget()]);
    await scene.clock.advance(120_000);
    expect(scene.reconciles).toEqual(['a 0', 'a 40000', 'a 60000', 'a 80000', 'a 120000']);
  });

  test('ends with the controller', async () => {
    const scene = new ControllerHarness();
    scene.controller.resync(scene.informer, HOUR_MS);
    await scene.start([]);
    scene.abort.abort();
    await scene.stop();
    expect(scene.clock.pendingTimers).toBe(0);
  });
});
