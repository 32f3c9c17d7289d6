/** The scenario to explore: a CronJob, and the events that may happen to it. */
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import type { CronJobRunSpec } from '../../api/v1/cronjobrun-types.ts';

/** The possible events of an exploration. */
export const BUDGET_EVENTS = {
  steps: 'time advances by a step, usually to the next slot',
  outages: 'no manager runs for two hours, so that too many slots are missed',
  faults: 'a call of a reconcile is lost, is refused, or gets no response',
  crashes: 'the process dies, between reconciles or during one, and another one starts',
  handOvers: 'a manager loses its lease during a call, which arrives later, and another one takes over',
  starts: 'a container of a Job starts',
  finishes: 'a Job finishes',
  terminations: 'the Pods of a finished Job terminate for some time',
  deletions: 'a user or the TTL controller deletes a Job',
  suspends: 'a user suspends or resumes the CronJob',
  removals: 'a user deletes the CronJob, and may create it again',
  runNows: 'a user requests a manual run',
  resumes: 'a user ends a pause',
  clocks: 'the clock of the manager is set to a wrong or the right time',
  reschedules: 'a user edits the schedule',
  strangers: 'another client creates a Job with the name of a run',
  requestEdits: 'a user suspends, resumes or deletes the CronJobRun',
  crowds: 'other CronJobs wait, so that a reconcile postpones work to the next one',
} as const;

/** How often each event may still happen: the bound of the exploration. */
export type Budget = Readonly<Record<keyof typeof BUDGET_EVENTS, number>>;

export const EMPTY_BUDGET = Object.fromEntries(
  Object.keys(BUDGET_EVENTS).map((name) => [name, 0]),
) as unknown as Budget; // all keys

export interface ModelScenario {
  readonly spec: Partial<CronJobSpec>;
  readonly budget: Budget;
  /** The CronJobRun that exists at the start. Default: none. */
  readonly request?: Pick<CronJobRunSpec, 'manual' | 'backfill'>;
  /** Value of the annotation run-now in the manifest that creates the CronJob, which does not request a run. */
  readonly runNow?: string;
  /** Time of a step, a part of a minute. Default: a minute, to the next slot. */
  readonly stepMs?: number;
}
