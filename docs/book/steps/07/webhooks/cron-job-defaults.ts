/** The defaulting webhook of the kind CronJob. */
import { type Draft, type WebhookRegistrar, withDefaults } from 'controller-runtime';
import { CronJob } from '../api/v1/cron-job-types.ts';

const DEFAULTS = {
  concurrencyPolicy: 'Allow',
  suspend: false,
  successfulJobsHistoryLimit: 3,
  failedJobsHistoryLimit: 1,
} as const;

export function addCronJobDefaults(webhooks: WebhookRegistrar): void {
  webhooks.for(CronJob, { default: defaultCronJob });
}

export function defaultCronJob(draft: Draft<typeof CronJob>): Draft<typeof CronJob> {
  return withDefaults(draft, { spec: DEFAULTS });
}
