/** The declarations of the webhooks that the manager registers for CronJobs and CronJobRuns. */
import { collectDeclarations, SystemClock } from 'controller-runtime';
import { setupWebhooksWithManager } from '../../controllers/cronjob-webhook.ts';
import { setupCronJobRunWebhooksWithManager } from '../../controllers/cronjobrun-webhook.ts';

/** The webhooks need a client, but the registration sends no request. */
const reject = () => Promise.reject(new Error('there is no API server: webhooks are only declared'));
const offline = { create: reject, get: reject };

export const CRON_JOB_WEBHOOKS = collectDeclarations((webhooks) => {
  const options = { client: offline, apiReader: offline, clock: new SystemClock() };
  setupWebhooksWithManager(webhooks, options);
  setupCronJobRunWebhooksWithManager(webhooks, options);
});
