import { describe, expect, test } from 'vitest';
import { widgets } from '../test-support/objects.ts';
import { NOT_BEING_DELETED, type WebhookDeclaration } from '../webhook/declaration.ts';
import { webhookConfigurations } from './webhook-configuration.ts';

const declaration: WebhookDeclaration = {
  kind: 'mutating',
  name: 'mwidget-v1.kb.io',
  resource: widgets,
  operations: ['CREATE', 'UPDATE'],
  failurePolicy: 'Ignore',
  sideEffects: 'NoneOnDryRun',
  timeoutSeconds: 7,
  matchConditions: [NOT_BEING_DELETED],
};

describe('the configurations', () => {
  test('contain all fields of the declaration', () => {
    expect(webhookConfigurations([declaration])).toEqual([
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingWebhookConfiguration',
        metadata: { name: 'mutating-webhook-configuration' },
        webhooks: [
          {
            admissionReviewVersions: ['v1'],
            clientConfig: {
              service: { name: 'webhook-service', namespace: 'system', path: '/mutate-example-com-v1-widget' },
            },
            failurePolicy: 'Ignore',
            matchConditions: [{ name: 'not-being-deleted', expression: '!has(object.metadata.deletionTimestamp)' }],
            name: 'mwidget-v1.kb.io',
            rules: [
              {
                apiGroups: ['example.com'],
                apiVersions: ['v1'],
                operations: ['CREATE', 'UPDATE'],
                resources: ['widgets'],
              },
            ],
            sideEffects: 'NoneOnDryRun',
            timeoutSeconds: 7,
          },
        ],
      },
    ]);
  });

  test('have no matchConditions if the declaration has none', () => {
    const { matchConditions: _, ...unconditional } = declaration;
    const [{ webhooks } = { webhooks: [] }] = webhookConfigurations([unconditional]);
    expect(webhooks.map((webhook) => 'matchConditions' in webhook)).toEqual([false]);
  });

  test('are one per type of webhook', () => {
    const validating = [
      { ...declaration, kind: 'validating', name: 'a' },
      { ...declaration, kind: 'validating', name: 'b' },
    ] as const;
    const found = webhookConfigurations([validating[0], declaration, validating[1]]);
    expect(found.map(({ kind, webhooks }) => [kind, webhooks.map(({ name }) => name)])).toEqual([
      ['MutatingWebhookConfiguration', ['mwidget-v1.kb.io']],
      ['ValidatingWebhookConfiguration', ['a', 'b']],
    ]);
  });
});
