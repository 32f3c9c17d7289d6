import { describe, expect, test } from 'vitest';
import { ApiError } from '../client/errors.ts';
import { sleep } from '../clock/clock.ts';
import {
  ControllerHarness,
  HOUR_MS,
  type ReconcileFunction,
  ReconcileGate,
} from '../test-support/controller-harness.ts';
import { widget } from '../test-support/objects.ts';
import { enqueueRequestForObject } from './map-to-requests.ts';
import { type Request, type Result, TerminalError } from './reconcile.ts';

describe('a reconcile', () => {
  test("gets the object's key, and logs it with a reconcile ID", async () => {
    const requests: Request[] = [];
    const scene = await ControllerHarness.with(['a', 'b'], async (request, { log }) => {
      requests.push(request);
      log.info('looked');
      return {};
    });
    expect(requests).toEqual(['a', 'b'].map((name) => ({ namespace: 'default', name })));
    const fields = scene.log.records.filter(({ message }) => message === 'looked').map((record) => record.fields);
    expect(fields).toMatchObject(['a', 'b'].map((name) => ({ controller: 'widget', namespace: 'default', name })));
    expect(fields[0]?.['reconcileID']).not.toBe(fields[1]?.['reconcileID']);
  });

  test('is repeated once after changes during the reconcile', async () => {
    const gate = new ReconcileGate();
    const scene = await ControllerHarness.with(['a'], gate.reconcile);
    await scene.edit('a');
    await scene.deliver('DELETED', widget({ name: 'a' }));
    expect(scene.reconciles).toEqual(['a 0']);
    gate.finish('a');
    await scene.clock.advance(0);
    expect(scene.reconciles).toEqual(['a 0', 'a 0']);
    gate.finish('a');
    await scene.clock.advance(HOUR_MS);
    expect(scene.reconciles).toHaveLength(2);
  });

  test('gets a signal that aborts when the manager cannot wait', async () => {
    let given: AbortSignal | undefined;
    const scene = await ControllerHarness.with(['a'], async (_, { signal }) => {
      given = signal;
      return {};
    });
    expect(given).toBe(scene.abort.signal);
  });
});

describe('after a reconcile', () => {
  test('that succeeds, the object waits for the next event', async () => {
    const scene = await ControllerHarness.with(['a']);
    await scene.clock.advance(HOUR_MS);
    expect(scene.reconciles).toEqual(['a 0']);
    await scene.edit('a');
    expect(scene.reconciles).toEqual(['a 0', `a ${HOUR_MS}`]);
  });

  test('that took long, the next reconcile is not later for it', async () => {
    const scene = new ControllerHarness();
    const { clock } = scene;
    scene.reconcile = async (_, { signal }) => {
      await sleep(clock, 3_000, signal);
      return { requeueAfterMs: 60_000 };
    };
    scene.controller.watch(scene.informer, enqueueRequestForObject);
    await scene.start([widget({ name: 'a' })]);
    await clock.advance(125_000);
    expect(scene.reconciles).toEqual(['a 0', 'a 60000', 'a 120000']);
  });

  test('during which the machine slept, the next reconcile is on time', async () => {
    const scene = new ControllerHarness();
    scene.reconcile = async () => {
      scene.clock.jumpTo(scene.clock.now().getTime() + 20_000);
      return { requeueAfterMs: 60_000 };
    };
    scene.controller.watch(scene.informer, enqueueRequestForObject);
    await scene.start([widget({ name: 'a' })]);
    await scene.clock.advance(39_999);
    expect(scene.reconciles).toEqual(['a 0']);
    await scene.clock.advance(1);
    expect(scene.reconciles).toEqual(['a 0', 'a 40000']);
  });

  test.each([0, -1])('that returns requeueAfterMs %i, the object is requeued with back-off', async (requeueAfterMs) => {
    const results: Result[] = [60_000, requeueAfterMs, requeueAfterMs, requeueAfterMs].map((ms) => ({
      requeueAfterMs: ms,
    }));
    const scene = await ControllerHarness.with(['a'], async () => results.shift() ?? {});
    await scene.clock.advance(HOUR_MS);
    expect(scene.reconciles).toEqual(['a 0', 'a 60000', 'a 60005', 'a 60015', 'a 60035']);
  });

  test('that throws, the object is requeued with back-off, and each error is logged once', async () => {
    const fault = new Error('no');
    const scene = await ControllerHarness.with(['a'], () => Promise.reject(fault));
    await scene.clock.advance(35);
    expect(scene.reconciles).toEqual(['a 0', 'a 5', 'a 15', 'a 35']);
    const record = { message: 'reconcile failed, will retry', error: fault };
    expect(scene.log.errors).toMatchObject(
      [1, 2, 3, 4].map((failures) => ({ ...record, fields: { controller: 'widget', name: 'a', failures } })),
    );
  });

  const throws: ReconcileFunction = () => {
    throw new Error('no');
  };
  const returnsNothing = (async () => undefined) as unknown as ReconcileFunction;

  test.each<[name: string, reconcile: ReconcileFunction, untilMs: number, reconcilesMs: readonly number[]]>([
    ['throws before its first await, the object is reconciled with back-off', throws, 15, [0, 5, 15]],
    ['returns nothing, the object sleeps until something happens to it', returnsNothing, HOUR_MS, [0]],
    [
      'asks for a retry, the object is reconciled earlier if its wake-up is earlier',
      async () => ({ retry: true, requeueAfterMs: 12 }),
      39,
      [0, 5, 15, 27, 39],
    ],
  ])('that %s', async (_, reconcile, untilMs, reconcilesMs) => {
    const scene = await ControllerHarness.with(['a'], reconcile);
    await scene.clock.advance(untilMs);
    expect(scene.reconciles).toEqual(reconcilesMs.map((ms) => `a ${ms}`));
  });

  test.each<[returned: unknown, why: string]>([
    [null, 'null'],
    [true, 'true'],
    ['done', 'done'],
    [{ requeueAfterMs: Number.NaN }, 'requeueAfterMs NaN'],
    [{ requeueAfterMs: 'soon' }, 'requeueAfterMs soon'],
    [{ retry: true, retryAfterMs: Number.POSITIVE_INFINITY }, 'retryAfterMs Infinity'],
  ])('that returns %j, the object is requeued with back-off, and the error names the value', async (returned, why) => {
    const scene = await ControllerHarness.with(['a'], async () => returned as Result);
    await scene.clock.advance(15);
    expect(scene.reconciles).toEqual(['a 0', 'a 5', 'a 15']);
    expect(String(scene.log.errors[0]?.error)).toContain(`reconcile returned ${why}`);
  });

  test('that fails with requeueAfterMs, the object is requeued then and with back-off', async () => {
    const error = new ApiError(503, {}, 7000);
    const scene = await ControllerHarness.with(['a'], async () => ({ error, requeueAfterMs: 5000 }));
    await scene.clock.advance(10_000);
    expect(scene.reconciles).toEqual(['a 0', 'a 5000', 'a 10000']);
    expect(scene.log.errors).toHaveLength(3);
    expect(scene.metrics.lines).toContain('error after 0');
    scene.reconcile = async () => ({ error });
    await scene.clock.advance(12_000);
    expect(scene.reconciles).toEqual(['a 0', 'a 5000', 'a 10000', 'a 15000', 'a 22000']);
  });

  test('that succeeds, the back-off restarts', async () => {
    const results: Result[] = [{ retry: true }, { retry: true }, {}, { retry: true }];
    const scene = await ControllerHarness.with(['a'], async () => results.shift() ?? {});
    await scene.clock.advance(100);
    await scene.edit('a');
    await scene.clock.advance(100);
    expect(scene.reconciles).toEqual(['a 0', 'a 5', 'a 15', 'a 100', 'a 105']);
  });
});

