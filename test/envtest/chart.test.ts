/** The Helm chart installs what kustomize does, and a real API server takes all that its values can make of it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { run } from '../../hack/control-plane/run.ts';
import { renderManifests } from '../../hack/installer/manifests.ts';
import {
  kubectlOn,
  type Manifest,
  managerContainer,
  managerFlags,
  only,
  PROJECT,
  parseManifests,
  policyParameters,
  titles,
} from '../support/manifests.ts';
import '../support/provided.ts';

const CHART = join(PROJECT, 'charts/cronjob-operator');
const NAMESPACE = 'cronjob-operator-system';
/** Of helm and of kustomize, which differ: whose object it is. */
const LABELS_OF_TOOLS = [
  'app.kubernetes.io/instance',
  'app.kubernetes.io/managed-by',
  'app.kubernetes.io/name',
  'app.kubernetes.io/version',
  'helm.sh/chart',
];

const folder = mkdtempSync(join(tmpdir(), 'chart-'));
const kubectl = kubectlOn({ kubectl: inject('kubectl'), kubeconfig: inject('kubeconfig'), cacheFolder: folder });

interface Release {
  readonly name?: string;
  readonly namespace?: string;
  /** As for `--set-json`. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
}

/** Helm without anything of the user's. */
function helm(...args: readonly string[]): Promise<string> {
  const homes = { HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder };
  return run(inject('helm'), args, { env: { ...process.env, ...homes } });
}

function flagsFor(values: Release['values'] = {}): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => ['--set-json', `${key}=${JSON.stringify(value)}`]);
}

function template({ name = 'cronjob-operator', namespace = NAMESPACE, values }: Release = {}): Promise<string> {
  return helm('template', name, CHART, '--namespace', namespace, ...flagsFor(values));
}

async function chart(release: Release = {}): Promise<readonly Manifest[]> {
  return parseManifests(await template(release));
}

async function kustomized(...overlays: readonly string[]): Promise<readonly Manifest[]> {
  const render = (overlay: string) => renderManifests({ kubectl: inject('kubectl'), overlay: join(PROJECT, overlay) });
  return (await Promise.all(overlays.map(render))).flatMap(parseManifests);
}

/** By title, without the labels of the tools, and without what only one of them has by its nature. */
function comparable(manifests: readonly Manifest[]): Readonly<Record<string, unknown>> {
  const entries = manifests
    .filter(({ kind }) => kind !== 'Namespace') // helm's --create-namespace
    .map((manifest) => [titles([manifest])[0], withoutTools(inItsScope(manifest))] as const);
  expect(new Set(entries.map(([title]) => title)).size).toBe(entries.length);
  return Object.fromEntries(entries);
}

/** kustomize knows policies not yet, and gives them a namespace that the API server drops. */
function inItsScope(manifest: Manifest): Manifest {
  if (!manifest.kind.startsWith('ValidatingAdmissionPolicy')) return manifest;
  const { namespace: _, ...metadata } = manifest.metadata;
  return { ...manifest, metadata };
}

function withoutTools(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTools);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value)
    .filter(([key]) => !LABELS_OF_TOOLS.includes(key) && key !== 'helm.sh/resource-policy' && key !== 'imagePullPolicy')
    .map(([key, each]) => [key, withoutTools(each)] as const)
    .filter(([key, each]) => !(['labels', 'annotations'].includes(key) && Object.keys(each as object).length === 0));
  return Object.fromEntries(kept);
}

