/** The webhooks of CronJobs as the API server knows them. `make manifests` writes config/webhook/manifests.yaml from this. */
import { NOT_BEING_DELETED, type WebhookDeclaration } from '../runtime/webhook/declaration.ts';
import { cronJobs } from './resources.ts';

const COMMON = {
  resource: cronJobs,
  operations: ['CREATE', 'UPDATE'],
  // What the webhook would refuse fails later and less clearly. With no manager nothing runs anyway.
  failurePolicy: 'Fail',
  // The Job that the API server is asked to check is a dry run: it is never stored.
  sideEffects: 'None',
  timeoutSeconds: 10,
  matchConditions: [NOT_BEING_DELETED],
} as const satisfies Partial<WebhookDeclaration>;

export const CRON_JOB_WEBHOOKS: readonly WebhookDeclaration[] = [
  { ...COMMON, kind: 'mutating', name: 'mcronjob-v1.kb.io' },
  { ...COMMON, kind: 'validating', name: 'vcronjob-v1.kb.io' },
];
