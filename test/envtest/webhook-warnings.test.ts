/** The warnings of the webhook as kubectl prints them: on a real API server, which tells the webhook when the object was created. */
import { SystemClock } from 'controller-runtime';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { formatTime } from '../../api/time.ts';
import { TAKES_OVER_FROM_ANNOTATION } from '../../api/v1/groupversion.ts';
import { setupWebhooksWithManager } from '../../controllers/cronjob-webhook.ts';
import { type ClusterClient, connect } from '../support/cluster-client.ts';
import { WebhookScene } from './support/webhook-scene.ts';

const DAILY = '0 2 * * *';
const MINUTE_MS = 60_000;

let cluster: ClusterClient;
beforeAll(() => {
  cluster = connect(inject('kubeconfig'));
});
afterAll(() => cluster[Symbol.asyncDispose]());

/** The webhooks of the manager; resolves once the API server asks them. */
async function openWebhooks(): Promise<WebhookScene> {
  const { client } = cluster;
  const clock = new SystemClock();
  const webhooks = await WebhookScene.open((registrar) => setupWebhooksWithManager(registrar, { client, clock }));
  await webhooks.refusalOf('61 * * * *');
  return webhooks;
}

const minutesAgo = (minutes: number) => formatTime(new Date(Date.now() - minutes * MINUTE_MS));

test('name the field on create and when it changes, and are not repeated', async () => {
  await using webhooks = await openWebhooks();
  const annotations = { [TAKES_OVER_FROM_ANNOTATION]: minutesAgo(60) };
  const spec = { expectSuccessWithinSeconds: 3600, suspendUntil: minutesAgo(1) };
  const created = await webhooks.apply(DAILY, { spec, annotations });
  expect(created.code).toBe(0);
  expect(created.stderr.match(/^Warning: [^:]+/gm)?.toSorted()).toEqual([
    `Warning: metadata.annotations[${TAKES_OVER_FROM_ANNOTATION}]`,
    'Warning: spec.expectSuccessWithinSeconds',
    'Warning: spec.suspendUntil',
  ]);
  const other = await webhooks.apply(DAILY, { spec: { ...spec, successfulJobsHistoryLimit: 9 }, annotations });
  expect(other).toEqual({ code: 0, stderr: '' });
  const changed = await webhooks.apply(DAILY, { spec: { ...spec, expectSuccessWithinSeconds: 7200 }, annotations });
  expect(changed.stderr.trimEnd()).toMatch(
    /^Warning: spec\.expectSuccessWithinSeconds: 7200 is too short: .*; give more/,
  );
  expect(changed.stderr.trimEnd().split('\n')).toHaveLength(1);
});

test.each([
  [
    'a variable that is there twice',
    { env: [{ name: 'A' }, { name: 'A' }] },
    'batch/v1 uses the last one: keep [1] and remove the others',
  ],
  ['half a CPU without quotes', { resources: { limits: { cpu: 0.5 } } }, 'write "0.5" or 500m'],
  ['a number for a text', { env: [{ name: 'A', value: 8080 }] }, 'put it in quotes: "8080"'],
])('a refusal of %s says what to write', async (_, container, advice) => {
  await using webhooks = await openWebhooks();
  const containers = [{ name: 'c', image: 'i', ...container }];
  const jobTemplate = { spec: { template: { spec: { restartPolicy: 'Never', containers } } } };
  // The API server may ask the validating webhook before it knows of the other one.
  await webhooks.scene.eventually(async () => {
    const said = await webhooks.apply(DAILY, { spec: { jobTemplate } as object });
    expect(said).toEqual({ code: 1, stderr: expect.stringContaining(advice) });
  });
});
