/** The Helm chart installs the same objects as kustomize. Also tests the effect of its values, and values that helm refuses. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { findOnly, listTitles, type Manifest, managerContainer, managerFlags, PROJECT } from '../support/manifests.ts';
import { CHART, type ChartRelease, createFlags, helm, RELEASES, renderChart, renderText } from './support/chart.ts';
import { NAMESPACE, renderAndParse } from './support/installation.ts';

/** Labels that helm and kustomize set differently: they name the owner of an object. */
const TOOL_LABELS = [
  'app.kubernetes.io/instance',
  'app.kubernetes.io/managed-by',
  'app.kubernetes.io/name',
  'app.kubernetes.io/version',
  'helm.sh/chart',
];

async function renderKustomize(...overlays: readonly string[]): Promise<readonly Manifest[]> {
  return (await Promise.all(overlays.map(renderAndParse))).flat();
}

/** Objects by title, without the labels of the tools, and without objects that only one of the tools has by its nature. */
function toComparable(manifests: readonly Manifest[]): Readonly<Record<string, unknown>> {
  const entries = manifests
    .filter(({ kind }) => kind !== 'Namespace') // helm's --create-namespace
    .map((manifest) => [listTitles([manifest])[0], stripToolLabels(dropNamespaceOfClusterScoped(manifest))] as const);
  expect(new Set(entries.map(([title]) => title)).size).toBe(entries.length);
  return Object.fromEntries(entries);
}

/** kustomize does not know admission policies yet, and gives them a namespace that the API server drops. */
function dropNamespaceOfClusterScoped(manifest: Manifest): Manifest {
  if (!manifest.kind.startsWith('ValidatingAdmissionPolicy')) return manifest;
  const { namespace: _, ...metadata } = manifest.metadata;
  return { ...manifest, metadata };
}

function stripToolLabels(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripToolLabels);
  if (typeof value !== 'object' || value === null) return value;
  const rest = Object.entries(value)
    .filter(([key]) => !TOOL_LABELS.includes(key) && key !== 'helm.sh/resource-policy' && key !== 'imagePullPolicy')
    .map(([key, each]) => [key, stripToolLabels(each)] as const)
    .filter(([key, each]) => !(['labels', 'annotations'].includes(key) && Object.keys(each as object).length === 0));
  return Object.fromEntries(rest);
}

describe('the chart is the same as', () => {
  test.each([
    { overlays: ['config/default'], values: {} },
    { overlays: ['config/overlays/v2'], values: { 'crds.v2': true } },
    { overlays: ['config/overlays/cert-manager'], values: { certificates: 'cert-manager' } },
    {
      overlays: ['config/default', 'config/prometheus'],
      values: { 'serviceMonitor.enabled': true, 'prometheusRule.enabled': true },
    },
    { overlays: ['config/default', 'config/network-policy'], values: { 'networkPolicy.enabled': true } },
  ])('$overlays with $values', async ({ overlays, values }) => {
    expect(toComparable(await renderChart({ values }))).toEqual(toComparable(await renderKustomize(...overlays)));
  });

  test('config/overlays/namespaced with only its namespace, except how the manager gets it', async () => {
    const values = { clusterScoped: false, namespaces: [NAMESPACE] };
    const [chart, kustomize] = [await renderChart({ values }), await renderKustomize('config/overlays/namespaced')];
    expect(managerFlags(chart)).toEqual(managerFlags(kustomize));
    const withoutArguments = (manifests: readonly Manifest[]) => {
      const copy = structuredClone(manifests);
      const container = managerContainer(copy);
      delete container.args;
      delete container.env;
      return toComparable(copy);
    };
    expect(withoutArguments(chart)).toEqual(withoutArguments(kustomize));
  });
});

test.each(RELEASES)('helm lint finds no problem with $title', async ({ namespace = NAMESPACE, values }) => {
  const output = await helm('lint', '--strict', CHART, '--namespace', namespace, ...createFlags(values));
  expect(output).toContain('1 chart(s) linted, 0 chart(s) failed');
});

test('the policies refuse Jobs in the given namespaces', async () => {
  const values = { 'admissionPolicies.refusedNamespaces': ['kube-system', 'vault'] };
  const { spec } = findOnly(await renderChart({ values }), 'ValidatingAdmissionPolicy', 'manager-jobs');
  expect(spec.variables).toContainEqual({ name: 'refusedNamespaces', expression: '["kube-system","vault"]' });
});

