/** Waits on the clock of the machine, as long as a schedule or a time in a CronJob may make them. */
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { SystemClock } from 'controller-runtime';
import fc from 'fast-check';
import type { AsyncTarget } from './target.ts';

/** Shorter ones may be over within a turn of the event loop. */
const MIN_MS = 3_600_000;
/** From one end of time to the other. */
const MAX_MS = 2 * 8.64e15;

const DAY_MS = 86_400_000;

export function waitsTarget(): AsyncTarget<number> & { close(): void } {
  const clock = new SystemClock();
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  return {
    name: 'waits',
    inputs: fc.oneof(
      fc.double({ min: MIN_MS, max: MAX_MS, noNaN: true }),
      fc.double({ min: 1, max: 100, noNaN: true }).map((days) => days * DAY_MS),
    ),
    check: async (delayMs) => {
      let isOver = false;
      const cancel = clock.schedule(delayMs, () => {
        isOver = true;
      });
      await eventLoopTurn();
      await eventLoopTurn();
      cancel();
      if (isOver) throw new Error('it is over at once');
      const [warning] = warnings.splice(0);
      if (warning !== undefined) throw new Error('the wait is too long for the timer', { cause: warning });
    },
    close: () => process.off('warning', onWarning),
  };
}
