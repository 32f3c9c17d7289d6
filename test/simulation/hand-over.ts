/**
 * One manager takes over from another, with the real leader election. A year of renewals would be sixteen million calls, so both take part
 * in the election only around a hand-over.
 */
import { aborted } from '../../runtime/clock/clock.ts';
import { DEFAULT_TIMINGS, LeaderElector } from '../../runtime/leader-election/leader-elector.ts';
import { discardLogger } from '../../runtime/log/logger.ts';
import { SECOND_MS } from './durations.ts';
import { LEASE, LeaseApi, type LeaseLink } from './lease-api.ts';
import type { Machine } from './machine.ts';
import { NORMAL_CONDITIONS } from './network.ts';
import type { Random } from './random.ts';
import type { Setting } from './setting.ts';
import type { SimulatedProcess } from './simulated-process.ts';

/** Longer than any hand-over after the other manager stops renewing. */
const LONGEST_MS = 150 * SECOND_MS;
/** A waiting manager leads at most this long after the last renewal: its own check comes up to 4.4 s late, and two checks may fail. */
const TAKE_OVER_MS = DEFAULT_TIMINGS.leaseDurationMs + 10 * SECOND_MS;
/** A renewal that was sent this long ago may still arrive. */
const SLOWEST_RENEWAL_MS = 16 * SECOND_MS;
/** How long a machine that has slept needs to detect the loss of its lease, when its steady clock stood still. */
const NOTICE_MS = DEFAULT_TIMINGS.renewDeadlineMs + 5 * SECOND_MS;

export interface HandOverOptions {
  readonly random: Random;
  /** Time from the beginning until one of them gets a fault. */
  readonly faultDelayMs: number;
  /** The leading process. */
  readonly first: SimulatedProcess;
  /** The machine of the waiting process. */
  readonly secondMachine: Machine;
  /** Called when the other one leads. */
  readonly startSecond: () => SimulatedProcess;
  /** Called when the state is as before, or the other one leads. */
  readonly onEnd: (isHandedOver: boolean) => void;
  readonly onBroken: (rule: string) => void;
}

