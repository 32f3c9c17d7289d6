/** Input and output of `why`. */
import type { Remedy } from './remedy.ts';

/** Without a remedy, no problem exists, or no action helps. */
export interface CronJobExplanation extends Remedy {
  /** One or a few sentences. */
  readonly sentence: string;
  /** The run in the sentence, whose Pods give more details. */
  readonly run?: RunSummary;
}

/** A run that is active or has failed: its Pods show why. */
export interface RunSummary {
  readonly jobName: string;
  readonly result: 'Running' | 'Failed';
  /** Reason of a failed run. */
  readonly reason?: string;
  /** When the Job was created. */
  readonly createdTime?: Date;
}

/** The time of the report, and its sources besides the CronJob. */
export interface ExplainInput {
  readonly now: Date;
  /** Report on the Pods of {@link CronJobExplanation.run}. */
  readonly pods?: PodReport | undefined;
}

/** Report on the Pods of a run. In a form that JSON can hold, because the page gets it from its server. */
export interface PodReport {
  readonly jobName: string;
  /** One or a few sentences; empty when the Pods show nothing relevant. */
  readonly sentence: string;
  /** Set for an active run that has not started for a long time: replaces the statement that it runs. */
  readonly notStarted?: NotStarted;
  /**
   * Whether the Job waits for another controller or client than its Pods: no time limit ends it, and deleting it does not help.
   * Default false.
   */
  readonly isHeld?: boolean;
  /** Whether the Pods, and their logs, are gone. Default false. */
  readonly areGone?: boolean;
  /** Replaces the remedy that is computed without the Pods. */
  readonly remedy?: Remedy;
}

export interface NotStarted {
  /** RFC 3339: when the Job was created. */
  readonly since: string;
  /** Such as `it has no Pod`. */
  readonly why: string;
}
