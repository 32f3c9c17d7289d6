/** The limits of `make bench-guard`: the recorded figures of a burst of 500 runs, and a third more. */
import type { FigureName } from './figures.ts';
import type { TrialRun } from './run.ts';

/** The same burst with a plain client and with this operator, one right after the other. */
export interface TrialPair {
  readonly raw: TrialRun;
  readonly ours: TrialRun;
}

interface Limit {
  readonly description: string;
  readonly figure: FigureName;
  /** Whether the figure is compared with the figure of the plain client. Times depend on the machine, and calls do not. */
  readonly isRatio: boolean;
  /** The value when it was last recorded. */
  readonly recorded: number;
}

const LIMITS: readonly Limit[] = [
  {
    description: 'the time until the last Job, by the time of a plain client',
    figure: 'jobMax',
    isRatio: true,
    recorded: 2,
  },
  {
    description: 'the CPU of the controller, by the CPU of a plain client',
    figure: 'cpuPer1000',
    isRatio: true,
    recorded: 4,
  },
  { description: 'the number of API calls for each run', figure: 'calls', isRatio: false, recorded: 3 },
];
const TOLERANCE = 4 / 3;

/** Whether other programs used the processors during a run. */
export function isDisturbed({ raw, ours }: TrialPair): boolean {
  return raw.notes.length + ours.notes.length > 0;
}

/** Returns a sentence for each exceeded limit. The best of the pairs counts, because disturbances only add to a figure. */
export function compareWithLimits(pairs: readonly TrialPair[]): readonly string[] {
  return LIMITS.flatMap(({ description, figure, isRatio, recorded }) => {
    const values = pairs.map(
      ({ raw, ours }) => (ours.figures[figure] ?? Number.NaN) / (isRatio ? (raw.figures[figure] ?? Number.NaN) : 1),
    );
    const best = Math.min(...values);
    if (best <= recorded * TOLERANCE) return [];
    const [found, usual, limit] = [best, recorded, recorded * TOLERANCE].map((value) => value.toFixed(2));
    return [
      `${description} is ${found}; the recorded value is ${usual}, and the limit is ${limit}. Find the commit with \`make bench\`, ` +
        'or record the new value in test/bench/performance/limits.ts and say why',
    ];
  });
}
