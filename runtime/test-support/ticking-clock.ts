import type { Clock } from '../clock/clock.ts';
import { FakeClock } from '../testing/fake-clock.ts';

/**
 * A clock of which `stepMs` have passed whenever somebody looks: for work that gives way when it has taken long. Its timers, and its
 * wall, are those of `fake`.
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