describe('namespaces', () => {
  const values = { namespaces: ['team-a', 'team-b'] };

  test('have a Role each, and the manager has no permission in others', async () => {
    const manifests = await renderChart({ values });
    const { rules } = findOnly(await renderChart(), 'ClusterRole', 'manager-role');
    const roles = manifests.filter(({ metadata }) => metadata.name.endsWith('-manager-role'));
    expect(roles.map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([
      ['Role', 'team-a'],
      ['Role', 'team-b'],
    ]);
    for (const role of roles) expect(role['rules']).toEqual(rules);
    expect(managerFlags(manifests).namespaces).toEqual(['team-a', 'team-b']);
  });

  test('limit the webhooks to their CronJobs', async () => {
    const selector = {
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: values.namespaces }],
    };
    const configurations = (await renderChart({ values })).filter(({ kind }) => kind.endsWith('WebhookConfiguration'));
    expect(configurations.map(({ webhooks }) => webhooks[0].namespaceSelector)).toEqual([selector, selector]);
  });

  test('contain every object when clusterResources is off', async () => {
    const manifests = await renderChart({ values: { ...values, clusterScoped: false } });
    const namespaces = new Set(manifests.map(({ metadata }) => metadata.namespace));
    expect(namespaces).toEqual(new Set([NAMESPACE, ...values.namespaces]));
    const flags = managerFlags(manifests);
    expect(flags).toMatchObject({ webhookCertSecret: undefined, metricsBindAddress: { kind: 'off' } });
  });
});

test('the objects contain the given values', async () => {
  const manifests = await renderChart(RELEASES.find(({ name }) => name === 'full'));
  const { spec } = findOnly(manifests, 'Deployment');
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
  expect(findOnly(manifests, 'ServiceAccount').metadata.annotations).toEqual({ 'example.com/a': 'b' });
  const monitor = findOnly(manifests, 'ServiceMonitor');
  expect(monitor.metadata.labels).toMatchObject({ release: 'prometheus' });
  const host = `${findOnly(manifests, 'Service', 'metrics-service').metadata.name}.ops.svc`;
  const { secretName } = findOnly(manifests, 'Certificate', 'metrics-certs')['spec'];
  expect(monitor['spec'].endpoints[0]).toMatchObject({
    interval: '30s',
    tlsConfig: { serverName: host, ca: { secret: { name: secretName, key: 'ca.crt' } } },
  });
  expect(findOnly(manifests, 'Certificate', 'metrics-certs')['spec'].dnsNames).toContain(host);
});

test('a release for a share of the CronJobs has a separate lease, and permissions for no other', async () => {
  const manifests = await renderChart({ name: 'shard-a', values: { watchLabelSelector: 'shard in (a,b)' } });
  const lease = 'shard-a-cronjob-operator.cronjob-controller.batch.tutorial.kubebuilder.io';
  expect(managerFlags(manifests)).toMatchObject({ watchLabelSelector: 'shard in (a,b)', leaderElectionId: lease });
  const rules: readonly { readonly resourceNames?: readonly string[] }[] = findOnly(
    manifests,
    'Role',
    'leader-election-role',
  )['rules'];
  expect(rules.flatMap(({ resourceNames = [] }) => resourceNames)).toEqual([lease]);
});

describe('the alerts', () => {
  const rules = async (values: ChartRelease['values']) =>
    findOnly(await renderChart({ values: { 'prometheusRule.enabled': true, ...values } }), 'PrometheusRule');

  test('are installed as generated, with their Prometheus templates', async () => {
    const { spec, metadata } = await rules({ 'prometheusRule.labels': { release: 'prometheus' } });
    expect(spec).toEqual(parse(readFileSync(join(CHART, 'files/rules.yaml'), 'utf8')).spec);
    expect(metadata.labels).toMatchObject({ release: 'prometheus' });
  });

  test('have runbook URLs from the value', async () => {
    const { spec } = await rules({ 'prometheusRule.runbooks': 'https://example.com/runbooks/' });
    for (const { alert, annotations } of spec.groups[0].rules) {
      expect(annotations.runbook_url).toBe(`https://example.com/runbooks/${alert}.md`);
    }
  });

  test('are not installed without metrics', async () => {
    const manifests = await renderChart({ values: { 'prometheusRule.enabled': true, 'metrics.enabled': false } });
    expect(listTitles(manifests).filter((title) => title.startsWith('PrometheusRule'))).toEqual([]);
  });
});

