import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { setupWebhooksWithManager } from '../../controllers/cronjob-webhook.ts';
import type { Resource } from '../../runtime/client/object.ts';
import type { Defaulter, Validator, WebhookRegistrar } from '../../runtime/webhook/admission.ts';

type Options = Parameters<typeof setupWebhooksWithManager>[1];

interface Registered<W> {
  readonly resource: Resource;
  readonly webhook: W;
}

/** The webhooks of CronJobs as the manager gets them, to be called without a server between. */
export function registeredWebhooks(options: Options) {
  const defaulters: Registered<Defaulter<CronJob>>[] = [];
  const validators: Registered<Validator<CronJob>>[] = [];
  // Not generic: only CronJobs are registered, as the first test of cronjob-webhook.test.ts shows.
  const registrar = {
    defaulter: (resource: Resource, webhook: Defaulter<CronJob>) => void defaulters.push({ resource, webhook }),
    validator: (resource: Resource, webhook: Validator<CronJob>) => void validators.push({ resource, webhook }),
  } as WebhookRegistrar;
  setupWebhooksWithManager(registrar, options);
  return { defaulters, validators, defaulter: defaulters[0]!.webhook, validator: validators[0]!.webhook };
}
