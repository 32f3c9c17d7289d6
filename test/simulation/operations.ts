/** What befalls the manager: crashes, outages, no way to the server, and days on which the network is bad. */
import type { Clock } from '../../runtime/clock/clock.ts';
import { FAIR, type Network, type Weather } from './network.ts';
import { ManagerProcess, type ManagerProcessOptions } from './process.ts';
import type { Random } from './random.ts';
import type { Witness } from './witness.ts';

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export interface OperationsOptions
  extends Pick<ManagerProcessOptions, 'world' | 'network' | 'faults' | 'finalizersOf' | 'witness' | 'syncPeriodMs'> {
  readonly clock: Clock;
  readonly network: Network;
  readonly random: Random;
}

/** Keeps one process running, and sees to it that it does not run in peace. */
export class Operations {
  readonly #options: OperationsOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  #process: ManagerProcess | undefined;
  #isOutage = false;
  /** When the process that runs now was started, on the monotonic clock. */
  #upSinceMs = Number.POSITIVE_INFINITY;

  constructor(options: OperationsOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#random = options.random;
  }

  start(): void {
    this.#startProcess();
    this.#plan();
  }

  get process(): ManagerProcess | undefined {
    return this.#process?.isAlive ? this.#process : undefined;
  }

  /** For how long nothing has gone wrong or been slow, in milliseconds. */
  get peaceMs(): number {
    const { network } = this.#options;
    const isPeace = this.process !== undefined && network.weather === FAIR && !network.isCut;
    return isPeace ? this.#clock.monotonicMs() - Math.max(this.#upSinceMs, network.lastTroubleMs) : 0;
  }

  #startProcess(): void {
    const { witness } = this.#options;
    const survived: Witness = {
      passEnded: (pass, end) => witness.passEnded(pass, end),
      eventRecorded: (pass, reason) => witness.eventRecorded(pass, reason),
      errorLogged: (key, line) => witness.errorLogged(key, line),
      overdone: (key, rule) => witness.overdone(key, rule),
      processDied: () => {
        witness.processDied();
        if (!this.#isOutage) this.#replaceLater(this.#random.spread(200, 30_000));
      },
    };
    const startupMs = this.#random.spread(50, 5000);
    this.#upSinceMs = this.#clock.monotonicMs() + startupMs;
    this.#process = new ManagerProcess({ ...this.#options, startupMs, witness: survived });
  }

  #replaceLater(delayMs: number): void {
    this.#clock.schedule(delayMs, () => {
      this.#isOutage = false;
      this.#startProcess();
    });
  }

  #plan(): void {
    this.#clock.schedule(this.#random.spread(HOUR_MS, 2 * DAY_MS), () => {
      const befall = this.#random.weighted<() => void>([
        [2, () => this.#beginOutage()],
        [1, () => this.#beginCut()],
        [6, () => this.#beginStorm()],
      ]);
      befall();
    });
  }

  /** The process lives on, as one without leader election does, and reaches nobody. */
  #beginCut(): void {
    const { network, faults } = this.#options;
    const durationMs = this.#random.spread(5 * MINUTE_MS, HOUR_MS);
    network.cut(durationMs);
    faults.count('way to the server cut');
    this.#clock.schedule(durationMs, () => {
      network.noteTrouble();
      this.#plan();
    });
  }

  /** Nobody is there to take over for a while. */
  #beginOutage(): void {
    const { process } = this;
    if (process !== undefined) {
      this.#isOutage = true;
      process.die();
      this.#replaceLater(this.#random.spread(20 * SECOND_MS, 4 * DAY_MS));
    }
    this.#plan();
  }

  #beginStorm(): void {
    const { network } = this.#options;
    network.weather = this.#storm();
    this.#clock.schedule(this.#random.spread(10 * MINUTE_MS, DAY_MS), () => {
      network.noteTrouble();
      network.weather = FAIR;
      this.#plan();
    });
  }

  #storm(): Weather {
    const random = this.#random;
    return {
      fault: random.pick([0, 0.05, 0.3]),
      crash: random.pick([0.001, 0.03, 0.15]),
      slow: random.pick([0, 0.1, 0.4]),
      late: random.pick([0.01, 0.1, 0.5]),
      crowded: random.pick([0, 0.2, 0.8]),
    };
  }
}
