import type { CronJobStatus } from '../../../api/v1/cronjob-types.ts';
import { parseRecentRun } from '../../../api/v1/recent-lines.ts';

/** The results in a status, by the names of the Jobs. */
export function parseResults({ recentRuns = [] }: CronJobStatus = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(
    recentRuns.map(parseRecentRun).flatMap((run) => (run ? [[run.jobName, run.result] as const] : [])),
  );
}
