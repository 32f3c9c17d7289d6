/** Names under which the API server and every client know the kind. */

export const GROUP = 'batch.tutorial.kubebuilder.io';
export const VERSION = 'v1';
export const API_VERSION = `${GROUP}/${VERSION}`;
export const KIND = 'CronJob';
export const LIST_KIND = 'CronJobList';
export const PLURAL = 'cronjobs';
export const SINGULAR = 'cronjob';
/** `kubectl get tcj`. Not `cj`: that one belongs to batch/v1. */
export const SHORT_NAME = 'tcj';

/** On a Job of the schedule: its scheduled time, RFC 3339 in UTC. */
export const SCHEDULED_AT_ANNOTATION = `${GROUP}/scheduled-at`;
/** The same in the time zone of the CronJob; the name that Kubernetes' own controller uses. */
export const SCHEDULED_TIMESTAMP_ANNOTATION = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/**
 * On a CronJob: starts a run now. Each new value starts one run, and is then kept in `status.lastManualRun`; a value that is
 * present when the CronJob is created starts none.
 */
export const RUN_NOW_ANNOTATION = `${GROUP}/run-now`;
/** On the Job of a manual run, with the value `manual`; the name that kubectl uses. */
export const INSTANTIATE_ANNOTATION = 'cronjob.kubernetes.io/instantiate';
