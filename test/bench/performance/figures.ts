/** The figures: the name and unit of each. A lower value is better, except for figures that must have one value. */

interface FigureInfo {
  readonly label: string;
  readonly unit: string;
  /** A ratio is meaningless for this figure. */
  readonly isCount?: boolean;
}

export const FIGURES = {
  jobP50: { label: 'Job created: median', unit: 's' },
  jobP99: { label: 'Job created: 99th percentile', unit: 's' },
  jobMax: { label: 'Job created: last', unit: 's' },
  statusMax: { label: 'status written: last', unit: 's' },
  restartToAll: { label: 'time from restart to last Job', unit: 's' },
  inSync: { label: 'time until caches are synced', unit: 's' },
  calls: { label: 'API calls per run', unit: '' },
  cpuPer1000: { label: 'controller CPU for 1,000 runs', unit: 's' },
  cpu: { label: 'controller CPU', unit: 's' },
  idleCpu: { label: 'controller CPU, share of one core', unit: '%' },
  apiServerCpuPer1000: { label: 'API server CPU for 1,000 runs', unit: 's' },
  idleMiB: { label: 'resident memory, idle', unit: 'MiB' },
  peakMiB: { label: 'resident memory, peak', unit: 'MiB' },
  jobs: { label: 'Jobs', unit: '', isCount: true },
  missed: { label: 'runs missed', unit: '', isCount: true },
  doubled: { label: 'runs duplicated', unit: '', isCount: true },
  statusesMissing: { label: 'statuses never written', unit: '', isCount: true },
  eventsMissing: { label: 'SuccessfulCreate events missing', unit: '', isCount: true },
  jobsLeft: { label: 'Jobs left at the end', unit: '', isCount: true },
} as const satisfies Readonly<Record<string, FigureInfo>>;

export type FigureName = keyof typeof FIGURES;

/** Figures that the plain client cannot have in a burst: it sends no events, and holds all bodies before the burst. */
export const FIGURES_WITHOUT_RAW_BURST: ReadonlySet<FigureName> = new Set(['idleMiB', 'peakMiB', 'eventsMissing']);

/** The quantile: the value that this share of the sorted values does not exceed. */
function computeQuantile(sorted: readonly number[], part: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}

/** The lower middle value of an even number of values, so that it is the value of a run. */
export function computeMedian(values: readonly number[]): number {
  return computeQuantile(
    values.toSorted((left, right) => left - right),
    0.5,
  );
}

/** The figures from the sorted seconds of Jobs and statuses. */
export function summarizeTimes({
  jobSeconds,
  statusSeconds,
}: Record<'jobSeconds' | 'statusSeconds', readonly number[]>) {
  return {
    jobP50: computeQuantile(jobSeconds, 0.5),
    jobP99: computeQuantile(jobSeconds, 0.99),
    jobMax: computeQuantile(jobSeconds, 1),
    statusMax: computeQuantile(statusSeconds, 1),
  };
}
