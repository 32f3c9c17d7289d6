import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { Excess } from './excess.ts';
import type { ObservedPass } from './observed-pass.ts';

/** The process that makes the calls. */
export interface Caller {
  readonly isAlive: boolean;
  /** Another process leads. */
  readonly isSuperseded: boolean;
  /** The pass that makes a call. */
  readonly pass: ObservedPass;
  die(): void;
  /** The server has returned a Job. */
  onJobRead(job: Job): void;
  /** The server has stored a status. */
  onStatusWritten(cronJob: CronJob): void;
  /** The server has created a Job. */
  onJobCreated(job: Job): void;
  /** Gets a report of each action. */
  readonly excess: Excess;
}