describe('a TerminalError', () => {
  const fault = new TerminalError('spec.schedule: "x": no schedule');

  test('is logged, and the object is not retried until it changes', async () => {
    const scene = await ControllerHarness.with(['a'], () => Promise.reject(fault));
    await scene.clock.advance(HOUR_MS);
    expect(scene.reconciles).toEqual(['a 0']);
    const message = 'reconcile failed, will not retry until the object changes or the next resync';
    expect(scene.log.errors).toMatchObject([{ message, error: fault }]);
    await scene.edit('a');
    expect(scene.reconciles).toHaveLength(2);
  });

  test('resets the back-off', async () => {
    const errors: Error[] = [new Error('no'), new Error('no'), fault, new Error('no')];
    const scene = await ControllerHarness.with(['a'], async () => {
      const error = errors.shift();
      if (error) throw error;
      return {};
    });
    await scene.clock.advance(100);
    await scene.edit('a');
    await scene.clock.advance(5);
    expect(scene.reconciles).toEqual(['a 0', 'a 5', 'a 15', 'a 100', 'a 105']);
  });
});

test('metrics get the outcome and duration of every reconcile', async () => {
  const results: (() => Result)[] = [
    () => ({}),
    () => ({ requeueAfterMs: 60_000 }),
    () => ({ retry: true, requeueAfterMs: 60_000 }),
    () => {
      throw new Error('no');
    },
    () => {
      throw new TerminalError('never');
    },
  ];
  const scene = new ControllerHarness({ maxConcurrentReconciles: 1 });
  scene.controller.watch(scene.informer, enqueueRequestForObject);
  scene.reconcile = async (_, { signal }) => {
    await sleep(scene.clock, 1, signal);
    return results.shift()!();
  };
  await scene.start(['a', 'b', 'c', 'd', 'e'].map((name) => widget({ name })));
  await scene.clock.advance(5);
  const [first, ...lines] = scene.metrics.lines;
  expect(first).toBe('at most 1');
  expect(lines.filter((line) => line !== 'started')).toEqual([
    'success after 1',
    'requeue_after after 1',
    'requeue after 1',
    'error after 1',
    'terminal',
    'error after 1',
  ]);
});

describe('stop', () => {
  test('finishes running reconciles, drops waiting ones, and starts none', async () => {
    const gate = new ReconcileGate();
    const scene = await ControllerHarness.with(['a', 'b', 'c'], gate.reconcile, { maxConcurrentReconciles: 2 });
    const hasStopped = await scene.stop();
    gate.finish('a');
    await scene.edit('b');
    expect([scene.reconciles, hasStopped()]).toEqual([['a 0', 'b 0'], false]);
    gate.finish('b', { requeueAfterMs: 1000 });
    await scene.clock.advance(HOUR_MS);
    expect([scene.reconciles, hasStopped()]).toEqual([['a 0', 'b 0'], true]);
  });

  test('leaves no wake-up behind', async () => {
    const scene = await ControllerHarness.with(['a', 'b'], async ({ name }) =>
      name === 'a' ? { requeueAfterMs: 1000 } : { retry: true },
    );
    const hasStopped = await scene.stop();
    expect(hasStopped()).toBe(true);
    await scene.clock.advance(1000);
    expect(scene.reconciles).toEqual(['a 0', 'b 0']);
  });
});
