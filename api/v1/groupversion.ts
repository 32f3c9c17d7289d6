export const GROUP = 'batch.tutorial.kubebuilder.io';
export const VERSION = 'v1';
export const API_VERSION = `${GROUP}/${VERSION}`;
export const KIND = 'CronJob';
export const LIST_KIND = 'CronJobList';
export const PLURAL = 'cronjobs';
export const SINGULAR = 'cronjob';
/** The short name differs from `cj`, the short name of batch/v1 CronJobs. */
export const SHORT_NAME = 'tcj';

/**
 * The name of the CronJob webhooks without its prefix. The prefix is `m` for the mutating webhook and `v` for the validating
 * webhook.
 */
export const WEBHOOK_NAME = 'cronjob-v1.kb.io';

/** The name of the CronJobRun webhooks, without its prefix. */
export const RUN_WEBHOOK_NAME = 'cronjobrun-v1.kb.io';

/** Annotation of a scheduled Job and of its Pods. The value is the scheduled time, in RFC 3339 in UTC. */
export const SCHEDULED_AT_ANNOTATION = `${GROUP}/scheduled-at`;
/** Annotation of a scheduled Job, as in batch/v1. The value is the scheduled time in the time zone of the CronJob. */
export const SCHEDULED_TIMESTAMP_ANNOTATION = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/**
 * Annotation of a CronJob. Each new value starts one manual run. The controller records the value in `status.lastManualRun`. A value
 * that is present when the CronJob is created starts no run.
 */
export const RUN_NOW_ANNOTATION = `${GROUP}/run-now`;
/**
 * Annotation of the Job of a manual run. `kubectl create job --from` sets the same annotation. The value is `manual`.
 */
export const INSTANTIATE_ANNOTATION = 'cronjob.kubernetes.io/instantiate';

/**
 * Annotation of a CronJob. Each new value resumes the paused CronJob. The controller records the value in `status.lastResume`. A
 * value that is present when the CronJob is created has no effect.
 */
export const RESUME_ANNOTATION = `${GROUP}/resume`;
/**
 * Annotation of a CronJob that replaces a batch/v1 CronJob. The value is a time in RFC 3339. The CronJob starts runs only for
 * scheduled times after this time.
 */
export const TAKES_OVER_FROM_ANNOTATION = `${GROUP}/takes-over-from`;
/** Annotation of an imported CronJob. The value is the UID of the batch/v1 CronJob that `kubectl tcj import` imported. */
export const IMPORTED_FROM_ANNOTATION = `${GROUP}/imported-from`;
/**
 * Annotation of an imported CronJob while `kubectl tcj import --revert` runs. `true` means that the CronJob was
 * suspended before.
 */
export const REVERTING_IMPORT_ANNOTATION = `${GROUP}/reverting-import`;
/** Annotation of a Job. The value is the `metadata.generation` of the CronJob at the time when the controller created the Job. */
export const GENERATION_ANNOTATION = `${GROUP}/generation`;
/** Annotation of a Job. The value is the name of the CronJobRun that requested the run. */
export const REQUESTED_BY_ANNOTATION = `${GROUP}/requested-by`;
/** Annotation of a CronJobRun. The webhook writes the name of the user who created the CronJobRun. */
export const CREATED_BY_ANNOTATION = `${GROUP}/created-by`;
/** Annotation of a Job that exceeded its start timeout. The value contains the timeout and the reason that its Pods did not start. */
export const START_TIMEOUT_ANNOTATION = `${GROUP}/start-timeout`;
