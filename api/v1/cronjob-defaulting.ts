import { CronJob } from './cronjob-types.ts';

/**
 * Sets absent and null fields to their defaults, and does not change invalid values. The CRD of this project has the same
 * defaults, but a cluster may have a different CRD for this kind.
 */
export function defaultCronJob<Draft extends { readonly spec?: unknown }>(cronJob: Draft): Draft {
  return CronJob.schema.withDefaults(cronJob);
}