describe('the dashboards', () => {
  const dashboards = async (values: ChartRelease['values'] = {}) =>
    findOnly(await renderChart({ values: { 'dashboards.enabled': true, ...values } }), 'ConfigMap');
  const folder = join(PROJECT, 'charts/cronjob-operator/files/dashboards');
  const files = readdirSync(folder);
  const readText = (file: string) => readFileSync(join(folder, file), 'utf8');

  test('are installed unchanged, with the label for the Grafana sidecar', async () => {
    const { data, metadata } = await dashboards();
    expect(Object.keys(data).toSorted()).toEqual(files.toSorted());
    for (const file of files) expect(data[file]).toBe(readText(file));
    expect(metadata.labels).toMatchObject({ grafana_dashboard: '1' });
  });

  test('link to the runbooks at the URL from the value', async () => {
    const { data } = await dashboards({ 'prometheusRule.runbooks': 'https://example.com/runbooks/' });
    for (const file of files) {
      const { templating } = JSON.parse(data[file]);
      const url = 'https://example.com/runbooks';
      const variable = { name: 'runbooks', query: url, current: { text: url, value: url } };
      expect(templating.list).toContainEqual(expect.objectContaining(variable));
    }
  });
});

test('helm uninstall keeps the CRDs by default', async () => {
  const policies = async (values: ChartRelease['values']) =>
    (await renderChart({ values }))
      .filter(({ kind }) => kind === 'CustomResourceDefinition')
      .map(({ metadata }) => metadata.annotations?.['helm.sh/resource-policy']);
  expect(await policies({})).toEqual(['keep', 'keep']);
  expect(await policies({ 'crds.keep': false })).toEqual([undefined, undefined]);
});

test('disabled parts are not installed', async () => {
  const release = RELEASES.find(({ title }) => title === 'nothing that can be left out');
  expect(listTitles(await renderChart(release)).toSorted()).toEqual([
    'ClusterRole/cronjob-operator-manager-role',
    'ClusterRoleBinding/cronjob-operator-manager-rolebinding',
    'Deployment/cronjob-operator-controller-manager',
    'Role/cronjob-operator-leader-election-role',
    'RoleBinding/cronjob-operator-leader-election-rolebinding',
    'ServiceAccount/cronjob-operator-controller-manager',
  ]);
});

test('public metrics need no permissions and no certificate', async () => {
  const values = { 'metrics.secure': false, 'serviceMonitor.enabled': true, certificates: 'cert-manager' };
  const manifests = await renderChart({ values });
  expect(listTitles(manifests).filter((title) => /Role.*metrics|Certificate.*metrics/.test(title))).toEqual([]);
  expect(managerFlags(manifests)).toMatchObject({ isMetricsSecure: false, metricsCertPath: undefined });
  const [endpoint] = findOnly(manifests, 'ServiceMonitor')['spec'].endpoints;
  expect(endpoint).toEqual({ path: '/metrics', port: 'http', scheme: 'http', honorLabels: true });
  expect(findOnly(manifests, 'Service', 'metrics-service')['spec'].ports[0].name).toBe('http');
});

describe('helm refuses', () => {
  test.each([
    ['an unknown value', { replica: 3 }, "additional properties 'replica' not allowed"],
    ['an unknown source of certificates', { certificates: 'mine' }, '/certificates'],
    ['an invalid namespace', { namespaces: ['Team A'] }, '/namespaces/0'],
    ['a namespace where its policies refuse Jobs', { namespaces: [NAMESPACE] }, `namespaces has ${NAMESPACE}`],
    [
      'v2 without the webhooks that convert it',
      { 'crds.v2': true, 'webhooks.enabled': false },
      'crds.v2 needs the webhooks',
    ],
    ['an empty list of namespaces', { clusterScoped: false }, 'name the namespaces to work in'],
  ])('%s', async (_, values, message) => {
    await expect(renderText({ values })).rejects.toThrow(message);
  });
});
