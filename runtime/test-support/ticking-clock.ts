import type { Clock } from '../clock/clock.ts';
import { FakeClock } from '../testing/fake-clock.ts';

/** A clock of which a millisecond has passed whenever somebody looks: for work that gives way when it has taken long. */
export function tickingClock(): Clock {
  const fake = new FakeClock();
  let ticksMs = 0;
  return {
    now: () => fake.now(),
    monotonicMs: () => ++ticksMs,
    schedule: (delayMs, callback) => fake.schedule(delayMs, callback),
  };
}
