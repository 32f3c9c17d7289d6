import { expect, test } from 'vitest';
import { ControllerHarness, ReconcileGate } from '../test-support/controller-harness.ts';
import { widget } from '../test-support/objects.ts';
import { enqueueRequestForObject } from './map-to-requests.ts';

test('runs one reconcile at a time by default', async () => {
  const gate = new ReconcileGate();
  const scene = await ControllerHarness.with(['a', 'b'], gate.reconcile, { maxConcurrentReconciles: undefined });
  expect(gate.running).toEqual(['a']);
  gate.finish('a');
  await scene.clock.advance(0);
  expect([gate.running, gate.maxConcurrent]).toEqual([['b'], 1]);
});

test('a namespace with hanging reconciles leaves workers for other namespaces', async () => {
  const scene = new ControllerHarness({ maxConcurrentReconciles: 20 });
  scene.reconcile = ({ namespace }) => (namespace === 'bad' ? new Promise(() => {}) : Promise.resolve({}));
  scene.controller.watch(scene.informer, enqueueRequestForObject);
  const bad = Array.from({ length: 100 }, (_, index) => widget({ name: `bad-${index}`, namespace: 'bad' }));
  const good = Array.from({ length: 10 }, (_, index) => widget({ name: `good-${index}`, namespace: 'good' }));
  await scene.start([...bad, ...good]);
  expect(scene.reconciles.filter((reconcile) => reconcile.startsWith('good'))).toHaveLength(10);
});
