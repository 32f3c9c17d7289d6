import type { Cancel, Clock } from './clock.ts';

/** Maximum delay of a timer in Node.js. A timer with a longer delay would fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A clock that uses the time of the operating system and the timers of Node. */
export class SystemClock implements Clock {
  now(): Date {
    return new Date();
  }

  monotonicMs(): number {
    return performance.now();
  }

  schedule(delayMs: number, callback: () => void): Cancel {
    const dueTimeMs = this.monotonicMs() + delayMs;
    // Timers of Node.js do not support long delays, and may fire up to 1 ms early.
    const onTimeout = () => {
      const remainingMs = dueTimeMs - this.monotonicMs();
      if (remainingMs > 0) timer = startTimer(remainingMs, onTimeout);
      else callback();
    };
    let timer = startTimer(delayMs, onTimeout);
    return () => clearTimeout(timer);
  }
}

function startTimer(delayMs: number, onTimeout: () => void): NodeJS.Timeout {
  return setTimeout(onTimeout, Math.min(Math.max(0, Math.ceil(delayMs)), MAX_TIMER_MS));
}
