/** Names of the kind and of its annotations, as every client uses them. */

export const GROUP = 'batch.tutorial.kubebuilder.io';
export const VERSION = 'v1';
export const API_VERSION = `${GROUP}/${VERSION}`;
export const KIND = 'CronJob';
export const LIST_KIND = 'CronJobList';
export const PLURAL = 'cronjobs';
export const SINGULAR = 'cronjob';
/** For `kubectl get tcj`. Not `cj`, which is the short name of the built-in kind. */
export const SHORT_NAME = 'tcj';

/** Name of the webhooks of CronJobs, after the prefix `m` for the mutating webhook and `v` for the validating webhook. */
export const WEBHOOK_NAME = 'cronjob-v1.kb.io';

/** On a Job of the schedule, and on its Pods: its scheduled time, RFC 3339 in UTC. */
export const SCHEDULED_AT_ANNOTATION = `${GROUP}/scheduled-at`;
/** The same time in the time zone of the CronJob, under the name that Kubernetes' own controller uses. */
export const SCHEDULED_TIMESTAMP_ANNOTATION = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/**
 * On a CronJob: starts a manual run. Each new value starts a run and is then recorded in `status.lastManualRun`. A value that is
 * present when the CronJob is created starts no run.
 */
export const RUN_NOW_ANNOTATION = `${GROUP}/run-now`;
/** On the Job of a manual run, with the value `manual`, as `kubectl create job --from` sets it. */
export const INSTANTIATE_ANNOTATION = 'cronjob.kubernetes.io/instantiate';

/**
 * On a CronJob: each new value resumes a paused CronJob and is then recorded in `status.lastResume`. A value that is present when
 * the CronJob is created has no effect.
 */
export const RESUME_ANNOTATION = `${GROUP}/resume`;
/**
 * On a CronJob that replaces a batch/v1 CronJob, RFC 3339: the batch/v1 CronJob ran the scheduled times up to this one. Later scheduled
 * times run in the new CronJob.
 */
export const TAKES_OVER_FROM_ANNOTATION = `${GROUP}/takes-over-from`;
/** On a CronJob that `kubectl tcj import` created: UID of the batch/v1 CronJob that it replaces. */
export const IMPORTED_FROM_ANNOTATION = `${GROUP}/imported-from`;
/** On an imported CronJob during a revert: whether it was suspended before, as `true` or `false`. */
export const REVERTING_IMPORT_ANNOTATION = `${GROUP}/reverting-import`;
/** On a Job: `metadata.generation` of the CronJob from which it was created. */
export const GENERATION_ANNOTATION = `${GROUP}/generation`;
/** On a Job that the controller ends because it did not start in time: the timeout, and what its Pods waited for. */
export const START_TIMEOUT_ANNOTATION = `${GROUP}/start-timeout`;
