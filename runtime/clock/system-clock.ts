import type { Cancel, Clock } from './clock.ts';

/** Longest delay Node's timers take; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The machine's own clock and timers. */
export class SystemClock implements Clock {
  now(): Date {
    return new Date();
  }

  monotonicMs(): number {
    return performance.now();
  }

  schedule(delayMs: number, callback: () => void): Cancel {
    const dueMs = this.monotonicMs() + delayMs;
    let timer: NodeJS.Timeout;
    const arm = () => {
      const leftMs = dueMs - this.monotonicMs();
      if (leftMs > MAX_TIMER_MS) timer = setTimeout(arm, MAX_TIMER_MS);
      else timer = setTimeout(callback, Math.max(0, Math.ceil(leftMs)));
    };
    arm();
    return () => clearTimeout(timer);
  }
}
