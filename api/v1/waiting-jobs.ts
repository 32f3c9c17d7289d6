/** Which Jobs wait under concurrencyPolicy Forbid, as the status records what was reported of them. */
import type { CronJobStatus } from './cronjob-types.ts';

const PREFIX = 'JobAlreadyActive/';

/** The key of `status.reported` for a Job that waits until the active ones have ended. */
export function waitingKey(jobName: string): string {
  return `${PREFIX}${jobName}`;
}

/** Names of the Jobs that wait. */
export function waitingJobNames({ reported = [] }: Pick<CronJobStatus, 'reported'>): readonly string[] {
  return reported.filter((key) => key.startsWith(PREFIX)).map((key) => key.slice(PREFIX.length));
}
