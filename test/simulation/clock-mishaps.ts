/** What befalls the clock of the machine that a manager runs on. The one of the API server is right. */
import type { Clock } from '../../runtime/clock/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './durations.ts';
import type { Faults } from './faults.ts';
import type { Machine } from './machine.ts';
import type { Random } from './random.ts';

interface ClockMishapsOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The one on which the manager runs that leads. */
  readonly machine: () => Machine;
  readonly faults: Faults;
}

/** One jump or sleep after another. In some years the clocks are right all the time. */
export class ClockMishaps {
  readonly #options: ClockMishapsOptions;
  readonly #random: Random;

  constructor(options: ClockMishapsOptions) {
    this.#options = options;
    this.#random = options.random.fork();
  }

  start(): void {
    if (this.#random.chance(0.7)) this.#plan();
  }

  #plan(): void {
    this.#options.clock.schedule(this.#random.spread(6 * HOUR_MS, 30 * DAY_MS), () => {
      if (this.#random.chance(0.4)) this.#sleep();
      else this.#jump();
      this.#plan();
    });
  }

  /** By seconds, minutes or days, either way; and back again when somebody notices. */
  #jump(): void {
    const { clock, faults } = this.#options;
    const machine = this.#options.machine();
    const byMs = this.#random.spread(2000, 4 * DAY_MS);
    const isAhead = this.#random.chance(0.5);
    faults.count(isAhead ? 'clock ahead' : 'clock behind');
    machine.setOffset(isAhead ? byMs : -byMs);
    clock.schedule(this.#random.spread(MINUTE_MS, 2 * DAY_MS), () => machine.setOffset(0));
  }

  #sleep(): void {
    this.#options.faults.count('machine slept');
    this.#options.machine().sleep(this.#random.spread(5000, DAY_MS), { standsStill: this.#random.chance(0.5) });
  }
}
