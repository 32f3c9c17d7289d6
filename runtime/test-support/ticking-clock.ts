import type { Clock } from '../clock/clock.ts';
import { FakeClock } from '../testing/fake-clock.ts';

/**
 * A clock that advances by `stepMs` at each read, to test code that yields to the event loop after some time. The
 * timers and the wall clock come from `fakeClock`.
 */
export function tickingClock(stepMs = 1, fakeClock: FakeClock = new FakeClock()): Clock {
  let ticksMs = 0;
  return {
    now: () => fakeClock.now(),
    monotonicMs: () => {
      ticksMs += stepMs;
      return fakeClock.monotonicMs() + ticksMs;
    },
    schedule: (delayMs, callback) => fakeClock.schedule(delayMs, callback),
  };
}
