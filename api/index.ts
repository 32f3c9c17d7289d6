/** Exports the kinds CronJob and CronJobRun, for programs that create and read CronJobs and CronJobRuns. */
export { defaultCronJob } from './v1/cronjob-defaulting.ts';
export { CronJob, type CronJobSpec, type CronJobSpecInput, type CronJobStatus } from './v1/cronjob-types.ts';
export { validateCronJob } from './v1/cronjob-validation.ts';
export { CronJobRun, type CronJobRunSpec, type CronJobRunStatus } from './v1/cronjobrun-types.ts';
export {
  CREATED_BY_ANNOTATION,
  REQUESTED_BY_ANNOTATION,
  RESUME_ANNOTATION,
  RUN_NOW_ANNOTATION,
  SCHEDULED_AT_ANNOTATION,
  TAKES_OVER_FROM_ANNOTATION,
} from './v1/groupversion.ts';
export {
  parseRecentRun,
  parseRecentSkip,
  type RecentRun,
  type RecentSkip,
  type RunResult,
  type RunTrigger,
} from './v1/recent-lines.ts';
export { type CronJobSpecInputV2, type CronJobSpecV2, CronJobV2 } from './v2/cronjob-types.ts';
