/** The result of one run, as it is stored. */
import type { CallCounts } from './api-calls.ts';
import type { DriverName } from './drivers.ts';
import type { FigureName } from './figures.ts';

export const SCENARIO_NAMES = ['burst', 'steady', 'restart', 'idle', 'start'] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

/** A scenario with a size and a driver. */
export interface Trial {
  readonly scenario: ScenarioName;
  /** Number of CronJobs. */
  readonly count: number;
  readonly driver: DriverName;
}

export interface TrialRun extends Trial {
  /** RFC 3339. */
  readonly startedAt: string;
  readonly figures: Partial<Readonly<Record<FigureName, number>>>;
  /** API calls per run, by verb and resource. */
  readonly callsPerRun?: CallCounts;
  /** Seconds after the scheduled time, sorted: one value for each Job, and one for each status. */
  readonly jobSeconds?: readonly number[];
  readonly statusSeconds?: readonly number[];
  /** Irregularities of the run. */
  readonly notes: readonly string[];
}
