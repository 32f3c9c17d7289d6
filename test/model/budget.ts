/** What is explored: a CronJob, and what may happen to it. */
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';

/** What may still happen, and how often: the bound of the exploration. */
export interface Budget {
  /** Time moves by a step, mostly to the next slot. */
  readonly steps: number;
  /** Two hours pass, in which more slots are missed than a manager makes up for. */
  readonly outages: number;
  /** A call of a pass is not carried out, is refused, or gets no answer. */
  readonly faults: number;
  /** The process dies, between passes or in one, and another one starts. */
  readonly crashes: number;
  /** A manager loses its lease in the middle of a call, which arrives later, and another one takes over. */
  readonly handOvers: number;
  /** A container of a Job starts. */
  readonly starts: number;
  /** A Job finishes. */
  readonly finishes: number;
  /** Something else than the manager deletes a Job: a person, or the TTL controller. */
  readonly deletions: number;
  /** A person suspends or resumes the CronJob. */
  readonly suspends: number;
  /** A person deletes the CronJob; it may be created again. */
  readonly removals: number;
  /** A person asks for a manual run. */
  readonly runNows: number;
  /** A person asks for the end of a pause. */
  readonly resumes: number;
  /** The clock of the manager is set wrong, or right again. */
  readonly clocks: number;
  /** A person edits the schedule. */
  readonly reschedules: number;
  /** Somebody else creates a Job under the name of a run. */
  readonly strangers: number;
  /** Other CronJobs wait, so that a pass leaves what can wait to the next one. */
  readonly crowds: number;
}

export const NOTHING: Budget = {
  steps: 0,
  outages: 0,
  faults: 0,
  crashes: 0,
  handOvers: 0,
  starts: 0,
  finishes: 0,
  deletions: 0,
  suspends: 0,
  removals: 0,
  runNows: 0,
  resumes: 0,
  clocks: 0,
  reschedules: 0,
  strangers: 0,
  crowds: 0,
};

export interface Scenario {
  readonly spec: Partial<CronJobSpec>;
  readonly budget: Budget;
  /** Value of the annotation run-now in the manifest that creates the CronJob, which asks for nothing. */
  readonly runNow?: string;
  /** How far time moves in a step, a part of a minute. Default: a minute, to the next slot. */
  readonly stepMs?: number;
}
