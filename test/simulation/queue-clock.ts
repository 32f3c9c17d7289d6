/** The clock of the work queue, which looks for jumps every half a minute: here only when a jump has made a difference. */
import type { Cancel, Clock } from '../../runtime/clock/clock.ts';
import type { Machine } from './machine.ts';

/** As in runtime/workqueue/wake-ups.ts. */
export const JUMP_CHECK_MS = 30_000;

export class QueueClock {
  readonly #machine: Machine;
  readonly #stop: () => void;
  /** What looks whether the wall clock has jumped. */
  readonly #checks = new Set<() => void>();
  /** Waits, with when they end by the wall clock of the time when they began. */
  readonly #waits = new Map<object, number>();

  constructor(machine: Machine) {
    this.#machine = machine;
    this.#stop = machine.onJump(() => this.#expectLooks());
  }

  get asClock(): Clock {
    return {
      now: () => this.#machine.now(),
      monotonicMs: () => this.#machine.monotonicMs(),
      schedule: (delayMs, wake) => (delayMs === JUMP_CHECK_MS ? this.#setCheck(wake) : this.#wait(delayMs, wake)),
    };
  }

  stop(): void {
    this.#stop();
    this.#waits.clear();
    this.#checks.clear();
  }

  #setCheck(check: () => void): Cancel {
    this.#checks.add(check);
    return () => this.#checks.delete(check);
  }

  #wait(delayMs: number, wake: () => void): Cancel {
    const wait = {};
    this.#waits.set(wait, this.#machine.now().getTime() + delayMs);
    const cancel = this.#machine.schedule(delayMs, () => {
      this.#waits.delete(wait);
      wake();
    });
    return () => {
      this.#waits.delete(wait);
      cancel();
    };
  }

  /** Of the looks that follow a jump, those that find something. */
  #expectLooks(): void {
    const wallMs = this.#machine.now().getTime();
    const looks = [...this.#waits.values()].map((dueMs) => Math.max(1, Math.ceil((dueMs - wallMs) / JUMP_CHECK_MS)));
    for (const look of new Set(looks)) this.#machine.schedule(look * JUMP_CHECK_MS, () => this.#look());
  }

  #look(): void {
    const checks = [...this.#checks];
    this.#checks.clear();
    for (const check of checks) check();
  }
}
