import { describe, expect, test } from 'vitest';
import { ApiError } from '../client/errors.ts';
import { ControllerHarness, HOUR_MS, type ReconcileFunction } from '../test-support/controller-harness.ts';
import { widget } from '../test-support/objects.ts';
import { enqueueRequestForObject } from './map-to-requests.ts';
import { TerminalError } from './reconcile.ts';

/** Every retry waits for an hour. */
const SLOW_RETRIES = { rateLimits: { baseDelayMs: HOUR_MS, maxDelayMs: HOUR_MS } };

test.each([
  [403, { fix: 'if the manager lacks a permission, add owns() for the kind, or `rules` to the manifests' }],
  [500, {}],
])('a failed write with the status %d is logged with a fix, if there is one', async (code, fix) => {
  const error = new Error('apply Deployment a', { cause: new ApiError(code, {}) });
  const scene = await ControllerHarness.with(['a'], () => Promise.reject(error));
  const { reconcileID: _, ...fields } = scene.log.errors[0]?.fields ?? {};
  expect(fields).toEqual({ controller: 'widget', namespace: 'default', name: 'a', failures: 1, ...fix });
});

test('retries failed objects as soon as the server is reachable again', async () => {
  const reconcile: ReconcileFunction = ({ name }) =>
    name === 'a' ? Promise.reject(new Error('no')) : Promise.resolve({});
  const scene = await ControllerHarness.with(['a', 'b'], reconcile, SLOW_RETRIES);
  const watch = scene.transport.watch();
  watch.bytes.destroy(new Error('socket hang up'));
  await scene.clock.advance(1);
  scene.reconcile = async () => ({});
  await scene.watchClock.advance(60_000);
  expect(scene.reconciles).toEqual(['a 0', 'b 0', 'a 1']);
});

test('watches that break every other second do not bypass the back-off', async () => {
  const scene = await ControllerHarness.with(['a'], () => Promise.reject(new Error('no')), SLOW_RETRIES);
  const breaks = 100;
  for (let index = 0; index < breaks; index++) {
    scene.transport.watch().send('BOOKMARK', { metadata: { resourceVersion: `${index + 1}` } });
    await scene.clock.advance(1000);
    scene.transport.watch().bytes.destroy(new Error('socket hang up'));
    await scene.clock.advance(1000);
    await scene.watchClock.advance(2000);
  }
  expect(scene.transport.watches).toHaveLength(breaks + 1);
  expect(scene.reconciles.length).toBeLessThanOrEqual(1 + 200 / 30 + 1);
  expect(scene.reconciles.length).toBeGreaterThan(5);
});

test.each([
  [true, ['a 0', 'a 1000', `a ${1000 + HOUR_MS}`]],
  [false, ['a 0', 'a 1000', `a ${1000 + 2 * HOUR_MS}`]],
])('a deletion shortens the back-off if the option is set (%s)', async (ends, reconciles) => {
  const scene = new ControllerHarness({ rateLimits: { baseDelayMs: HOUR_MS, maxDelayMs: 2 * HOUR_MS } });
  scene.reconcile = () => Promise.reject(new Error('no'));
  scene.controller.watch(scene.informer, enqueueRequestForObject, { deletionShortensBackOff: ends });
  await scene.start([widget({ name: 'a' })]);
  await scene.clock.advance(1000);
  await scene.deliver('DELETED', widget({ name: 'a', resourceVersion: '2' }));
  await scene.clock.advance(2 * HOUR_MS);
  expect(scene.reconciles).toEqual(reconciles);
});

test.each([
  [true, 'a 3005'],
  [undefined, 'a 2005'],
])('a reconcile without an error keeps the back-off with keepsBackOff (%s)', async (keepsBackOff, last) => {
  const fails: ReconcileFunction = async () => ({ retry: true });
  const scene = await ControllerHarness.with(['a'], fails, { rateLimits: { baseDelayMs: 1000 } });
  scene.reconcile = async () => ({ requeueAfterMs: 5, ...(keepsBackOff && { keepsBackOff }) });
  await scene.clock.advance(1000);
  expect(scene.reconciles).toEqual(['a 0', 'a 1000']);
  scene.reconcile = fails;
  await scene.clock.advance(5);
  await scene.clock.advance(2000);
  expect(scene.reconciles.at(-1)).toBe(last);
});

describe('waits as long as the server requests', () => {
  const tooMany = new ApiError(429, { details: { retryAfterSeconds: 7 } });

  test.each<{ name: string; reconcile: ReconcileFunction }>([
    { name: 'throws what it said', reconcile: () => Promise.reject(tooMany) },
    { name: 'wraps what it said', reconcile: () => Promise.reject(new Error('create Job', { cause: tooMany })) },
    { name: 'hands on how long', reconcile: async () => ({ retry: true, retryAfterMs: 7000 }) },
  ])('if the reconcile $name', async ({ reconcile }) => {
    const scene = await ControllerHarness.with(['a'], reconcile);
    await scene.clock.advance(14_000);
    expect(scene.reconciles).toEqual(['a 0', 'a 7000', 'a 14000']);
  });
});

describe('a wake-up', () => {
  /** The first reconcile sets a wake-up in ten seconds; an edit after one second triggers `second`. */
  async function edited(second: ReconcileFunction): Promise<ControllerHarness> {
    const scene = await ControllerHarness.with(['a'], async () => ({ requeueAfterMs: 10_000 }));
    await scene.clock.advance(1000);
    scene.reconcile = second;
    await scene.edit('a');
    scene.reconcile = async () => ({});
    await scene.clock.advance(HOUR_MS);
    return scene;
  }

  const waiting = new ApiError(429, { details: { retryAfterSeconds: 60 } });

  test.each<[name: string, second: ReconcileFunction, reconcilesMs: readonly number[]]>([
    ['is replaced by a sooner one', async () => ({ requeueAfterMs: 2000 }), [0, 1000, 3000]],
    ['is replaced by a later one', async () => ({ requeueAfterMs: 20_000 }), [0, 1000, 21_000]],
    ['is void without another one', async () => ({}), [0, 1000]],
    ['is void when that fails for good', () => Promise.reject(new TerminalError('never')), [0, 1000]],
    ['comes as back-off when that fails', () => Promise.reject(new Error('no')), [0, 1000, 1005]],
    ['comes in its time when that fails and must wait longer', () => Promise.reject(waiting), [0, 1000, 10_000]],
  ])('%s a later reconcile', async (_, second, reconcilesMs) => {
    expect((await edited(second)).reconciles).toEqual(reconcilesMs.map((ms) => `a ${ms}`));
  });

  test('remains while later reconciles throw', async () => {
    const scene = await ControllerHarness.with(['a'], async () => ({ requeueAfterMs: 10_000 }));
    await scene.clock.advance(1000);
    scene.reconcile = () => Promise.reject(new Error('no'));
    await scene.edit('a');
    // 1000, then with back-off: 1005, 1015, 1035 … 6115, then 11235.
    await scene.clock.advance(9000);
    expect(scene.reconciles.at(-1)).toBe('a 10000');
  });
});
