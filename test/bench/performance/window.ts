/** The measured part of a run: CPU and API calls from its begin to its end. */
import { type CallCounts, readCallCounts, subtractCalls, sumCalls } from './api-calls.ts';
import { type MachineTime, readMachineTime, readProgramCpuSeconds, readUsage } from './process-usage.ts';
import type { TrialRun } from './run.ts';
import type { BenchSession } from './session.ts';

/** Share of all processors that other processes may take before a run counts as disturbed. */
const MAX_FOREIGN_SHARE = 0.1;

interface Measurement {
  readonly controllerCpu: number;
  readonly apiServerCpu: number;
  /** CPU of the benchmark and its child processes. */
  readonly ownCpu: number;
  readonly machine: MachineTime;
  readonly calls: CallCounts;
}

export class MeasuredWindow {
  readonly #session: BenchSession;
  readonly #begin: Measurement;

  private constructor(session: BenchSession, begin: Measurement) {
    this.#session = session;
    this.#begin = begin;
  }

  static async open(session: BenchSession): Promise<MeasuredWindow> {
    return new MeasuredWindow(session, await takeMeasurement(session));
  }

  /** @param runs Number of runs in the window. */
  async close(runs: number): Promise<Pick<TrialRun, 'figures' | 'callsPerRun' | 'notes'>> {
    const begin = this.#begin;
    const end = await takeMeasurement(this.#session);
    const perRun = (total: number) => (runs === 0 ? Number.NaN : total / runs);
    const calls = Object.entries(subtractCalls(begin.calls, end.calls)).map(([call, count]) => [call, perRun(count)]);
    const callsPerRun: CallCounts = Object.fromEntries(calls);
    return {
      figures: {
        calls: sumCalls(callsPerRun),
        cpuPer1000: perRun(end.controllerCpu - begin.controllerCpu) * 1000,
        apiServerCpuPer1000: perRun(end.apiServerCpu - begin.apiServerCpu) * 1000,
        peakMiB: this.#session.usage().peakMiB,
      },
      callsPerRun,
      notes: describeDisturbance(begin, end),
    };
  }
}

async function takeMeasurement(session: BenchSession): Promise<Measurement> {
  return {
    controllerCpu: session.usage().cpuSeconds,
    apiServerCpu: readProgramCpuSeconds(process.pid, 'kube-apiserver'),
    ownCpu: readUsage(process.pid).cpuSeconds,
    machine: readMachineTime(),
    calls: await readCallCounts(session.controlPlane.kubeconfig),
  };
}

function describeDisturbance(begin: Measurement, end: Measurement): readonly string[] {
  const foreign = end.machine.busySeconds - begin.machine.busySeconds - (end.ownCpu - begin.ownCpu);
  const share = foreign / (end.machine.allSeconds - begin.machine.allSeconds);
  return share > MAX_FOREIGN_SHARE
    ? [`disturbed: other programs took ${Math.round(share * 100)} % of the processors`]
    : [];
}
