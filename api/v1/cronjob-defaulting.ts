/** Fills in defaults. The CRD does the same, from the same schema: this is for an API server that has another CRD of the kind. */
import { CronJob } from './cronjob-types.ts';

/** Sets fields that are absent or null to their defaults, as the CRD does. An invalid value stays, and validation reports it. */
export function defaultCronJob<Draft extends { readonly spec?: unknown }>(cronJob: Draft): Draft {
  return CronJob.schema.withDefaults(cronJob);
}
