/** The scenario to explore: a CronJob, and the events that may happen to it. */
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';

/** The possible events of an exploration. */
export const BUDGET_EVENTS = {
  steps: 'time moves by a step, mostly to the next slot',
  outages: 'two hours pass, in which more slots are missed than a manager makes up for',
  faults: 'a call of a pass is not carried out, is refused, or gets no answer',
  crashes: 'the process dies, between passes or in one, and another one starts',
  handOvers: 'a manager loses its lease in the middle of a call, which arrives later, and another one takes over',
  starts: 'a container of a Job starts',
  finishes: 'a Job finishes',
  deletions: 'something else than the manager deletes a Job: a person, or the TTL controller',
  suspends: 'a person suspends or resumes the CronJob',
  removals: 'a person deletes the CronJob; it may be created again',
  runNows: 'a person asks for a manual run',
  resumes: 'a person asks for the end of a pause',
  clocks: 'the clock of the manager is set wrong, or right again',
  reschedules: 'a person edits the schedule',
  strangers: 'somebody else creates a Job under the name of a run',
  crowds: 'other CronJobs wait, so that a pass leaves what can wait to the next one',
} as const;

/** How often each event may still happen: the bound of the exploration. */
export type Budget = Readonly<Record<keyof typeof BUDGET_EVENTS, number>>;

export const EMPTY_BUDGET = Object.fromEntries(
  Object.keys(BUDGET_EVENTS).map((name) => [name, 0]),
) as unknown as Budget; // all keys

export interface ModelScenario {
  readonly spec: Partial<CronJobSpec>;
  readonly budget: Budget;
  /** Value of the annotation run-now in the manifest that creates the CronJob, which does not request a run. */
  readonly runNow?: string;
  /** Time of a step, a part of a minute. Default: a minute, to the next slot. */
  readonly stepMs?: number;
}