export class SimulatedHandOver {
  readonly #options: HandOverOptions & Setting;
  readonly #lease: LeaseApi;
  /** A dead process sends nothing, except that a process that was signalled to stop releases the lease. */
  readonly #firstLink: LeaseLink;
  #isFirstCut = false;
  #isReleasing = false;
  /** Time of the end of the first process, on the steady clock of the simulation. */
  #firstEndMs: number | undefined;
  /** Time of the last other fault before that, on the same clock. */
  #faultBeforeEndMs = Number.NEGATIVE_INFINITY;
  readonly #stopFirst = new AbortController();
  readonly #stopSecond = new AbortController();
  #isFirstLeading = false;
  #second: SimulatedProcess | undefined;
  #isOver = false;
  /** Time when the machine of the first process last woke with a steady clock that had stood still. */
  #clockStoppedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(setting: Setting, options: HandOverOptions) {
    this.#options = { ...setting, ...options };
    this.#lease = new LeaseApi(setting.clock, setting.network);
    const isCut = () => this.#isFirstCut || (!options.first.isAlive && !this.#isReleasing);
    this.#firstLink = {
      get isCut() {
        return isCut();
      },
    };
  }

  start(): void {
    const { clock, first, faultDelayMs } = this.#options;
    const elector = this.#elector('first', first.machine, this.#firstLink);
    void elector.run(this.#stopFirst.signal, async (signal) => {
      this.#isFirstLeading = true;
      this.#startSecond();
      clock.schedule(faultDelayMs, () => this.#causeFault());
      await aborted(signal);
      this.#isFirstLeading = false;
      // A manager that has lost its lease ends at once, as a manager that was signalled to stop does when its reconciles are over.
      this.#isReleasing = this.#stopFirst.signal.aborted;
      if (!this.#isOver) this.#endFirst();
    });
    clock.schedule(LONGEST_MS, () => this.end());
  }

  /** Ends the election for both. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // The process would detect the loss of its lease, and does not take part any more.
    if (this.#second !== undefined) this.#endFirst();
    this.#stopFirst.abort();
    this.#stopSecond.abort();
    this.#options.onEnd(this.#second !== undefined);
  }

  #startSecond(): void {
    const { secondMachine, clock, first, startSecond, faults } = this.#options;
    const elector = this.#elector('second', secondMachine, { isCut: false });
    void elector.run(this.#stopSecond.signal, async (signal) => {
      if (this.#isOver) return;
      if (this.#isFirstAtWork()) this.#options.onBroken('two managers never lead at the same time');
      faults.count('handed over');
      if (first.isAlive) faults.count('two managers at once');
      first.isSuperseded = true;
      this.#second = startSecond();
      this.#watchFirst();
      await aborted(signal);
      // Only this process renews: it loses the lease when the network is bad, and ends.
      if (!this.#isOver) this.#second.die();
      clock.schedule(0, () => this.end());
    });
  }

  /** Whether the process leads, and does not sleep. */
  #isFirstAtWork(): boolean {
    const { first, clock } = this.#options;
    const isNoticing = clock.monotonicMs() - this.#clockStoppedUntilMs < NOTICE_MS;
    return this.#isFirstLeading && first.isAlive && !first.machine.isAsleep && !isNoticing;
  }

  /** Once another process leads, this one must detect it as soon as its machine is awake. */
  #watchFirst(): void {
    if (this.#isOver) return;
    this.#options.clock.schedule(SECOND_MS, () => {
      if (this.#isOver) return;
      const hasJustWoken = this.#options.first.machine.steadyMs < 2 * SECOND_MS;
      if (this.#isFirstAtWork() && !hasJustWoken) this.#options.onBroken('a manager that has lost its lease exits');
      else this.#watchFirst();
    });
  }

  #causeFault(): void {
    const { first, secondMachine, random, clock, journal } = this.#options;
    if (this.#isOver || !first.isAlive) return;
    const fault = random.weighted<readonly [name: string, act: () => void]>([
      [3, ['the first manager is paused', () => this.#pause(random.chance(0.3))]],
      [2, ['the first manager gets SIGTERM', () => this.#stopFirst.abort()]],
      [2, ['the first manager cannot renew its lease', () => this.#cut()]],
      [2, ['the first manager dies', () => this.#endFirst()]],
      [
        1,
        ['the clock of the waiting manager jumps', () => secondMachine.setOffset(random.spread(1, 5000) * SECOND_MS)],
      ],
      [1, ['the clock of the first manager jumps', () => this.#jump(first.machine)]],
    ]);
    journal.note(() => fault[0]);
    fault[1]();
    if (!first.isAlive) this.#expectSecond();
    clock.schedule(random.spread(20 * SECOND_MS, 60 * SECOND_MS), () => secondMachine.setOffset(0));
  }

  #endFirst(): void {
    const { first, clock, network } = this.#options;
    if (!first.isAlive) return;
    this.#firstEndMs = clock.monotonicMs();
    this.#faultBeforeEndMs = network.lastTroubleMs;
    first.die();
  }

  #pause(stopsSteadyClock: boolean): void {
    const { first, random, clock } = this.#options;
    const durationMs = random.spread(2 * SECOND_MS, 90 * SECOND_MS);
    first.machine.sleep(durationMs, { stopsSteadyClock });
    clock.schedule(durationMs, () => {
      if (stopsSteadyClock) this.#clockStoppedUntilMs = clock.monotonicMs();
    });
    if (durationMs > TAKE_OVER_MS) this.#expectSecond();
  }

  #cut(): void {
    this.#isFirstCut = true;
    this.#expectSecond();
  }

  #jump(machine: Machine): void {
    const { random, clock } = this.#options;
    machine.setOffset(random.pick([-1, 1]) * random.spread(1, 5000) * SECOND_MS);
    clock.schedule(random.spread(20 * SECOND_MS, 60 * SECOND_MS), () => machine.setOffset(0));
  }

  /** Without other faults, a leader is back soon. */
  #expectSecond(): void {
    const { clock, network } = this.#options;
    const sinceMs = clock.monotonicMs() - SLOWEST_RENEWAL_MS;
    clock.schedule(TAKE_OVER_MS, () => {
      const isOwnEnd = network.lastTroubleMs === this.#firstEndMs;
      const lastFaultMs = isOwnEnd ? this.#faultBeforeEndMs : network.lastTroubleMs;
      const hasOtherFaults = network.conditions !== NORMAL_CONDITIONS || lastFaultMs > sinceMs;
      if (this.#isOver || hasOtherFaults || this.#second !== undefined) return;
      this.#options.onBroken('a waiting manager leads after the lease has expired');
    });
  }

  #elector(identity: string, machine: Machine, link: LeaseLink): LeaderElector {
    const { random } = this.#options;
    return new LeaderElector({
      client: this.#lease.connect(machine, link),
      clock: machine,
      log: discardLogger,
      lease: LEASE,
      identity,
      random: () => random.next(),
    });
  }
}
