import type {
  AdmissionContext,
  AdmissionWebhooks,
  Change,
  Resource,
  ValidationResult,
  WebhookRegistrar,
} from 'controller-runtime';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { setupWebhooksWithManager } from '../../controllers/cronjob-webhook.ts';

type CreateWebhooksOptions = Parameters<typeof setupWebhooksWithManager>[1];

/** The webhooks of CronJobs as the manager registers them, to be called without a server. */
export function createWebhooks(options: CreateWebhooksOptions) {
  const registered: { readonly resource: Resource; readonly webhooks: AdmissionWebhooks<CronJob> }[] = [];
  // Not generic, because only CronJobs are registered, as the first test of cronjob-webhook.test.ts shows.
  const registrar = {
    for: (resource: Resource, webhooks: AdmissionWebhooks<CronJob>) => {
      registered.push({ resource, webhooks });
      return [];
    },
  } as unknown as WebhookRegistrar;
  setupWebhooksWithManager(registrar, options);
  const { webhooks } = registered[0]!;
  // A validator may return a partial verdict; this one returns complete ones.
  const validate = async (change: Change<CronJob>, context: AdmissionContext) =>
    (await webhooks.validate!(change, context)) as ValidationResult;
  return {
    resources: registered.map(({ resource }) => resource),
    webhooks,
    validateCreate: (object: CronJob, context: AdmissionContext) => validate({ operation: 'CREATE', object }, context),
    validateUpdate: (object: CronJob, old: CronJob, context: AdmissionContext) =>
      validate({ operation: 'UPDATE', object, old }, context),
  };
}
