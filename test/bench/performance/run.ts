/** What one run has shown, as it is stored in the results. */
import type { Calls } from './api-calls.ts';
import type { DriverName } from './drivers.ts';
import type { FigureName } from './figures.ts';

export const SCENARIO_NAMES = ['burst', 'steady', 'restart', 'idle', 'start'] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

/** A scenario at a size with a driver. */
export interface Trial {
  readonly scenario: ScenarioName;
  /** CronJobs. */
  readonly count: number;
  readonly driver: DriverName;
}

export interface Run extends Trial {
  /** RFC 3339. */
  readonly startedAt: string;
  readonly figures: Partial<Readonly<Record<FigureName, number>>>;
  /** API calls a run, by verb and resource. */
  readonly callsPerRun?: Calls;
  /** Seconds after the scheduled time, sorted: one of each Job, and of each status. */
  readonly jobSeconds?: readonly number[];
  readonly statusSeconds?: readonly number[];
  /** What was odd. */
  readonly notes: readonly string[];
}
