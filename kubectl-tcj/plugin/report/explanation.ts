/** Types for explanations of the state of a CronJob. */
import type { Remedy } from './remedy.ts';

/** An explanation and a remedy. The remedy is empty if the CronJob works or if no action helps. */
export interface CronJobExplanation extends Remedy {
  /** One or a few sentences. */
  readonly sentence: string;
  /** The run that the sentence describes, if the Pods of the run can show why it failed or waits. */
  readonly run?: RunSummary;
}

export interface RunSummary {
  readonly jobName: string;
  readonly result: 'Running' | 'Failed';
  /** The failure reason, such as `StartTimeout`. */
  readonly reason?: string;
  readonly createdTime?: Date;
}

export interface ExplainInput {
  readonly now: Date;
  /** The report on the Pods of {@link CronJobExplanation.run}. */
  readonly podReport?: PodReport | undefined;
}

/** The report on the Pods of a run. The UI server sends the report to the page as JSON. */
export interface PodReport {
  readonly jobName: string;
  /** One or more sentences, or an empty string if the Pods show no relevant details. */
  readonly sentence: string;
  /** Set if an active run has not started within a minute. */
  readonly startDelay?: StartDelay;
  /**
   * Whether something other than the Pods blocks the Job, for example a queue. A time limit does not end a blocked Job, and
   * deleting the Job does not help. Default: false.
   */
  readonly isJobBlocked?: boolean;
  /** Whether the Pods and their logs no longer exist. Default: false. */
  readonly arePodsDeleted?: boolean;
  /** The remedy for a problem of the Pods, which replaces the remedy for a problem in the status of the CronJob. */
  readonly remedy?: Remedy;
}

export interface StartDelay {
  /** The creation time of the Job in RFC 3339 format. */
  readonly since: string;
  /** A clause such as `it has no Pod`. */
  readonly cause: string;
}
