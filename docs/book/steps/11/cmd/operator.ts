/** The parts of the operator. `create-controller-runtime api` adds the parts of a kind before each marker. */
import { type Manager, managerFlags, type WebhookRegistrar } from 'controller-runtime';
import { NAME } from '../api/name.ts';
import { CronJob } from '../api/v1/cron-job-types.ts';
import { addCronJobController } from '../controllers/cron-job-controller.ts';
import { addCronJobDefaults } from '../webhooks/cron-job-defaults.ts';
import { addCronJobValidation } from '../webhooks/cron-job-validation.ts';
// +scaffold:imports

/** The flags of the command line. */
export const FLAGS = managerFlags({ name: NAME });

/** The kinds with a CRD in this operator. */
export const KINDS = [
  CronJob,
  // +scaffold:kinds
];

export function addControllers(manager: Manager): void {
  addCronJobController(manager);
  // +scaffold:controllers
}

export function addWebhooks(webhooks: WebhookRegistrar): void {
  webhooks.convert(CronJob);
  addCronJobDefaults(webhooks);
  addCronJobValidation(webhooks);
  // +scaffold:webhooks
}
