import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { manifestFiles } from '../manifests/manifests.ts';
import { widgets } from '../test-support/objects.ts';
import type { WebhookDeclaration } from '../webhook/declaration.ts';
import type { OperatorManifests } from './operator-manifests.ts';

const shared = { resource: widgets, operations: ['CREATE'], failurePolicy: 'Fail', sideEffects: 'None' } as const;
const webhooks: readonly WebhookDeclaration[] = [
  { ...shared, kind: 'mutating', name: 'mwidget.example.com', timeoutSeconds: 10 },
  { ...shared, kind: 'validating', name: 'vwidget.example.com', timeoutSeconds: 10 },
];
const rules = [{ group: 'example.com', resources: ['widgets'], verbs: ['get'] }] as const;
const manager = { name: 'widget-operator', leaderElection: true, webhooks: { certificates: 'own' } } as const;

/** The documents in a file. */
function documents(manifests: OperatorManifests, path: string) {
  return parseAllDocuments(manifestFiles(manifests).get(path) ?? '').map((document) => document.toJS());
}

/** `kind name` of each role, and the names in its rules. */
function rolesOf(manifests: OperatorManifests) {
  return documents(manifests, 'config/rbac/role.yaml').map(({ kind, metadata, rules: all }) => ({
    role: `${kind} ${metadata.name}`,
    named: all.flatMap(({ resourceNames = [] }) => resourceNames),
    resources: all.flatMap(({ resources }: { resources: string[] }) => resources),
  }));
}

/** Each configuration's name, and the Service of its webhooks. */
function configurationsOf(manifests: OperatorManifests) {
  return documents(manifests, 'config/webhook/manifests.yaml').map(({ metadata, webhooks: all }) => {
    const { name, namespace } = all[0].clientConfig.service;
    return { name: metadata.name, service: `${namespace}/${name}` };
  });
}

describe('without kustomize', () => {
  test('the roles have the rules of the reconcilers and of the manager, and its name', () => {
    expect(rolesOf({ manager, rules, roles: [{ name: 'more', rules }] })).toEqual([
      {
        role: 'ClusterRole widget-operator',
        named: ['widget-operator-mutating-webhook-configuration', 'widget-operator-validating-webhook-configuration'],
        resources: ['widgets', 'events', 'mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
      },
      {
        role: 'Role widget-operator',
        named: ['widget-operator', 'widget-operator-webhook-certificate'],
        resources: ['leases', 'leases', 'secrets', 'secrets'],
      },
      { role: 'ClusterRole more', named: [], resources: ['widgets'] },
    ]);
    expect(rolesOf({ manager: { name: 'a' } })).toMatchObject([{ role: 'ClusterRole a' }]);
  });

  test('the webhook configurations have the names that the manager looks for', () => {
    expect(configurationsOf({ manager, webhooks })).toEqual([
      {
        name: 'widget-operator-mutating-webhook-configuration',
        service: 'widget-operator-system/widget-operator-webhook-service',
      },
      {
        name: 'widget-operator-validating-webhook-configuration',
        service: 'widget-operator-system/widget-operator-webhook-service',
      },
    ]);
  });

  test('the options of the manager can say other names', () => {
    const certificates = {
      namespace: 'n',
      service: 's',
      mutatingWebhookConfiguration: 'm',
      validatingWebhookConfiguration: null,
    };
    const other = { name: 'a', webhooks: { certificates } };
    expect(configurationsOf({ manager: other, webhooks })).toEqual([
      { name: 'm', service: 'n/s' },
      { name: 'a-validating-webhook-configuration', service: 'n/s' },
    ]);
    expect(configurationsOf({ manager: other, webhooks, namespace: 'given' })[0]).toMatchObject({ service: 'given/s' });
  });
});

test('with kustomize, prefixes and namespaces are left to it, in roles as in configurations', () => {
  expect(configurationsOf({ manager, webhooks, kustomize: true })).toEqual([
    { name: 'mutating-webhook-configuration', service: 'system/webhook-service' },
    { name: 'validating-webhook-configuration', service: 'system/webhook-service' },
  ]);
  expect(rolesOf({ manager, rules, kustomize: true })).toMatchObject([
    {
      role: 'ClusterRole manager-role',
      named: ['mutating-webhook-configuration', 'validating-webhook-configuration'],
    },
    // The manager makes these by itself: no kustomize gives them a prefix.
    { role: 'Role manager-role', named: ['widget-operator', 'widget-operator-webhook-certificate'] },
  ]);
});

test('without a manager there are the roles that are given, and names for kustomize', () => {
  expect(rolesOf({ roles: [{ name: 'a', rules }] })).toEqual([
    { role: 'ClusterRole a', named: [], resources: ['widgets'] },
  ]);
  expect(configurationsOf({ webhooks })[0]).toEqual({
    name: 'mutating-webhook-configuration',
    service: 'system/webhook-service',
  });
  expect(() => manifestFiles({ rules })).toThrow('rules: `manager` is missing');
});
