/** Every default and bound of a CronJob. The schemas use them, and the CRD is generated from the schemas. */

/** What to do when a run is due and an earlier one is still active. */
export const CONCURRENCY_POLICIES = ['Allow', 'Forbid', 'Replace'] as const;

export type ConcurrencyPolicy = (typeof CONCURRENCY_POLICIES)[number];

export const DEFAULT_CONCURRENCY_POLICY: ConcurrencyPolicy = 'Allow';
export const DEFAULT_SUSPEND = false;
export const DEFAULT_SUCCESSFUL_JOBS_HISTORY_LIMIT = 3;
export const DEFAULT_FAILED_JOBS_HISTORY_LIMIT = 1;
/** Zone of a CronJob without `timeZone`. Never the zone of the process. */
export const DEFAULT_TIME_ZONE = 'UTC';

/** Longest accepted schedule, in characters. */
export const MAX_SCHEDULE_LENGTH = 1024;
/** Longest accepted time zone, in characters: twice the longest IANA name, America/Argentina/ComodRivadavia. */
export const MAX_TIME_ZONE_LENGTH = 64;
/** Longest accepted CronJob name: the Job name adds `-` and ten digits, and 63 characters is the limit of a label value. */
export const MAX_NAME_LENGTH = 52;
/** With more unmet slots than this, no slot starts. */
export const MAX_MISSED_SLOTS = 100;

/** Why a Job could not be started, if a user can fix the cause. */
export const FAILED_START_REASONS = ['Refused', 'JobNameTaken', 'DeleteFailed'] as const;

/** How many runs, and how many skips, the status lists when `recentRunsLimit` is not set. */
export const DEFAULT_RECENT_RUNS_LIMIT = 10;
export const MAX_RECENT_RUNS_LIMIT = 50;

/** Whether a run passes its context to its containers as environment variables. */
export const RUN_CONTEXTS = ['None', 'Env'] as const;

/** Longest line of `status.recentRuns`, in characters: besides the reason and the message it has room for two Job names. */
export const MAX_RECENT_LINE_LENGTH = 640;
