/** The webhooks of CronJobs as the API server is told of them: those that the manager registers. */
import { declarationsOf, SystemClock } from 'controller-runtime';
import { setupWebhooksWithManager } from '../../controllers/cronjob-webhook.ts';

/** Registering asks nobody anything. */
const offline = { create: () => Promise.reject(new Error('there is no API server: webhooks are only declared')) };

export const CRON_JOB_WEBHOOKS = declarationsOf((webhooks) =>
  setupWebhooksWithManager(webhooks, { client: offline, clock: new SystemClock() }),
);
