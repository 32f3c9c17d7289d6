import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { widgets } from '../test-support/objects.ts';
import { Website } from '../test-support/websites.ts';
import type { WebhookDeclaration } from '../webhook/webhook-declaration.ts';
import { manifestFiles } from './manifests.ts';
import type { OperatorManifests } from './operator-manifests.ts';

const webhook: WebhookDeclaration = {
  resource: widgets,
  operations: ['CREATE'],
  failurePolicy: 'Fail',
  sideEffects: 'None',
  kind: 'mutating',
  name: 'mwidget.example.com',
  timeoutSeconds: 10,
};
const NAMESPACE = 'widget-operator-system';
const OPERATOR = {
  manager: { name: 'widget-operator', leaderElection: true, webhooks: { certificates: 'own' } },
  webhooks: [webhook],
  roles: [{ name: 'widget-viewer', rules: [] }],
  deployment: { image: 'widget-operator:1', args: ['--leader-elect'] },
} as const satisfies OperatorManifests;

function documents(manifests: OperatorManifests, path: string) {
  return parseAllDocuments(manifestFiles(manifests).get(path) ?? '').map((document) => document.toJS());
}

function getDeployment(manifests: OperatorManifests) {
  return documents(manifests, 'config/manager/manager.yaml').find(({ kind }) => kind === 'Deployment').spec;
}

test('the kustomization lists all files and the namespace', () => {
  expect(documents(OPERATOR, 'config/kustomization.yaml')).toEqual([
    {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      namespace: NAMESPACE,
      resources: [
        'rbac/role.yaml',
        'webhook/manifests.yaml',
        'rbac/service_account.yaml',
        'rbac/role_binding.yaml',
        'webhook/service.yaml',
        'manager/manager.yaml',
      ],
    },
  ]);
});

test('the ServiceAccount has the roles of the manager, and no others', () => {
  expect(documents(OPERATOR, 'config/rbac/service_account.yaml')).toMatchObject([
    { kind: 'ServiceAccount', metadata: { name: 'widget-operator', namespace: NAMESPACE } },
  ]);
  const subjects = [{ kind: 'ServiceAccount', name: 'widget-operator', namespace: NAMESPACE }];
  expect(documents(OPERATOR, 'config/rbac/role_binding.yaml')).toMatchObject([
    { kind: 'ClusterRoleBinding', roleRef: { kind: 'ClusterRole', name: 'widget-operator' }, subjects },
    {
      kind: 'RoleBinding',
      metadata: { namespace: NAMESPACE },
      roleRef: { kind: 'Role', name: 'widget-operator' },
      subjects,
    },
  ]);
});

test('the Role is in the namespace of the manager, ClusterRoles are not namespaced', () => {
  const placed = documents(OPERATOR, 'config/rbac/role.yaml').map(({ kind, metadata }) => [kind, metadata.namespace]);
  expect(placed).toEqual([
    ['ClusterRole', undefined],
    ['Role', NAMESPACE],
    ['ClusterRole', undefined],
  ]);
});

test('the Service of the webhooks selects the Pods of the Deployment', () => {
  const [service] = documents(OPERATOR, 'config/webhook/service.yaml');
  const { template } = getDeployment(OPERATOR);
  expect(service.metadata).toEqual({ name: 'widget-operator-webhook-service', namespace: NAMESPACE });
  expect(template.metadata.labels).toEqual(service.spec.selector);
  expect(service.spec.ports).toEqual([{ name: 'webhooks', port: 443, targetPort: 'webhooks' }]);
  expect(template.spec.containers[0].ports).toContainEqual({ name: 'webhooks', containerPort: 9443 });
});

