import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { Excess } from './excess.ts';
import type { ObservedReconcile } from './observed-reconcile.ts';

/** The process that makes the calls. */
export interface Caller {
  readonly isAlive: boolean;
  /** Another process leads. */
  readonly isSuperseded: boolean;
  /** The reconcile that makes a call. */
  readonly observed: ObservedReconcile;
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
