import { describe, expect, test } from 'vitest';
import { ControllerHarness, ReconcileGate } from '../test-support/controller-harness.ts';
import { widget } from '../test-support/objects.ts';
import { enqueueRequestForObject } from './map-to-requests.ts';
import type { ReconcileContext } from './reconcile.ts';

const oneReconcile = { maxConcurrentReconciles: 1 };

describe('the priority of an event', () => {
  test('makes an object wait while others are due', async () => {
    const scene = new ControllerHarness(oneReconcile);
    scene.controller.watch(scene.informer, enqueueRequestForObject, {
      priority: ({ metadata }) => (metadata.name.startsWith('later') ? 'low' : 'normal'),
    });
    await scene.start(['later-1', 'later-2', 'now-1', 'now-2'].map((name) => widget({ name })));
    // A worker took the first key before the second was added.
    expect(scene.reconciles).toEqual(['later-1 0', 'now-1 0', 'now-2 0', 'later-2 0']);
  });

  test('may depend on the old object', async () => {
    const scene = new ControllerHarness();
    const oldColors: (string | undefined)[] = [];
    scene.controller.watch(scene.informer, enqueueRequestForObject, {
      priority: (_, old) => {
        oldColors.push(old?.metadata.resourceVersion);
        return 'low';
      },
    });
    await scene.start([widget({ resourceVersion: '5' })]);
    await scene.edit('a');
    expect(oldColors).toEqual([undefined, '5']);
  });

  test('is normal if the function fails, and the error is logged', async () => {
    const scene = new ControllerHarness();
    scene.controller.watch(scene.informer, enqueueRequestForObject, {
      priority: () => {
        throw new Error('no');
      },
    });
    await scene.start([widget()]);
    expect(scene.reconciles).toEqual(['a 0']);
    expect(scene.log.errors).toMatchObject([{ message: 'priority function failed, used the normal priority' }]);
  });
});

describe('a reconcile', () => {
  test('that requests a low-priority reconcile runs after the others, without back-off', async () => {
    const gate = new ReconcileGate();
    const scene = await ControllerHarness.with(['a', 'b', 'c'], gate.reconcile, oneReconcile);
    gate.finish('a', { requeue: 'low' });
    for (const name of ['b', 'c', 'a']) {
      await scene.clock.advance(0);
      gate.finish(name);
    }
    await scene.clock.advance(0);
    expect(scene.reconciles).toEqual(['a 0', 'b 0', 'c 0', 'a 0']);
  });

  test('that requests it also keeps its wake-up', async () => {
    let requeue: 'low' | undefined = 'low';
    const scene = await ControllerHarness.with(['a'], async () => {
      const result = { requeueAfterMs: 5000, ...(requeue && { requeue }) };
      requeue = undefined;
      return result;
    });
    await scene.clock.advance(5000);
    expect(scene.reconciles).toEqual(['a 0', 'a 0', 'a 5000']);
  });

  test('of low priority runs after an event of another object', async () => {
    const contexts = new Map<string, ReconcileContext>();
    const gate = new ReconcileGate();
    const reconcile: typeof gate.reconcile = (request, context) => {
      contexts.set(request.name, context);
      return gate.reconcile(request, context);
    };
    const scene = await ControllerHarness.with(['a', 'b'], reconcile, oneReconcile);
    expect(contexts.get('a')?.tryContinueAtLowPriority()).toBe(false);
    gate.finish('a');
    await scene.clock.advance(0);
    expect(contexts.get('b')?.tryContinueAtLowPriority()).toBe(true);
  });
});

test('a reconcile of low priority can tell whether other objects wait', async () => {
  const answers: boolean[][] = [];
  const scene = new ControllerHarness(oneReconcile);
  scene.reconcile = async (_, { tryContinueAtLowPriority, hasWaitingObjects }) => {
    answers.push([tryContinueAtLowPriority(), hasWaitingObjects()]);
    return {};
  };
  scene.controller.watch(scene.informer, enqueueRequestForObject, { priority: () => 'low' });
  await scene.start(['a', 'b'].map((name) => widget({ name })));
  expect(answers.at(-2)).toEqual([true, true]);
  expect(answers.at(-1)).toEqual([true, false]);
});

test('a resync has low priority', async () => {
  const gate = new ReconcileGate();
  const scene = new ControllerHarness(oneReconcile);
  scene.reconcile = gate.reconcile;
  scene.controller.watch(scene.informer, enqueueRequestForObject);
  scene.controller.resync(scene.informer, 60_000);
  await scene.start(['a', 'b', 'c'].map((name) => widget({ name })));
  for (const name of ['a', 'b', 'c']) {
    gate.finish(name);
    await scene.clock.advance(0);
  }
  await scene.clock.advance(60_000);
  await scene.edit('c');
  for (const name of ['a', 'c', 'b']) {
    gate.finish(name);
    await scene.clock.advance(0);
  }
  expect(scene.reconciles.slice(3)).toEqual(['a 60000', 'c 60000', 'b 60000']);
});
