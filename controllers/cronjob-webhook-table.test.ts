import { expect, test } from 'vitest';
import { LiveClient } from '../runtime/client/live-client.ts';
import { FakeClock } from '../runtime/clock/fake-clock.ts';
import { mutatePath, validatePath, type WebhookRegistrar } from '../runtime/webhook/admission.ts';
import { pathOfWebhook } from '../runtime/webhook/declaration.ts';
import { RecordingTransport } from '../test/support/recording-transport.ts';
import { setupWebhooksWithManager } from './cronjob-webhook.ts';
import { CRON_JOB_WEBHOOKS } from './cronjob-webhook-table.ts';

test('the API server is told of exactly the webhooks that are served', () => {
  const served: string[] = [];
  const registrar: WebhookRegistrar = {
    defaulter: (resource) => void served.push(mutatePath(resource)),
    validator: (resource) => void served.push(validatePath(resource)),
  };
  setupWebhooksWithManager(registrar, { client: new LiveClient(new RecordingTransport()), clock: new FakeClock() });
  expect(CRON_JOB_WEBHOOKS.map(pathOfWebhook).sort()).toEqual(served.sort());
});
