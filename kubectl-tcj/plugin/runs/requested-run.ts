import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { RunReport } from '../report/run-report.ts';

/** A run that a command has requested. */
export interface RequestedRun {
  readonly cronJob: CronJob;
  readonly jobName: string;
  /** Rejects with a CommandError if the run will not start. */
  readonly readProgress: () => Promise<RunProgress>;
}

export type RunProgress =
  | {
      readonly kind: 'NotStarted';
      readonly reason: string;
      /** Whether the manager failed to create the Job. The manager retries. */
      readonly hasFailedStart: boolean;
    }
  /** The report is absent if the status lists only newer runs. */
  | { readonly kind: 'Started'; readonly report: RunReport | undefined };
