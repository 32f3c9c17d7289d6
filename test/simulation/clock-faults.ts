import { DAY_MS, HOUR_MS, MINUTE_MS } from './durations.ts';
import type { Machine } from './machine.ts';
import type { Random } from './random.ts';
import type { Setting } from './setting.ts';

/**
 * Makes the machine of the leading manager jump or sleep, again and again. The clock of the API server is right, and in some years all
 * clocks are.
 */
export function planClockFaults({ clock, faults }: Setting, random: Random, machine: () => Machine): void {
  /** By seconds, minutes or days, either way; and back again after a while. */
  const jump = () => {
    const current = machine();
    const byMs = random.spread(2000, 4 * DAY_MS);
    const isAhead = random.chance(0.5);
    faults.count(isAhead ? 'clock ahead' : 'clock behind');
    current.setOffset(isAhead ? byMs : -byMs);
    clock.schedule(random.spread(MINUTE_MS, 2 * DAY_MS), () => current.setOffset(0));
  };
  const sleep = () => {
    faults.count('machine slept');
    machine().sleep(random.spread(5000, DAY_MS), { stopsSteadyClock: random.chance(0.5) });
  };
  const plan = () => {
    clock.schedule(random.spread(6 * HOUR_MS, 30 * DAY_MS), () => {
      if (random.chance(0.4)) sleep();
      else jump();
      plan();
    });
  };
  if (random.chance(0.7)) plan();
}