beforeAll(async () => {
  await kubectl('apply', '-f', join(PROJECT, 'test/support/foreign-crds'), '--recursive');
  for (const name of [NAMESPACE, 'ops', 'team-a', 'team-b']) {
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
    await kubectl('apply', '-f', file);
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the chart is the same as', () => {
  test.each([
    { overlays: ['config/default'], values: {} },
    { overlays: ['config/overlays/cert-manager'], values: { certificates: 'cert-manager' } },
    { overlays: ['config/default', 'config/prometheus'], values: { 'serviceMonitor.enabled': true } },
    { overlays: ['config/default', 'config/network-policy'], values: { 'networkPolicy.enabled': true } },
  ])('$overlays with $values', async ({ overlays, values }) => {
    expect(comparable(await chart({ values }))).toEqual(comparable(await kustomized(...overlays)));
  });

  test('config/overlays/namespaced with its namespace alone, but for how the manager learns of it', async () => {
    const values = { clusterScoped: false, namespaces: [NAMESPACE] };
    const [ours, theirs] = [await chart({ values }), await kustomized('config/overlays/namespaced')];
    expect(managerFlags(ours)).toEqual(managerFlags(theirs));
    const withoutArguments = (manifests: readonly Manifest[]) => {
      const copy = structuredClone(manifests);
      const container = managerContainer(copy);
      delete container.args;
      delete container.env;
      return comparable(copy);
    };
    expect(withoutArguments(ours)).toEqual(withoutArguments(theirs));
  });
});

const RELEASES: readonly (Release & { readonly title: string })[] = [
  { title: 'its defaults', values: {} },
  { title: 'a name and a namespace of its own', name: 'nightly', namespace: 'ops' },
  { title: 'a name as long as helm allows', name: 'n'.repeat(53), namespace: 'ops' },
  { title: 'no webhooks', values: { 'webhooks.enabled': false } },
  { title: 'no metrics', values: { 'metrics.enabled': false } },
  { title: 'metrics for everybody', values: { 'metrics.secure': false, 'serviceMonitor.enabled': true } },
  {
    title: 'nothing that can be left out',
    values: {
      'crds.enabled': false,
      'userRoles.enabled': false,
      'webhooks.enabled': false,
      'admissionPolicies.enabled': false,
      'metrics.enabled': false,
      'podDisruptionBudget.enabled': false,
      priorityClassName: 'system-cluster-critical',
    },
  },
  { title: 'two namespaces', name: 'teams', namespace: 'ops', values: { namespaces: ['team-a', 'team-b'] } },
  {
    title: 'nothing outside of two namespaces',
    namespace: 'ops',
    values: { namespaces: ['team-a', 'team-b'], clusterScoped: false },
  },
  {
    title: 'all that can be added',
    name: 'full',
    namespace: 'ops',
    values: {
      certificates: 'cert-manager',
      'serviceMonitor.enabled': true,
      'serviceMonitor.interval': '30s',
      'serviceMonitor.labels': { release: 'prometheus' },
      'networkPolicy.enabled': true,
      'dashboards.enabled': true,
      namespaces: ['team-a'],
      replicas: 3,
      image: { repository: 'registry.example:5000/operator', digest: `sha256:${'0'.repeat(64)}` },
      imagePullSecrets: [{ name: 'registry' }],
      extraArgs: ['--log-level=debug'],
      podAnnotations: { 'example.com/a': 'b' },
      podLabels: { 'example.com/a': 'b' },
      'serviceAccount.annotations': { 'example.com/a': 'b' },
      priorityClassName: 'system-cluster-critical',
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      tolerations: [{ operator: 'Exists' }],
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
      resources: { limits: { memory: '1Gi' } },
    },
  },
];

describe.each(RELEASES)('with $title', (release) => {
  test('the linter has nothing to say', async () => {
    const namespace = release.namespace ?? NAMESPACE;
    const said = await helm('lint', '--strict', CHART, '--namespace', namespace, ...flagsFor(release.values));
    expect(said).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  test('the API server takes every object, without a warning', async () => {
    const file = join(folder, 'release.yaml');
    writeFileSync(file, await template(release));
    const flags = [
      '--server-side',
      '--dry-run=server',
      '--force-conflicts',
      '--validate=strict',
      '--warnings-as-errors',
    ];
    const lines = (await kubectl('apply', ...flags, '-f', file)).trim().split('\n');
    expect(lines).toHaveLength((await chart(release)).length);
  });

  test('the manager takes its flags, and every role is bound to its account', async () => {
    const manifests = await chart(release);
    expect(managerFlags(manifests)).toMatchObject({ isLeaderElected: true });
    const account = only(manifests, 'ServiceAccount').metadata;
    const bindings = manifests.filter(({ kind }) => kind.endsWith('RoleBinding'));
    for (const { subjects, roleRef } of bindings) {
      expect(subjects).toEqual([{ kind: 'ServiceAccount', name: account.name, namespace: account.namespace }]);
      expect(titles(manifests)).toContain(`${roleRef.kind}/${roleRef.name}`);
    }
    expect(only(manifests, 'Deployment')['spec'].template.spec.serviceAccountName).toBe(account.name);
  });

  test('the manager makes its certificate for what is installed', async () => {
    const manifests = await chart(release);
    const flags = managerFlags(manifests);
    const configurations = manifests.filter(({ kind }) => kind.endsWith('WebhookConfiguration'));
    const isSelfMade = flags.webhookCertSecret !== undefined;
    const want = isSelfMade ? [flags.mutatingWebhookConfiguration, flags.validatingWebhookConfiguration] : [];
    const ownOnes = flags.webhookCertPath === undefined ? configurations : [];
    expect(ownOnes.map(({ metadata }) => metadata.name)).toEqual(want);
    const rules = manifests
      .filter(({ metadata }) => metadata.name.endsWith('webhook-certificates-cluster-role'))
      .flatMap((role) => role['rules']);
    expect(rules.flatMap(({ resourceNames }) => resourceNames)).toEqual(want);
    for (const { webhooks } of configurations) {
      const service = only(manifests, 'Service', 'webhook-service').metadata;
      expect(webhooks[0].clientConfig.service).toMatchObject({ name: service.name, namespace: service.namespace });
      if (isSelfMade) expect(service.name).toBe(flags.webhookService);
    }
  });
});

describe('the policies', () => {
  test('have the account that is installed for their parameter', async () => {
    const manifests = await chart({ name: 'nightly', namespace: 'ops' });
    const { name, namespace } = only(manifests, 'ServiceAccount').metadata;
    expect(policyParameters(manifests)).toEqual([{ name, namespace, parameterNotFoundAction: 'Allow' }]);
  });

  test('refuse Jobs in the namespaces that are given', async () => {
    const values = { 'admissionPolicies.refusedNamespaces': ['kube-system', 'vault'] };
    const { spec } = only(await chart({ values }), 'ValidatingAdmissionPolicy', 'manager-jobs');
    expect(spec.variables).toContainEqual({ name: 'refusedNamespaces', expression: '["kube-system","vault"]' });
  });
});

describe('namespaces', () => {
  const values = { namespaces: ['team-a', 'team-b'] };

  test('have a Role each, and the manager no right in others', async () => {
    const manifests = await chart({ values });
    const { rules } = only(await chart(), 'ClusterRole', 'manager-role');
    const roles = manifests.filter(({ metadata }) => metadata.name.endsWith('-manager-role'));
    expect(roles.map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([
      ['Role', 'team-a'],
      ['Role', 'team-b'],
    ]);
    for (const role of roles) expect(role['rules']).toEqual(rules);
    expect(managerFlags(manifests).namespaces).toEqual(['team-a', 'team-b']);
  });

  test('are the only ones whose CronJobs the webhooks see', async () => {
    const selector = {
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: values.namespaces }],
    };
    const configurations = (await chart({ values })).filter(({ kind }) => kind.endsWith('WebhookConfiguration'));
    expect(configurations.map(({ webhooks }) => webhooks[0].namespaceSelector)).toEqual([selector, selector]);
  });

  test('are all that is written to when nothing may be outside of them', async () => {
    const manifests = await chart({ values: { ...values, clusterScoped: false } });
    const namespaces = new Set(manifests.map(({ metadata }) => metadata.namespace));
    expect(namespaces).toEqual(new Set([NAMESPACE, ...values.namespaces]));
    const flags = managerFlags(manifests);
    expect(flags).toMatchObject({ webhookCertSecret: undefined, metricsBindAddress: { kind: 'off' } });
  });
});

test('the values that are given reach their places', async () => {
  const manifests = await chart(RELEASES.find(({ name }) => name === 'full'));
  const { spec } = only(manifests, 'Deployment');
  expect(spec.replicas).toBe(3);
  expect(spec.template.spec).toMatchObject({
    imagePullSecrets: [{ name: 'registry' }],
    priorityClassName: 'system-cluster-critical',
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [{ operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
  });
  expect(spec.template.metadata).toMatchObject({
    annotations: { 'example.com/a': 'b' },
    labels: { 'example.com/a': 'b' },
  });
  expect(managerContainer(manifests)).toMatchObject({
    image: `registry.example:5000/operator@sha256:${'0'.repeat(64)}`,
    resources: { limits: { memory: '1Gi' } },
  });
  expect(managerFlags(manifests).logLevel).toBe('debug');
  expect(only(manifests, 'ServiceAccount').metadata.annotations).toEqual({ 'example.com/a': 'b' });
  const monitor = only(manifests, 'ServiceMonitor');
  expect(monitor.metadata.labels).toMatchObject({ release: 'prometheus' });
  const host = `${only(manifests, 'Service', 'metrics-service').metadata.name}.ops.svc`;
  const { secretName } = only(manifests, 'Certificate', 'metrics-certs')['spec'];
  expect(monitor['spec'].endpoints[0]).toMatchObject({
    interval: '30s',
    tlsConfig: { serverName: host, ca: { secret: { name: secretName, key: 'ca.crt' } } },
  });
  expect(only(manifests, 'Certificate', 'metrics-certs')['spec'].dnsNames).toContain(host);
});

test('the dashboard comes as Grafana reads it', async () => {
  const { data, metadata } = only(await chart({ values: { 'dashboards.enabled': true } }), 'ConfigMap');
  const file = join(CHART, 'files/dashboards/cronjobs.json');
  expect(JSON.parse(data['cronjobs.json'])).toEqual(JSON.parse(readFileSync(file, 'utf8')));
  expect(metadata.labels).toMatchObject({ grafana_dashboard: '1' });
});

test('helm uninstall leaves the CRD unless it is told not to', async () => {
  const policy = async (values: Release['values']) =>
    only(await chart({ values }), 'CustomResourceDefinition').metadata.annotations?.['helm.sh/resource-policy'];
  expect([await policy({}), await policy({ 'crds.keep': false })]).toEqual(['keep', undefined]);
});

test('what is switched off is not there', async () => {
  const release = RELEASES.find(({ title }) => title === 'nothing that can be left out');
  expect(titles(await chart(release)).toSorted()).toEqual([
    'ClusterRole/cronjob-operator-manager-role',
    'ClusterRoleBinding/cronjob-operator-manager-rolebinding',
    'Deployment/cronjob-operator-controller-manager',
    'Role/cronjob-operator-leader-election-role',
    'RoleBinding/cronjob-operator-leader-election-rolebinding',
    'ServiceAccount/cronjob-operator-controller-manager',
  ]);
});

test('metrics for everybody ask for no right, and for no certificate', async () => {
  const values = { 'metrics.secure': false, 'serviceMonitor.enabled': true, certificates: 'cert-manager' };
  const manifests = await chart({ values });
  expect(titles(manifests).filter((title) => /Role.*metrics|Certificate.*metrics/.test(title))).toEqual([]);
  expect(managerFlags(manifests)).toMatchObject({ isMetricsSecure: false, metricsCertPath: undefined });
  const [endpoint] = only(manifests, 'ServiceMonitor')['spec'].endpoints;
  expect(endpoint).toEqual({ path: '/metrics', port: 'http', scheme: 'http', honorLabels: true });
  expect(only(manifests, 'Service', 'metrics-service')['spec'].ports[0].name).toBe('http');
});

describe('helm refuses', () => {
  test.each([
    ['a value that there is not', { replica: 3 }, "additional properties 'replica' not allowed"],
    ['a source of certificates that there is not', { certificates: 'mine' }, '/certificates'],
    ['a namespace that cannot be one', { namespaces: ['Team A'] }, '/namespaces/0'],
    ['to work where its policies refuse it', { namespaces: [NAMESPACE] }, `namespaces has ${NAMESPACE}`],
    ['to install nowhere', { clusterScoped: false }, 'name the namespaces to work in'],
  ])('%s', async (_, values, message) => {
    await expect(template({ values })).rejects.toThrow(message);
  });
});
