import { describe, expect, test } from 'vitest';
import { core } from '../kubernetes/core.ts';
import { subresources } from '../kubernetes/subresource.ts';
import { apps } from '../kubernetes/workloads.ts';
import { widgets } from '../test-support/objects.ts';
import { subresourceOf } from '../webhook/admission.ts';
import { NOT_BEING_DELETED_CONDITION, type WebhookDeclaration } from '../webhook/webhook-declaration.ts';
import { KUSTOMIZE_NAMES, webhookConfigurations } from './webhook-configuration.ts';

const declaration: WebhookDeclaration = {
  kind: 'mutating',
  name: 'mwidget-v1.kb.io',
  resource: widgets,
  operations: ['CREATE', 'UPDATE'],
  failurePolicy: 'Ignore',
  sideEffects: 'NoneOnDryRun',
  timeoutSeconds: 7,
  matchConditions: [NOT_BEING_DELETED_CONDITION],
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

  test('contain the selectors, and the policy of a mutating webhook', () => {
    const selectors = {
      namespaceSelector: { matchLabels: { team: 'a' } },
      objectSelector: {},
      matchPolicy: 'Exact',
      reinvocationPolicy: 'IfNeeded',
    } as const;
    const [configuration] = webhookConfigurations([{ ...declaration, ...selectors }]);
    expect(configuration?.webhooks).toMatchObject([selectors]);
  });

  test.each<[name: string, given: Partial<WebhookDeclaration>, namespaces: readonly string[] | undefined]>([
    ['for Pods', { resource: core.v1.pods }, ['kube-system', 'ops']],
    ['for evictions', { resource: subresourceOf(core.v1.pods, subresources.eviction) }, ['kube-system', 'ops']],
    ['for Pods that may fail', { resource: core.v1.pods, failurePolicy: 'Ignore' }, undefined],
    ['for cluster-scoped objects', { resource: core.v1.nodes }, undefined],
    ['for custom resources', {}, undefined],
  ])('protect kube-system and the own namespace from a webhook %s', (_, given, values) => {
    const names = { ...KUSTOMIZE_NAMES, service: { name: 'webhooks', namespace: 'ops' } };
    const [configuration] = webhookConfigurations([{ ...declaration, failurePolicy: 'Fail', ...given }], names);
    const matchExpressions = [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values }];
    expect(configuration?.webhooks[0]?.namespaceSelector).toEqual(values && { matchExpressions });
  });

  test('have the rules of the parent for a subresource', () => {
    const [configuration] = webhookConfigurations([
      { ...declaration, kind: 'validating', resource: subresourceOf(apps.v1.deployments, subresources.scale) },
    ]);
    expect(configuration?.webhooks).toMatchObject([
      {
        clientConfig: { service: { path: '/validate-autoscaling-v1-scale-deployment' } },
        rules: [{ apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments/scale'] }],
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
