import { describe, expect, test } from 'vitest';
import { aborted } from '../clock/clock.ts';
import { ControllerHarness } from '../test-support/controller-harness.ts';
import { type Widget, widgets } from '../test-support/objects.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import { startTestManager } from '../testing/test-manager.ts';
import type { ErrorHandler, ReconcileFunction } from './object-reconciler.ts';
import { type Result, TerminalError } from './reconcile.ts';

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

describe('onError', () => {
  const a = { namespace: 'default', name: 'a' };
  const later = { namespace: 'default', name: 'later' };

  /** Runs a controller whose reconcile of the Widget `a` hangs until its signal aborts, and then calls `end`. */
  async function hangingWith(onError: ErrorHandler<Widget>, end: ReconcileFunction<Widget>, timeoutMs = 5000) {
    const server = await FakeApiServer.start();
    server.put(widgets, { metadata: a, spec: { color: 'red' } });
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    const log = new RecordingLogger();
    const reconciles: string[] = [];
    const started = Promise.withResolvers<void>();
    const running = await startTestManager({
      ...{ cluster: server, clock, log },
      setUp: (manager) => {
        manager
          .controller('widget')
          .for(widgets)
          .withOptions({ reconcileTimeoutMs: timeoutMs })
          .onError(onError)
          .reconcile(async (object, context) => {
            reconciles.push(object.metadata.name);
            if (object.metadata.name !== 'a') return {};
            await context.status({ ready: true });
            started.resolve();
            await aborted(context.signal);
            return await end(object, context);
          });
      },
    });
    await started.promise;
    const dispose = async () => {
      await running.stop();
      await server.close();
    };
    return { server, clock, log, reconciles, running, [Symbol.asyncDispose]: dispose };
  }

  test.each<{ readonly name: string; readonly cause: unknown; readonly end: () => Promise<Result> }>([
    { name: 'throws', cause: new Error('aborted'), end: () => Promise.reject(new Error('aborted')) },
    { name: 'returns an error', cause: 'failed', end: async () => ({ error: 'failed' }) },
    { name: 'succeeds', cause: undefined, end: async () => ({}) },
  ])('reports a timeout in the status, if the reconcile then $name', async ({ cause, end }) => {
    const reported: Error[] = [];
    const report: ErrorHandler<Widget> = async (object, error, { status, signal }) => {
      reported.push(error as Error);
      if (!signal.aborted) await status({ ready: object.status?.ready !== true });
    };
    await using scene = await hangingWith(report, end);
    const { server, clock, log, reconciles } = scene;
    await clock.advance(5000);
    await eventually(() => expect(log.errors).toHaveLength(1));
    expect(reported).toEqual([new Error(MESSAGE, { cause })]);
    expect(server.get(widgets, a)?.status).toEqual({ ready: false });
    server.put(widgets, { metadata: later, spec: { color: 'red' } });
    await eventually(() => expect(reconciles).toContain('later'));
    expect(reconciles, 'the status writes start no reconcile before the back-off ends').toEqual(['a', 'later']);
  });

  test('has a timeout after the timeout of the reconcile', async () => {
    const called = Promise.withResolvers<void>();
    const hang: ErrorHandler<Widget> = async (_, __, { signal }) => {
      called.resolve();
      await aborted(signal);
    };
    await using scene = await hangingWith(hang, async () => ({}));
    await scene.clock.advance(5000);
    await called.promise;
    await scene.clock.advance(5000);
    await eventually(() => expect(scene.log.errors).toHaveLength(2));
    expect(scene.log.errors).toMatchObject([
      { message: 'error handler failed', error: new Error('onError exceeded its timeout of 5000 ms') },
      { message: 'reconcile failed, will retry', error: new Error(MESSAGE) },
    ]);
  });

  test('is not called for a reconcile that the manager aborts', async () => {
    const reported: unknown[] = [];
    const report: ErrorHandler<Widget> = async (_, error) => void reported.push(error);
    await using scene = await hangingWith(report, () => Promise.reject(new Error('aborted')), 3_600_000);
    const stopped = scene.running.stop();
    await scene.clock.advance(30_000); // the graceful shutdown timeout
    await stopped;
    expect(scene.log.errors).toMatchObject([{ error: new Error('aborted') }]);
    expect(reported).toEqual([]);
  });
});
