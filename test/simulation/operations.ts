/** Faults of the manager: crashes, outages, lost connections, and days with a bad network. */
import { formatKey } from '../../runtime/kubernetes/resource.ts';
import { planClockFaults } from './clock-faults.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';
import { SimulatedHandOver } from './hand-over.ts';
import { DELETE_PATIENCE_MS, PATIENCE_MS } from './inspection-queue.ts';
import type { FaultKind } from './limits.ts';
import { Machine } from './machine.ts';
import { type NetworkConditions, NORMAL_CONDITIONS } from './network.ts';
import type { Random } from './random.ts';
import type { Setting } from './setting.ts';
import { SimulatedProcess, type SimulatedProcessOptions } from './simulated-process.ts';
import { estimatePeriodMs, listSlotsAfter } from './specs.ts';

/** Options that every process has. */
export type CommonProcessOptions = Pick<SimulatedProcessOptions, 'drawFinalizers' | 'checker' | 'syncPeriodMs'>;

/** Keeps one process running, and causes faults in it. */
export class Operations {
  readonly #setting: Setting;
  readonly #options: CommonProcessOptions;
  readonly #random: Random;
  readonly #handOvers: Random;
  #machine: Machine;
  #isHandingOver = false;
  #process: SimulatedProcess | undefined;
  #isOutage = false;
  /** Start time of the current process, on the monotonic clock. */
  #upSinceMs = Number.POSITIVE_INFINITY;

  constructor(setting: Setting, random: Random, options: CommonProcessOptions) {
    this.#setting = setting;
    this.#options = options;
    this.#random = random;
    this.#handOvers = random.fork();
    this.#machine = this.#newMachine();
  }

  start(): void {
    this.#startProcess();
    this.#plan();
    const { faultKinds } = this.#setting;
    if (faultKinds.includes('clocks')) planClockFaults(this.#setting, this.#random.fork(), () => this.#machine);
    if (faultKinds.includes('hand-overs')) this.#planHandOver();
  }

  get process(): SimulatedProcess | undefined {
    return this.#process?.isAlive ? this.#process : undefined;
  }

  /** Time without a fault or a delay, in milliseconds; not above 0 during one. */
  get faultFreeMs(): number {
    const { network } = this.#setting;
    const isFaultFree = this.process?.machine.isAsleep === false && network.conditions === NORMAL_CONDITIONS;
    return isFaultFree ? this.#setting.clock.monotonicMs() - Math.max(this.#upSinceMs, network.lastTroubleMs) : 0;
  }

  /** Whether no fault has hindered calls for the CronJob for so long that no back-off of them is left. */
  isFaultFree(key: string): boolean {
    const { faults } = this.#setting;
    const callFaultFreeMs = Math.min(this.faultFreeMs, faults.callFaultFreeMs(key));
    return callFaultFreeMs >= PATIENCE_MS && faults.deleteFaultFreeMs(key) >= DELETE_PATIENCE_MS;
  }

  #startProcess(): SimulatedProcess {
    const onDeath = () => {
      if (!this.#isOutage && !this.#isHandingOver) this.#replaceLater(this.#random.spread(200, 30_000));
    };
    const startupMs = this.#random.spread(50, 5000);
    this.#upSinceMs = this.#setting.clock.monotonicMs() + startupMs;
    this.#process = new SimulatedProcess(this.#setting, {
      ...this.#options,
      machine: this.#machine,
      startupMs,
      onDeath,
    });
    return this.#process;
  }

  #replaceLater(delayMs: number): void {
    this.#setting.clock.schedule(delayMs, () => {
      this.#isOutage = false;
      // A hand-over and an outage may both end with a start.
      if (this.process === undefined) this.#startProcess();
    });
  }

  #newMachine(): Machine {
    const { clock, journal } = this.#setting;
    return new Machine(clock, (text) => journal.note(() => text));
  }

  /** Usually when a CronJob is due. */
  #planHandOver(): void {
    const { world } = this.#setting;
    const random = this.#handOvers;
    this.#setting.clock.schedule(random.spread(DAY_MS, 20 * DAY_MS), () => {
      const cronJobs = world.cronJobs.list();
      const [slot] =
        cronJobs.length === 0 ? [] : listSlotsAfter(random.pick(cronJobs).spec, this.#setting.clock.now(), 1);
      const faultDelayMs = random.spread(3 * SECOND_MS, 25 * SECOND_MS);
      const aheadMs = slot === undefined ? 0 : Math.min(DAY_MS, slot.getTime() - this.#setting.clock.now().getTime());
      const aroundMs = random.pick([-1, 1, 1]) * random.spread(1, 3000);
      this.#setting.clock.schedule(aheadMs - faultDelayMs + aroundMs, () => {
        this.#handOver(faultDelayMs);
        this.#planHandOver();
      });
    });
  }

  #handOver(faultDelayMs: number): void {
    const { process } = this;
    if (process === undefined || this.#isHandingOver) return;
    const { checker } = this.#options;
    const secondMachine = this.#newMachine();
    this.#isHandingOver = true;
    new SimulatedHandOver(this.#setting, {
      random: this.#handOvers,
      faultDelayMs,
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
      onBroken: (rule) => checker.recordExcess('every CronJob', rule),
    }).start();
  }

  #plan(): void {
    this.#setting.clock.schedule(this.#random.spread(HOUR_MS, 2 * DAY_MS), () => {
      const [kind, begin] = this.#random.weighted<readonly [FaultKind, () => void]>([
        [2, ['outages', () => this.#beginOutage()]],
        [1, ['cuts', () => this.#beginCut()]],
        [6, ['storms', () => this.#beginStorm()]],
        [0.7, ['long-stops', () => this.#beginLongStop()]],
      ]);
      if (this.#setting.faultKinds.includes(kind)) begin();
      else this.#plan();
    });
  }

  /** The process lives on without connections, as a process without leader election does. */
  #beginCut(): void {
    const { network, faults } = this.#setting;
    const durationMs = this.#random.spread(5 * MINUTE_MS, HOUR_MS);
    network.cut(durationMs);
    faults.count('connection cut');
    this.#setting.clock.schedule(durationMs, () => this.#plan());
  }

  /** Stops for so long that a CronJob misses more than a hundred slots, and no user changes it meanwhile. */
  #beginLongStop(): void {
    const { world, faults } = this.#setting;
    const now = this.#setting.clock.now();
    const frequent = world.cronJobs
      .list()
      .filter(({ spec }) => listSlotsAfter(spec, now, 1).length > 0 && estimatePeriodMs(spec, now) <= HOUR_MS);
    if (frequent.length === 0) {
      this.#plan();
      return;
    }
    const cronJob = this.#random.pick(frequent);
    const durationMs = this.#random.spread(103, 250) * estimatePeriodMs(cronJob.spec, now);
    faults.userActionStops.start(formatKey(cronJob), true, { durationMs: durationMs + HOUR_MS });
    this.#beginOutage(durationMs);
  }

  /** No manager takes over for a while. */
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
    const { network } = this.#setting;
    network.conditions = this.#drawConditions();
    this.#setting.clock.schedule(this.#random.spread(10 * MINUTE_MS, DAY_MS), () => {
      network.noteFault();
      network.conditions = NORMAL_CONDITIONS;
      this.#plan();
    });
  }

  #drawConditions(): NetworkConditions {
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
