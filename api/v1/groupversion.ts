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

/** On each Job: the slot it runs, RFC 3339 in UTC. */
export const SCHEDULED_AT_ANNOTATION = `${GROUP}/scheduled-at`;
/** On each Job: the slot it runs, RFC 3339 in the CronJob's time zone; the name Kubernetes' own controller uses. */
export const SCHEDULED_TIMESTAMP_ANNOTATION = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
