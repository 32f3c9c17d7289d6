/** Figures that must not grow in a manager under faults. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditHistory } from '../support/audit-history.ts';
import { computeTrend, type Trend, type TrendSample } from '../support/trend.ts';

const MIB = 1024 * 1024;
/** Interval between two measurements of the process. */
const SAMPLE_INTERVAL_MS = 2_000;

interface GrowthMetric {
  readonly name: string;
  readonly series: string;
  /** Factor of its unit. */
  readonly unit: number;
}

export const HANDLES = 'handles';
const METRICS: readonly GrowthMetric[] = [
  { name: 'heap, MiB', series: 'nodejs_heap_size_used_bytes', unit: MIB },
  { name: 'resident memory, MiB', series: 'process_resident_memory_bytes', unit: MIB },
  { name: 'open files and connections', series: 'process_open_fds', unit: 1 },
  { name: 'timers', series: 'nodejs_active_resources{type="Timeout"}', unit: 1 },
  { name: HANDLES, series: 'nodejs_active_handles_total', unit: 1 },
];
export const CALLS = 'API calls for each run';

export class Figures {
  readonly #samples = new Map<string, TrendSample[]>();
  readonly #startedMs = Date.now();
  readonly #counts: { readonly at: number; readonly calls: number; readonly runs: number }[] = [];

  /** Reads the metrics at `url` until `signal` aborts. */
  async watch(url: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const text = await (await fetch(url)).text();
      for (const { name, series, unit } of METRICS) this.#note(name, parseValue(text, series) / unit);
      await sleep(SAMPLE_INTERVAL_MS);
    }
  }

  /** Records the calls and the runs of the last `seconds`. Must be called continuously. */
  count(history: AuditHistory, seconds: number): void {
    const now = {
      at: this.#second(),
      calls: [...history.calls.values()].reduce((sum, count) => sum + count, 0),
      runs: history.jobs.length,
    };
    const earlier = this.#counts.findLast(({ at }) => at <= now.at - seconds);
    this.#counts.push(now);
    if (earlier !== undefined && now.runs > earlier.runs)
      this.#note(CALLS, (now.calls - earlier.calls) / (now.runs - earlier.runs));
  }

  /** The trend of each figure, over spans of `spanSeconds`. Values before `fromSecond` do not count. */
  trends(fromSecond: number, spanSeconds: number): readonly (Trend & { readonly name: string })[] {
    return [...this.#samples].map(([name, samples]) => {
      const counting = samples.filter(({ at }) => at >= fromSecond);
      return { name, ...computeTrend(counting, spanSeconds) };
    });
  }

  #note(name: string, value: number): void {
    const samples = this.#samples.get(name) ?? [];
    this.#samples.set(name, samples);
    samples.push({ at: this.#second(), value });
  }

  #second(): number {
    return (Date.now() - this.#startedMs) / 1000;
  }
}

function parseValue(text: string, series: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  if (line === undefined) throw new Error(`the manager has no metric ${series}`);
  return Number(line.slice(series.length + 1));
}
