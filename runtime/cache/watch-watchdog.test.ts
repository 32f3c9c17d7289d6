import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { WatchWatchdog } from './watch-watchdog.ts';

function scene() {
  const clock = new FakeClock();
  const outer = new AbortController();
  return { clock, outer, watchdog: new WatchWatchdog(clock, 10_000, outer.signal) };
}

test('aborts when nothing arrives', async () => {
  const { clock, watchdog } = scene();
  await clock.advance(9_999);
  expect(watchdog.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(watchdog.signal.reason).toEqual(new Error('the watch sent nothing for 10 s'));
});

test('counts from the last reset', async () => {
  const { clock, watchdog } = scene();
  for (let i = 0; i < 10; i++) {
    await clock.advance(7_000);
    watchdog.reset();
  }
  await clock.advance(9_999);
  expect(watchdog.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(watchdog.signal.aborted).toBe(true);
});

test('reports that nothing arrived before its own abort, but not after an outer abort', async () => {
  const [silent, heard, stopped] = [scene(), scene(), scene()];
  expect(silent.watchdog.hasTimedOutWithoutData).toBe(false);
  heard.watchdog.reset();
  stopped.outer.abort();
  for (const { clock } of [silent, heard]) await clock.advance(10_000);
  expect([silent, heard, stopped].map(({ watchdog }) => watchdog.hasTimedOutWithoutData)).toEqual([true, false, false]);
});

test('resets without a new timer', async () => {
  const { clock, watchdog } = scene();
  for (let i = 0; i < 100; i++) watchdog.reset();
  expect(clock.pendingTimers).toBe(1);
});

test('aborts with the reason of the outer signal', () => {
  const { outer, watchdog } = scene();
  outer.abort(new Error('stopped'));
  expect(watchdog.signal.reason).toEqual(new Error('stopped'));
});

test('is aborted from the start if the outer signal is', () => {
  const watchdog = new WatchWatchdog(new FakeClock(), 10_000, AbortSignal.abort(new Error('stopped')));
  expect(watchdog.signal.reason).toEqual(new Error('stopped'));
});

test('leaves no timer or listener after its disposal', async () => {
  const { clock, outer, watchdog } = scene();
  await clock.advance(5_000);
  watchdog.reset();
  await clock.advance(5_000);
  watchdog[Symbol.dispose]();
  expect([clock.pendingTimers, getEventListeners(outer.signal, 'abort')]).toEqual([0, []]);
});
