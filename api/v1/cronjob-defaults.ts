/** Defaults and limits of a CronJob. */

export const CONCURRENCY_POLICIES = ['Allow', 'Forbid', 'Replace', 'Skip', 'Queue'] as const;

export type ConcurrencyPolicy = (typeof CONCURRENCY_POLICIES)[number];

export const DEFAULT_CONCURRENCY_POLICY: ConcurrencyPolicy = 'Allow';
export const DEFAULT_SUSPEND = false;
export const DEFAULT_SUCCESSFUL_JOBS_HISTORY_LIMIT = 3;
export const DEFAULT_FAILED_JOBS_HISTORY_LIMIT = 1;
/** The default of `requestedRunsHistoryLimit`. */
export const DEFAULT_REQUESTED_RUNS_HISTORY_LIMIT = 3;
export const DEFAULT_BACKFILL_LIMIT = 100;
/** The time zone of a CronJob without `timeZone`. The time zone of the process has no effect. */
export const DEFAULT_TIME_ZONE = 'UTC';

/** In characters. */
export const MAX_SCHEDULE_LENGTH = 1024;
/** In characters. This maximum is twice the length of the longest IANA name, America/Argentina/ComodRivadavia. */
export const MAX_TIME_ZONE_LENGTH = 64;
/**
 * The name of a Job is 11 characters longer than the name of its CronJob. The Pods have the name of the Job as a label value, which
 * has at most 63 characters.
 */
export const MAX_NAME_LENGTH = 52;
/** The maximum number of elements of `spec.schedules`. `spec.schedule` is not counted. */
export const MAX_EXTRA_SCHEDULES = 10;
export const MAX_EXCLUSIONS = 50;
/** One day. */
export const MAX_JITTER_SECONDS = 86_400;
/** The number of days in a leap year. */
export const MAX_EXCLUDED_DATES = 366;
/** In characters. */
export const MAX_EXCLUSION_REASON_LENGTH = 128;
/** With `Latest`, only the newest missed run starts late. With `All`, every missed run starts late. */
export const CATCH_UP_POLICIES = ['Latest', 'All'] as const;
/** The default of `catchUpLimit`, and of `queueLimit`. */
export const DEFAULT_CATCH_UP_LIMIT = 100;
/** The maximum of `catchUpLimit`, `queueLimit` and `maxConcurrentRuns`. */
export const MAX_POLICY_LIMIT = 1000;
/** 300 years. A longer duration in a field is ignored, because its end would exceed the range of a Date. */
export const MAX_SPAN_SECONDS = 300 * 366 * 86_400;
/** If more slots than this maximum are due and have no run, the controller starts no run. */
export const MAX_MISSED_SLOTS = 100;

/** The reasons in `status.failedStart`. Each reason has a cause that a user can fix. */
export const FAILED_START_REASONS = ['Refused', 'JobNameTaken', 'DeleteFailed'] as const;

/** The default length of `status.recentRuns`, and of `status.recentSkips`. */
export const DEFAULT_RECENT_RUNS_LIMIT = 10;
export const MAX_RECENT_RUNS_LIMIT = 50;

/** The changes that a CronJobRun may make to a Job. The default is `None`. */
export const RUN_OVERRIDES = ['None', 'Args', 'ArgsAndEnv'] as const;

/** With `Env`, the containers of a run get environment variables that describe the run. */
export const RUN_CONTEXTS = ['None', 'Env'] as const;

/** The maximum length of a line of `status.recentRuns`, in characters. */
export const MAX_RECENT_LINE_LENGTH = 640;
