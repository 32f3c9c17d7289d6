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
    // Node's timers do not support long delays, and may fire up to 1 ms early, so the callback reads the clock again.
    const wake = () => {
      const leftMs = dueMs - this.monotonicMs();
      if (leftMs > 0) timer = startTimer(leftMs, wake);
      else callback();
    };
    let timer = startTimer(delayMs, wake);
    return () => clearTimeout(timer);
  }
}

function startTimer(delayMs: number, wake: () => void): NodeJS.Timeout {
  return setTimeout(wake, Math.min(Math.max(0, Math.ceil(delayMs)), MAX_TIMER_MS));
}
