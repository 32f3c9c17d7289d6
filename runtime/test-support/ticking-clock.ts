import type { Clock } from '../clock/clock.ts';
import { FakeClock } from '../testing/fake-clock.ts';

/**
 * A clock that advances by `stepMs` at each read, to test work that yields after a time. Timers and the wall clock are
 * those of `fake`.
 */
export function tickingClock(stepMs = 1, fake: FakeClock = new FakeClock()): Clock {
  let ticksMs = 0;
  return {
    now: () => fake.now(),
    monotonicMs: () => {
      ticksMs += stepMs;
      return fake.monotonicMs() + ticksMs;
    },
    schedule: (delayMs, callback) => fake.schedule(delayMs, callback),
  };
}
