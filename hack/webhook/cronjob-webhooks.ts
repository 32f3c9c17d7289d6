/** The webhooks for CronJobs that the manager registers, as declared to the API server. */
import { collectDeclarations, SystemClock } from 'controller-runtime';
import { setupWebhooksWithManager } from '../../controllers/cronjob-webhook.ts';

/** The client for the registration of webhooks, which does not call the API server. */
const offline = { create: () => Promise.reject(new Error('there is no API server: webhooks are only declared')) };

export const CRON_JOB_WEBHOOKS = collectDeclarations((webhooks) =>
  setupWebhooksWithManager(webhooks, { client: offline, clock: new SystemClock() }),
);
