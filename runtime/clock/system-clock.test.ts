import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SystemClock } from './system-clock.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Node's own timers fire at once for this delay. */
const TOO_LONG_FOR_NODE_MS = 2 ** 31;

const clock = new SystemClock();
let monotonicMs = 0;
let calls = 0;
const callback = () => void calls++;

/**
 * Node's timers run; `lagMs` is how far they are ahead of the clock, as real timers are by a fraction of a millisecond.
 */
function pass(byMs: number, lagMs = 0): void {
  monotonicMs += byMs - lagMs;
  vi.advanceTimersByTime(byMs);
}

beforeEach(() => {
  monotonicMs = 1000;
  calls = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(performance, 'now').mockImplementation(() => monotonicMs);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('calls back once, after the delay', () => {
  clock.schedule(50, callback);
  pass(49);
  expect(calls).toBe(0);
  pass(1);
  pass(DAY_MS);
  expect(calls).toBe(1);
});

test("accepts delays longer than Node's limit", () => {
  const setTimeout = vi.spyOn(globalThis, 'setTimeout');
  clock.schedule(90 * DAY_MS, callback);
  expect(setTimeout.mock.lastCall?.[1]).toBeLessThan(TOO_LONG_FOR_NODE_MS);
  for (let day = 0; day < 89; day++) pass(DAY_MS);
  expect(calls).toBe(0);
  pass(DAY_MS);
  expect(calls).toBe(1);
});

test.each([0, 10 * DAY_MS, 30 * DAY_MS])('does not call a cancelled callback after %i ms', (afterMs) => {
  const cancel = clock.schedule(TOO_LONG_FOR_NODE_MS * 2, callback);
  pass(afterMs);
  cancel();
  cancel();
  pass(100 * DAY_MS);
  expect(calls).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test("never calls back early, although Node's timers do", () => {
  clock.schedule(50, callback);
  pass(50, 0.8);
  expect(calls).toBe(0);
  pass(1);
  expect(calls).toBe(1);
});

test.each([0, -5])('calls back on the next turn after a delay of %i ms', (delayMs) => {
  clock.schedule(delayMs, callback);
  expect(calls).toBe(0);
  pass(0);
  expect(calls).toBe(1);
});
