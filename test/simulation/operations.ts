/** What befalls the manager: crashes, outages, no way to the server, and days on which the network is bad. */
import type { Clock } from '../../runtime/clock/clock.ts';
import { keyOf } from '../../runtime/kubernetes/resource.ts';
import { ClockMishaps } from './clock-mishaps.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';
import { HandOver } from './hand-over.ts';
import type { Journal } from './journal.ts';
import type { Mishap } from './limits.ts';
import { Machine } from './machine.ts';
import { FAIR, type Network, type Weather } from './network.ts';
import { ManagerProcess, type ManagerProcessOptions } from './process.ts';
import type { Random } from './random.ts';
import { periodMsOf, slotsAfter } from './specs.ts';
import type { Witness } from './witness.ts';

export interface OperationsOptions
  extends Pick<ManagerProcessOptions, 'world' | 'network' | 'faults' | 'finalizersOf' | 'witness' | 'syncPeriodMs'> {
  readonly clock: Clock;
  readonly network: Network;
  readonly random: Random;
  readonly mishaps: readonly Mishap[];
  readonly journal: Journal;
}

/** Keeps one process running, and sees to it that it does not run in peace. */
export class Operations {
  readonly #options: OperationsOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #handOvers: Random;
  #machine: Machine;
  #isHandingOver = false;
  #process: ManagerProcess | undefined;
  #isOutage = false;
  /** When the process that runs now was started, on the monotonic clock. */
  #upSinceMs = Number.POSITIVE_INFINITY;

  constructor(options: OperationsOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#random = options.random;
    this.#handOvers = options.random.fork();
    this.#machine = this.#newMachine();
  }

  start(): void {
    this.#startProcess();
    this.#plan();
    const { mishaps } = this.#options;
    if (mishaps.includes('clocks')) new ClockMishaps({ ...this.#options, machine: () => this.#machine }).start();
    if (mishaps.includes('hand-overs')) this.#planHandOver();
  }

  get process(): ManagerProcess | undefined {
    return this.#process?.isAlive ? this.#process : undefined;
  }

  /** For how long nothing has gone wrong or been slow, in milliseconds; not above 0 while something is. */
  get peaceMs(): number {
    const { network } = this.#options;
    const isPeace = this.process?.machine.isAsleep === false && network.weather === FAIR;
    return isPeace ? this.#clock.monotonicMs() - Math.max(this.#upSinceMs, network.lastTroubleMs) : 0;
  }

  #startProcess(): ManagerProcess {
    const { witness } = this.#options;
    const survived: Witness = {
      passEnded: (pass, end) => witness.passEnded(pass, end),
      eventRecorded: (pass, reason) => witness.eventRecorded(pass, reason),
      errorLogged: (key, line) => witness.errorLogged(key, line),
      overdone: (key, rule) => witness.overdone(key, rule),
      processDied: () => {
        witness.processDied();
        if (!this.#isOutage && !this.#isHandingOver) this.#replaceLater(this.#random.spread(200, 30_000));
      },
    };
    const startupMs = this.#random.spread(50, 5000);
    this.#upSinceMs = this.#clock.monotonicMs() + startupMs;
    this.#process = new ManagerProcess({ ...this.#options, machine: this.#machine, startupMs, witness: survived });
    return this.#process;
  }

  #replaceLater(delayMs: number): void {
    this.#clock.schedule(delayMs, () => {
      this.#isOutage = false;
      // A hand-over and an outage may both end with a start.
      if (this.process === undefined) this.#startProcess();
    });
  }

  #newMachine(): Machine {
    const { clock, journal } = this.#options;
    return new Machine(clock, (text) => journal.note(() => text));
  }

  /** Mostly when a CronJob is due. */
  #planHandOver(): void {
    const { world } = this.#options;
    const random = this.#handOvers;
    this.#clock.schedule(random.spread(DAY_MS, 20 * DAY_MS), () => {
      const cronJobs = world.cronJobs.list();
      const [slot] = cronJobs.length === 0 ? [] : slotsAfter(random.pick(cronJobs).spec, this.#clock.now(), 1);
      const befallMs = random.spread(3 * SECOND_MS, 25 * SECOND_MS);
      const aheadMs = slot === undefined ? 0 : Math.min(DAY_MS, slot.getTime() - this.#clock.now().getTime());
      const aroundMs = random.pick([-1, 1, 1]) * random.spread(1, 3000);
      this.#clock.schedule(aheadMs - befallMs + aroundMs, () => {
        this.#handOver(befallMs);
        this.#planHandOver();
      });
    });
  }

  #handOver(befallMs: number): void {
    const { process } = this;
    if (process === undefined || this.#isHandingOver) return;
    const { witness } = this.#options;
    const secondMachine = this.#newMachine();
    this.#isHandingOver = true;
    new HandOver({
      ...this.#options,
      random: this.#handOvers,
      befallMs,
      first: process,
      secondMachine,
      startSecond: () => {
        this.#machine = secondMachine;
        return this.#startProcess();
      },
      onEnd: () => {
        this.#isHandingOver = false;
        if (this.process === undefined) this.#replaceLater(this.#random.spread(200, 30_000));
      },
      onBroken: (rule) => witness.overdone('every CronJob', rule),
    }).start();
  }

  #plan(): void {
    this.#clock.schedule(this.#random.spread(HOUR_MS, 2 * DAY_MS), () => {
      const mishap = this.#random.weighted<Mishap>([
        [2, 'outages'],
        [1, 'cuts'],
        [6, 'storms'],
        [0.7, 'long-stops'],
      ]);
      if (!this.#options.mishaps.includes(mishap)) this.#plan();
      else if (mishap === 'outages') this.#beginOutage();
      else if (mishap === 'cuts') this.#beginCut();
      else if (mishap === 'long-stops') this.#beginLongStop();
      else this.#beginStorm();
    });
  }

  /** The process lives on, as one without leader election does, and reaches nobody. */
  #beginCut(): void {
    const { network, faults } = this.#options;
    const durationMs = this.#random.spread(5 * MINUTE_MS, HOUR_MS);
    network.cut(durationMs);
    faults.count('way to the server cut');
    this.#clock.schedule(durationMs, () => this.#plan());
  }

  /** For so long that more than a hundred slots of some CronJob are missed, and nobody changes it meanwhile. */
  #beginLongStop(): void {
    const { world, faults } = this.#options;
    const now = this.#clock.now();
    const frequent = world.cronJobs
      .list()
      .filter(({ spec }) => slotsAfter(spec, now, 1).length > 0 && periodMsOf(spec, now) <= HOUR_MS);
    if (frequent.length === 0) {
      this.#plan();
      return;
    }
    const missed = this.#random.pick(frequent);
    const durationMs = this.#random.spread(103, 250) * periodMsOf(missed.spec, now);
    faults.holidays.begin(keyOf(missed), true, { durationMs: durationMs + HOUR_MS });
    this.#beginOutage(durationMs);
  }

  /** Nobody is there to take over for a while. */
  #beginOutage(durationMs = this.#random.spread(20 * SECOND_MS, 4 * DAY_MS)): void {
    const { process } = this;
    if (process !== undefined && !this.#isHandingOver) {
      this.#isOutage = true;
      process.die();
      this.#replaceLater(durationMs);
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
