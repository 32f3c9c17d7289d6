/** The clock of the work queue, which checks for jumps every half a minute: here it only does so after a jump. */
import type { Cancel, Clock } from '../../runtime/clock/clock.ts';
import type { Machine } from './machine.ts';

/** As in runtime/workqueue/wake-ups.ts. */
export const JUMP_CHECK_MS = 30_000;

/** The name of the callback of the check. A wake-up of a key may have the same delay. */
const JUMP_CHECK_NAME = '#checkForJump';

export class QueueClock {
  readonly #machine: Machine;
  readonly #stop: () => void;
  /** The callbacks that check whether the wall clock has jumped. */
  readonly #checks = new Set<() => void>();

  constructor(machine: Machine) {
    this.#machine = machine;
    this.#stop = machine.onJump(() => machine.schedule(JUMP_CHECK_MS, () => this.#runChecks()));
  }

  get asClock(): Clock {
    return {
      now: () => this.#machine.now(),
      monotonicMs: () => this.#machine.monotonicMs(),
      schedule: (delayMs, wake) =>
        wake.name === JUMP_CHECK_NAME ? this.#setCheck(wake) : this.#machine.schedule(delayMs, wake),
    };
  }

  stop(): void {
    this.#stop();
    this.#checks.clear();
  }

  #setCheck(check: () => void): Cancel {
    this.#checks.add(check);
    return () => this.#checks.delete(check);
  }

  #runChecks(): void {
    const checks = [...this.#checks];
    this.#checks.clear();
    for (const check of checks) check();
  }
}
