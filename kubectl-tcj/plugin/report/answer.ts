/** What `why` answers, and what it is told besides the CronJob. */
import type { Remedy } from './remedy.ts';

/** Without a remedy nothing is wrong, or nothing can be done. */
export interface Answer extends Remedy {
  /** One sentence, or a few. */
  readonly sentence: string;
  /** A run that it tells of, and whose Pods tell more. */
  readonly run?: ToldRun;
}

/** One that is active, or has failed: its Pods tell why. */
export interface ToldRun {
  readonly jobName: string;
  readonly result: 'Running' | 'Failed';
  /** Of one that failed. */
  readonly reason?: string;
  /** Of its Job. */
  readonly createdTime?: Date;
}

/** When an answer is made, and what it is made from besides the CronJob. */
export interface Known {
  readonly now: Date;
  /** What is known of the Pods of {@link Answer.run}. */
  readonly pods?: PodsTold | undefined;
}

/** What the Pods of a run tell. As JSON can hold it: the page gets it from its server. */
export interface PodsTold {
  readonly jobName: string;
  /** One sentence, or a few; empty when they tell nothing that matters. */
  readonly sentence: string;
  /** Of a run that is active and has long not started: said of it in place of that it runs. */
  readonly notStarted?: NotStarted;
  /** Its Job waits for somebody else than its Pods: no limit of time ends it, and to delete it is no help. Default false. */
  readonly isHeld?: boolean;
  /** They are gone, and what they printed with them. Default false. */
  readonly areGone?: boolean;
  /** Better than what is to be done without knowing them. */
  readonly remedy?: Remedy;
}

export interface NotStarted {
  /** RFC 3339: when its Job was created. */
  readonly since: string;
  /** Such as `it has no Pod`. */
  readonly why: string;
}
