import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { FakeClock } from '../clock/fake-clock.ts';
import { SilenceGuard } from './silence-guard.ts';

function scene() {
  const clock = new FakeClock();
  const outer = new AbortController();
  return { clock, outer, guard: new SilenceGuard(clock, 10_000, outer.signal) };
}

test('aborts when nothing was ever heard', async () => {
  const { clock, guard } = scene();
  await clock.advance(9_999);
  expect(guard.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(guard.signal.reason).toEqual(new Error('nothing heard for 10 s'));
});

test('counts from what was heard last', async () => {
  const { clock, guard } = scene();
  for (let i = 0; i < 10; i++) {
    await clock.advance(7_000);
    guard.heard();
  }
  await clock.advance(9_999);
  expect(guard.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(guard.signal.aborted).toBe(true);
});

test('hears without a new timer', async () => {
  const { clock, guard } = scene();
  for (let i = 0; i < 100; i++) guard.heard();
  expect(clock.pendingTimers).toBe(1);
});

test('takes no notice of the wall clock', async () => {
  const { clock, guard } = scene();
  clock.jumpTo('2030-01-01T00:00:00Z');
  await clock.advance(9_999);
  expect(guard.signal.aborted).toBe(false);
});

test('aborts with what aborts it from outside', () => {
  const { outer, guard } = scene();
  outer.abort(new Error('stopped'));
  expect(guard.signal.reason).toEqual(new Error('stopped'));
});

test('is aborted from the start when the outside is', () => {
  const guard = new SilenceGuard(new FakeClock(), 10_000, AbortSignal.abort(new Error('stopped')));
  expect(guard.signal.reason).toEqual(new Error('stopped'));
});

test('leaves neither timer nor listener when it is disposed of', async () => {
  const { clock, outer, guard } = scene();
  await clock.advance(5_000);
  guard.heard();
  await clock.advance(5_000);
  guard[Symbol.dispose]();
  expect([clock.pendingTimers, getEventListeners(outer.signal, 'abort')]).toEqual([0, []]);
});
