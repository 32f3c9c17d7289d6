/** The declarations of the webhooks that the manager registers for CronJobs. */
import { collectDeclarations, SystemClock } from 'controller-runtime';
import { setupWebhooksWithManager } from '../../controllers/cronjob-webhook.ts';

/** The webhooks need a client, but the registration sends no request. */
const offline = { create: () => Promise.reject(new Error('there is no API server: webhooks are only declared')) };

export const CRON_JOB_WEBHOOKS = collectDeclarations((webhooks) =>
  setupWebhooksWithManager(webhooks, { client: offline, clock: new SystemClock() }),
);
