/** The Helm chart installs the same objects as kustomize. Also tests the effect of its values, and values that helm refuses. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Manifest, managerContainer, managerFlags, only, PROJECT, titles } from '../support/manifests.ts';
import { CHART, chart, flagsFor, helm, RELEASES, type Release, template } from './support/chart.ts';
import { NAMESPACE, rendered } from './support/installation.ts';

/** Labels that helm and kustomize set differently: they name the owner of an object. */
const LABELS_OF_TOOLS = [
  'app.kubernetes.io/instance',
  'app.kubernetes.io/managed-by',
  'app.kubernetes.io/name',
  'app.kubernetes.io/version',
  'helm.sh/chart',
];

async function kustomized(...overlays: readonly string[]): Promise<readonly Manifest[]> {
  return (await Promise.all(overlays.map(rendered))).flat();
}

/** Objects by title, without the labels of the tools, and without objects that only one of the tools has by its nature. */
function comparable(manifests: readonly Manifest[]): Readonly<Record<string, unknown>> {
  const entries = manifests
    .filter(({ kind }) => kind !== 'Namespace') // helm's --create-namespace
    .map((manifest) => [titles([manifest])[0], withoutTools(inItsScope(manifest))] as const);
  expect(new Set(entries.map(([title]) => title)).size).toBe(entries.length);
  return Object.fromEntries(entries);
}

/** kustomize does not know admission policies yet, and gives them a namespace that the API server drops. */
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

describe('the chart is the same as', () => {
  test.each([
    { overlays: ['config/default'], values: {} },
    { overlays: ['config/overlays/cert-manager'], values: { certificates: 'cert-manager' } },
    {
      overlays: ['config/default', 'config/prometheus'],
      values: { 'serviceMonitor.enabled': true, 'prometheusRule.enabled': true },
    },
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

test.each(RELEASES)('the linter has nothing to say with $title', async ({ namespace = NAMESPACE, values }) => {
  const said = await helm('lint', '--strict', CHART, '--namespace', namespace, ...flagsFor(values));
  expect(said).toContain('1 chart(s) linted, 0 chart(s) failed');
});

test('the policies refuse Jobs in the namespaces that are given', async () => {
  const values = { 'admissionPolicies.refusedNamespaces': ['kube-system', 'vault'] };
  const { spec } = only(await chart({ values }), 'ValidatingAdmissionPolicy', 'manager-jobs');
  expect(spec.variables).toContainEqual({ name: 'refusedNamespaces', expression: '["kube-system","vault"]' });
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

test('a release for a share of the CronJobs has a lease of its own, and may use no other', async () => {
  const manifests = await chart({ name: 'shard-a', values: { watchLabelSelector: 'shard in (a,b)' } });
  const lease = 'shard-a-cronjob-operator.cronjob-controller.batch.tutorial.kubebuilder.io';
  expect(managerFlags(manifests)).toMatchObject({ watchLabelSelector: 'shard in (a,b)', leaderElectionId: lease });
  const rules: readonly { readonly resourceNames?: readonly string[] }[] = only(
    manifests,
    'Role',
    'leader-election-role',
  )['rules'];
  expect(rules.flatMap(({ resourceNames = [] }) => resourceNames)).toEqual([lease]);
});

describe('the alerts', () => {
  const rules = async (values: Release['values']) =>
    only(await chart({ values: { 'prometheusRule.enabled': true, ...values } }), 'PrometheusRule');

  test('come as they are generated, for Prometheus to expand their templates', async () => {
    const { spec, metadata } = await rules({ 'prometheusRule.labels': { release: 'prometheus' } });
    expect(spec).toEqual(parse(readFileSync(join(CHART, 'files/rules.yaml'), 'utf8')).spec);
    expect(metadata.labels).toMatchObject({ release: 'prometheus' });
  });

  test('name the pages where the value says that they are', async () => {
    const { spec } = await rules({ 'prometheusRule.runbooks': 'https://example.com/runbooks/' });
    for (const { alert, annotations } of spec.groups[0].rules) {
      expect(annotations.runbook_url).toBe(`https://example.com/runbooks/${alert}.md`);
    }
  });

  test('do not come without metrics, of which they would say for ever that there are none', async () => {
    const manifests = await chart({ values: { 'prometheusRule.enabled': true, 'metrics.enabled': false } });
    expect(titles(manifests).filter((title) => title.startsWith('PrometheusRule'))).toEqual([]);
  });
});

describe('the dashboards', () => {
  const dashboards = async (values: Release['values'] = {}) =>
    only(await chart({ values: { 'dashboards.enabled': true, ...values } }), 'ConfigMap');
  const folder = join(PROJECT, 'charts/cronjob-operator/files/dashboards');
  const files = readdirSync(folder);
  const textOf = (file: string) => readFileSync(join(folder, file), 'utf8');

  test('come as they are in their folder, for the sidecar of Grafana to find', async () => {
    const { data, metadata } = await dashboards();
    expect(Object.keys(data).toSorted()).toEqual(files.toSorted());
    for (const file of files) expect(data[file]).toBe(textOf(file));
    expect(metadata.labels).toMatchObject({ grafana_dashboard: '1' });
  });

  test('lead to the runbooks where the value says that they are', async () => {
    const { data } = await dashboards({ 'prometheusRule.runbooks': 'https://example.com/runbooks/' });
    for (const file of files) {
      const { templating } = JSON.parse(data[file]);
      const url = 'https://example.com/runbooks';
      const variable = { name: 'runbooks', query: url, current: { text: url, value: url } };
      expect(templating.list).toContainEqual(expect.objectContaining(variable));
    }
  });
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
