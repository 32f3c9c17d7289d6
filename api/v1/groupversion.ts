export const GROUP = 'batch.tutorial.kubebuilder.io';
export const VERSION = 'v1';
export const API_VERSION = `${GROUP}/${VERSION}`;
export const KIND = 'CronJob';
export const LIST_KIND = 'CronJobList';
export const PLURAL = 'cronjobs';
export const SINGULAR = 'cronjob';
/** The short name differs from `cj`, the short name of batch/v1 CronJobs. */
export const SHORT_NAME = 'tcj';

/** The name of the CronJob webhooks without its prefix. The prefix of the mutating webhook is `m`, and of the validating webhook `v`. */
export const WEBHOOK_NAME = 'cronjob-v1.kb.io';

/** The annotation of a scheduled Job and of its Pods with the scheduled time, in RFC 3339 in UTC. */
export const SCHEDULED_AT_ANNOTATION = `${GROUP}/scheduled-at`;
/** The annotation of a scheduled Job with the scheduled time in the time zone of the CronJob. batch/v1 uses the same annotation. */
export const SCHEDULED_TIMESTAMP_ANNOTATION = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/**
 * The annotation of a CronJob that requests a manual run. Each new value starts one run. The controller records the value in
 * `status.lastManualRun`. The value at the creation of the CronJob starts no run.
 */
export const RUN_NOW_ANNOTATION = `${GROUP}/run-now`;
/** The annotation of the Job of a manual run, with the value `manual`. `kubectl create job --from` sets the same annotation. */
export const INSTANTIATE_ANNOTATION = 'cronjob.kubernetes.io/instantiate';

/**
 * The annotation of a CronJob whose new values resume the CronJob after a pause. The controller records the value in
 * `status.lastResume`. The value at the creation of the CronJob has no effect.
 */
export const RESUME_ANNOTATION = `${GROUP}/resume`;
/**
 * The annotation of a CronJob that replaces a batch/v1 CronJob, with a time in RFC 3339. The new CronJob runs only scheduled times
 * after this time.
 */
export const TAKES_OVER_FROM_ANNOTATION = `${GROUP}/takes-over-from`;
/** The annotation that `kubectl tcj import` sets on a CronJob, with the UID of the imported batch/v1 CronJob. */
export const IMPORTED_FROM_ANNOTATION = `${GROUP}/imported-from`;
/** The annotation of an imported CronJob during a revert. `true` means that the CronJob was suspended before the revert. */
export const REVERTING_IMPORT_ANNOTATION = `${GROUP}/reverting-import`;
/** The annotation of a Job with the `metadata.generation` that its CronJob had when the Job was created. */
export const GENERATION_ANNOTATION = `${GROUP}/generation`;
/** The annotation of a Job that exceeded its start timeout, with the timeout and the reason that its Pods did not start. */
export const START_TIMEOUT_ANNOTATION = `${GROUP}/start-timeout`;