describe('the Deployment', () => {
  test('meets the restricted profile of Pod security, in a namespace that enforces it', () => {
    const [namespace] = documents(OPERATOR, 'config/manager/manager.yaml');
    expect(namespace).toMatchObject({
      kind: 'Namespace',
      metadata: { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });
    const { spec } = getDeployment(OPERATOR).template;
    expect(spec).toMatchObject({
      serviceAccountName: 'widget-operator',
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(spec.containers[0]).toMatchObject({
      image: 'widget-operator:1',
      args: ['--leader-elect'],
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
    });
  });

  test('has two replicas with leader election, else one with the strategy Recreate', () => {
    expect(getDeployment(OPERATOR)).toMatchObject({ replicas: 2 });
    const alone = { manager: { name: 'a' }, deployment: { image: 'a' } };
    expect(getDeployment(alone)).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    expect(getDeployment({ ...OPERATOR, deployment: { image: 'a', replicas: 3 } })).toMatchObject({ replicas: 3 });
  });

  test('has additional fields of the Pod and the container, which replace generated fields', () => {
    const container = {
      env: [{ name: 'DOMAIN', value: 'example.com' }],
      volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
    };
    const pod = { volumes: [{ name: 'tmp', emptyDir: {} }], terminationGracePeriodSeconds: 5 };
    const { spec } = getDeployment({ ...OPERATOR, deployment: { image: 'a', container, pod } }).template;
    expect(spec).toMatchObject({ ...pod, serviceAccountName: 'widget-operator' });
    expect(spec.containers).toMatchObject([{ ...container, name: 'manager', image: 'a' }]);
  });

  test('with several replicas, spreads over nodes and survives the drain of a node', () => {
    const labelSelector = { matchLabels: { 'app.kubernetes.io/name': 'widget-operator' } };
    const { topologySpreadConstraints } = getDeployment(OPERATOR).template.spec;
    expect(topologySpreadConstraints).toMatchObject([{ topologyKey: 'kubernetes.io/hostname', labelSelector }]);
    const findBudget = (deployment: OperatorManifests['deployment'] & object) =>
      documents({ ...OPERATOR, deployment }, 'config/manager/manager.yaml').find(
        ({ kind }) => kind === 'PodDisruptionBudget',
      );
    expect(findBudget(OPERATOR.deployment)?.spec).toMatchObject({ maxUnavailable: 1, selector: labelSelector });
    expect(findBudget({ image: 'a', replicas: 1 })).toBeUndefined();
    expect(findBudget({ image: 'a', podDisruptionBudget: false })).toBeUndefined();
  });

  test('has a grace period for the longest shutdown', () => {
    const getGracePeriod = (manager: OperatorManifests['manager'] & object) =>
      getDeployment({ ...OPERATOR, manager }).template.spec.terminationGracePeriodSeconds;
    expect(getGracePeriod(OPERATOR.manager)).toBe(60);
    expect(getGracePeriod({ ...OPERATOR.manager, gracefulShutdownTimeoutMs: 120_000 })).toBe(150);
  });

  test('has probes if the manager serves them', () => {
    const getContainer = (bindAddress: string) =>
      getDeployment({ ...OPERATOR, manager: { name: 'a', healthProbes: { bindAddress } } }).template.spec.containers[0];
    expect(getContainer(':9000')).toMatchObject({
      ports: [{ name: 'health', containerPort: 9000 }],
      livenessProbe: { httpGet: { path: '/healthz', port: 'health' } },
      readinessProbe: { httpGet: { path: '/readyz', port: 'health' } },
    });
    expect(getContainer('0')).not.toHaveProperty('livenessProbe');
  });
});

test('writes no Deployment and no kustomization without a deployment', () => {
  const { deployment: _, ...others } = OPERATOR;
  const files = [...manifestFiles(others).keys()];
  expect(files).toContain('config/rbac/service_account.yaml');
  expect(files.filter((path) => /manager\.yaml|kustomization/.test(path))).toEqual([]);
});

test('with kustomize, writes only roles and webhook configurations', () => {
  const { deployment, ...others } = OPERATOR;
  const files = [...manifestFiles({ ...others, kustomize: true }).keys()];
  expect(files).toEqual(['config/rbac/role.yaml', 'config/webhook/manifests.yaml']);
  expect(() => manifestFiles({ ...others, deployment, kustomize: true })).toThrow(
    'deployment: cannot be combined with `kustomize`',
  );
  expect(() => manifestFiles({ deployment })).toThrow('deployment: set `manager` too');
});

test('an operator without webhooks has no Service', () => {
  const { webhooks: _, ...manager } = OPERATOR.manager;
  expect([...manifestFiles({ ...OPERATOR, manager, webhooks: [] }).keys()]).not.toContain(
    'config/webhook/service.yaml',
  );
});

const webhooks: readonly WebhookDeclaration[] = [
  webhook,
  { ...webhook, kind: 'validating', name: 'vwidget.example.com' },
];
const rules = [{ group: 'example.com', resources: ['widgets'], verbs: ['get'] }] as const;
const { manager } = OPERATOR;

/** `kind name` of each role, and the names in its rules. */
function getRoles(manifests: OperatorManifests) {
  return documents(manifests, 'config/rbac/role.yaml').map(({ kind, metadata, rules: all }) => ({
    role: `${kind} ${metadata.name}`,
    named: all.flatMap(({ resourceNames = [] }) => resourceNames),
    resources: all.flatMap(({ resources }: { resources: string[] }) => resources),
  }));
}

/** Each configuration's name, and the Service of its webhooks. */
function getConfigurations(manifests: OperatorManifests) {
  return documents(manifests, 'config/webhook/manifests.yaml').map(({ metadata, webhooks: all }) => {
    const { name, namespace } = all[0].clientConfig.service;
    return { name: metadata.name, service: `${namespace}/${name}` };
  });
}

describe('without kustomize', () => {
  test('the roles have the rules of the reconcilers and of the manager, and its name', () => {
    expect(getRoles({ manager, rules, roles: [{ name: 'more', rules }] })).toEqual([
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
    expect(getRoles({ manager: { name: 'a' } })).toMatchObject([{ role: 'ClusterRole a' }]);
  });

  test('the webhook configurations have the names that the manager expects', () => {
    expect(getConfigurations({ manager, webhooks })).toEqual([
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

  test('the options of the manager can set other names', () => {
    const certificates = {
      namespace: 'n',
      service: 's',
      mutatingWebhookConfiguration: 'm',
      validatingWebhookConfiguration: null,
    };
    const other = { name: 'a', webhooks: { certificates } };
    expect(getConfigurations({ manager: other, webhooks })).toEqual([
      { name: 'm', service: 'n/s' },
      { name: 'a-validating-webhook-configuration', service: 'n/s' },
    ]);
    expect(getConfigurations({ manager: other, webhooks, namespace: 'given' })[0]).toMatchObject({
      service: 'given/s',
    });
  });
});

test('with kustomize, roles and configurations have no prefix and no namespace', () => {
  expect(getConfigurations({ manager, webhooks, kustomize: true })).toEqual([
    { name: 'mutating-webhook-configuration', service: 'system/webhook-service' },
    { name: 'validating-webhook-configuration', service: 'system/webhook-service' },
  ]);
  expect(getRoles({ manager, rules, kustomize: true })).toMatchObject([
    {
      role: 'ClusterRole manager-role',
      named: ['mutating-webhook-configuration', 'validating-webhook-configuration'],
    },
    // The manager creates these itself, so kustomize does not prefix them.
    { role: 'Role manager-role', named: ['widget-operator', 'widget-operator-webhook-certificate'] },
  ]);
});

test('without a manager, writes the given roles and names for kustomize', () => {
  expect(getRoles({ roles: [{ name: 'a', rules }] })).toEqual([
    { role: 'ClusterRole a', named: [], resources: ['widgets'] },
  ]);
  expect(getConfigurations({ webhooks })[0]).toEqual({
    name: 'mutating-webhook-configuration',
    service: 'system/webhook-service',
  });
  expect(() => manifestFiles({ rules })).toThrow('rules: set `manager` too');
});

describe('a kind with several versions', () => {
  test('is converted by the Service, whose manager may set the caBundle of this CRD only', () => {
    const manifests = { ...OPERATOR, kinds: [Website] };
    const [crd] = documents(manifests, 'config/crd/bases/example.com_websites.yaml');
    expect(crd.spec.conversion.webhook.clientConfig).toEqual({
      service: { name: 'widget-operator-webhook-service', namespace: NAMESPACE, path: '/convert' },
    });
    const [role] = documents(manifests, 'config/rbac/role.yaml');
    expect(role.rules).toContainEqual({
      apiGroups: ['apiextensions.k8s.io'],
      resources: ['customresourcedefinitions'],
      resourceNames: ['websites.example.com'],
      verbs: ['get', 'list', 'watch', 'patch'],
    });
  });

  test('needs no permissions with certificates of another program', () => {
    const webhooks = { certificates: { folder: '/certs' } };
    const role = manifestFiles({ manager: { name: 'a', webhooks }, kinds: [Website] }).get('config/rbac/role.yaml');
    expect(role).not.toContain('customresourcedefinitions');
  });

  test('uses the URL of a manager on your machine', () => {
    const files = manifestFiles({ kinds: [Website] }, { webhookUrl: 'https://127.0.0.1:9443' });
    expect(files.get('config/crd/bases/example.com_websites.yaml')).toContain('url: https://127.0.0.1:9443/convert');
  });

  test.each([undefined, { off: 'not used' }])('is refused for a manager with webhooks %j', (webhooks) => {
    const manager = { name: 'a', ...(webhooks && { webhooks }) };
    expect(() => manifestFiles({ manager, kinds: [Website] })).toThrow(
      'kinds: Website has several versions, which a webhook converts; set `webhooks` of `manager` too',
    );
  });
});
