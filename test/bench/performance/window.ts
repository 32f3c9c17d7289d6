/** The measured part of a run: CPU and API calls from its begin to its end. */
import { type Calls, callsBetween, countedCalls, totalOf } from './api-calls.ts';
import { cpuSecondsOfProgram, type MachineTime, machineTime, usageOf } from './process-usage.ts';
import type { Run } from './run.ts';
import type { Session } from './session.ts';

/** Share of all processors that other processes may take before a run counts as disturbed. */
const MAX_FOREIGN_SHARE = 0.1;

interface Reading {
  readonly controllerCpu: number;
  readonly apiServerCpu: number;
  /** CPU of the benchmark and its child processes. */
  readonly ownCpu: number;
  readonly machine: MachineTime;
  readonly calls: Calls;
}

export class Window {
  readonly #session: Session;
  readonly #begin: Reading;

  private constructor(session: Session, begin: Reading) {
    this.#session = session;
    this.#begin = begin;
  }

  static async open(session: Session): Promise<Window> {
    return new Window(session, await read(session));
  }

  /** @param runs Number of runs in the window. */
  async close(runs: number): Promise<Pick<Run, 'figures' | 'callsPerRun' | 'notes'>> {
    const begin = this.#begin;
    const end = await read(this.#session);
    const perRun = (total: number) => (runs === 0 ? Number.NaN : total / runs);
    const calls = Object.entries(callsBetween(begin.calls, end.calls)).map(([call, count]) => [call, perRun(count)]);
    const callsPerRun: Calls = Object.fromEntries(calls);
    return {
      figures: {
        calls: totalOf(callsPerRun),
        cpuPer1000: perRun(end.controllerCpu - begin.controllerCpu) * 1000,
        apiServerCpuPer1000: perRun(end.apiServerCpu - begin.apiServerCpu) * 1000,
        peakMiB: this.#session.usage().peakMiB,
      },
      callsPerRun,
      notes: disturbance(begin, end),
    };
  }
}

async function read(session: Session): Promise<Reading> {
  return {
    controllerCpu: session.usage().cpuSeconds,
    apiServerCpu: cpuSecondsOfProgram(process.pid, 'kube-apiserver'),
    ownCpu: usageOf(process.pid).cpuSeconds,
    machine: machineTime(),
    calls: await countedCalls(session.controlPlane.kubeconfig),
  };
}

function disturbance(begin: Reading, end: Reading): readonly string[] {
  const foreign = end.machine.busySeconds - begin.machine.busySeconds - (end.ownCpu - begin.ownCpu);
  const share = foreign / (end.machine.allSeconds - begin.machine.allSeconds);
  return share > MAX_FOREIGN_SHARE
    ? [`disturbed: other programs took ${Math.round(share * 100)} % of the processors`]
    : [];
}
