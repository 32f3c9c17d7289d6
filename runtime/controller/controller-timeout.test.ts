import { expect, test } from 'vitest';
import { ControllerHarness } from '../test-support/controller-harness.ts';
import { TerminalError } from './reconcile.ts';

const OPTIONS = { reconcileTimeoutMs: 5000 };
const MESSAGE = 'reconcile exceeded its timeout of 5000 ms';

/** Starts a reconcile that ends when the test calls `finish`. */
async function hanging() {
  const end = Promise.withResolvers<void>();
  let signal: AbortSignal | undefined;
  const scene = await ControllerHarness.with(
    ['a'],
    async (_, context) => {
      signal ??= context.signal;
      if (signal === context.signal) await end.promise;
      return {};
    },
    OPTIONS,
  );
  const finish = async (error?: Error) => {
    if (error === undefined) end.resolve();
    else end.reject(error);
    await scene.clock.advance(0);
  };
  return { scene, finish, signal: signal! };
}

test('a reconcile whose time is over gets an aborted signal, and no second reconcile begins', async () => {
  const { scene, signal } = await hanging();
  await scene.clock.advance(4999);
  expect(signal.aborted).toBe(false);
  await scene.edit('a');
  await scene.clock.advance(10_000);
  expect(signal.reason).toMatchObject({ message: MESSAGE });
  expect(scene.reconciles).toEqual(['a 0']);
});

test.each([
  ['succeeds', undefined],
  ['throws', new Error('aborted')],
  ['throws a terminal error', new TerminalError('never')],
])('a reconcile that %s after its timeout has failed, and is retried after the back-off', async (_, error) => {
  const { scene, finish } = await hanging();
  await scene.clock.advance(6000);
  await finish(error);
  await scene.clock.advance(5);
  expect(scene.reconciles).toEqual(['a 0', 'a 6005']);
  expect(scene.metrics.lines).toContain('error after 6000');
  const logged = scene.log.records.find(({ message }) => message === 'reconcile failed, will retry')?.error as Error;
  expect([logged.message, logged.cause]).toEqual([MESSAGE, error]);
});

test('a reconcile within its time leaves no timer, and gets the signal of the manager', async () => {
  const { scene, finish, signal } = await hanging();
  scene.abort.abort(new Error('stopped'));
  expect(signal.reason).toEqual(new Error('stopped'));
  await finish();
  expect(scene.clock.pendingTimers).toBe(0);
});
