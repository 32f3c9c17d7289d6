/** The Helm chart of `controller-runtime generate` installs the same objects as its kustomization. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apps, defineKind, type Manager } from 'controller-runtime';
import { manifestFiles, type OperatorManifests, writeGeneratedFiles } from 'controller-runtime/manifests';
import { expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { connect } from '../support/cluster-client.ts';
import { findOnly, type Manifest, managerContainer, parseManifests } from '../support/manifests.ts';
import { createNamespace } from '../support/namespace.ts';
import { createTemporaryFolderForFile } from '../support/temporary-folder.ts';
import { createFlags, helm } from './support/chart.ts';

const Website = defineKind({
  group: 'chart.example.com',
  version: 'v1',
  kind: 'Website',
  spec: z.object({ image: z.string().describe('Not a template: {{ .Values.image }}') }),
})
  .withVersion({ version: 'v1alpha1', spec: z.object({ picture: z.string() }) })
  .withConversion({
    toHub: ({ spec: { picture } }) => ({ spec: { image: picture } }),
    fromHub: ({ spec: { image } }) => ({ spec: { picture: image } }),
  });

const setUp = (manager: Manager) => {
  manager.webhooks.convert(Website);
  manager.webhooks.for(Website, { validate: () => [] });
};
const manifests: OperatorManifests = {
  kinds: [Website],
  setUp,
  manager: {
    name: 'site-operator',
    leaderElection: true,
    webhooks: { certificates: 'own' },
    metrics: { bindAddress: ':8443' },
  },
  serviceMonitor: { labels: { release: 'prometheus' } },
  roles: [{ name: 'site-viewer', rules: [{ group: 'chart.example.com', resources: ['websites'], verbs: ['get'] }] }],
  deployment: {
    image: 'registry.example.com:5000/site-operator:1.2.0',
    args: ['--leader-elect'],
    container: { env: [{ name: 'TEMPLATE', value: '{{ .Release.Name }}' }], imagePullPolicy: 'IfNotPresent' },
    pod: { nodeSelector: { disk: 'ssd' } },
  },
  chart: { version: '1.2.0' },
};
const FOLDER = createTemporaryFolderForFile();
const files = manifestFiles(manifests);
writeGeneratedFiles(files, { folder: FOLDER, generator: 'the test', isCheck: false });

const NAMESPACE = 'site-operator-system';
const CHART = join(FOLDER, 'charts/site-operator');

async function render(namespace: string, values: Readonly<Record<string, unknown>> = {}): Promise<readonly Manifest[]> {
  return parseManifests(await helm('template', 'sites', CHART, '--namespace', namespace, ...createFlags(values)));
}

function sort(all: readonly Manifest[]): readonly Manifest[] {
  return all.toSorted((a, b) => (`${a.kind} ${a.metadata.name}` < `${b.kind} ${b.metadata.name}` ? -1 : 1));
}

/** The objects of config/, without the Namespace, which helm creates. */
const { resources } = parse(readFileSync(join(FOLDER, 'config/kustomization.yaml'), 'utf8')) as {
  readonly resources: readonly string[];
};
const configured = resources
  .flatMap((path) => parseManifests(readFileSync(join(FOLDER, 'config', path), 'utf8')))
  .filter(({ kind }) => kind !== 'Namespace');

test('installs the objects of the kustomization', async () => {
  const rendered = await render(NAMESPACE, { 'crds.keep': false });
  const expected = sort(configured);
  expect(expected.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['CustomResourceDefinition', 'Service', 'ServiceMonitor', 'PodDisruptionBudget']),
  );
  expect(sort(rendered)).toEqual(expected);
});

test('installs the objects in the namespace of the release', async () => {
  const text = JSON.stringify(await render('other'));
  expect(text).not.toContain(NAMESPACE);
  expect(text).toContain('"helm.sh/resource-policy":"keep"');
});

test('has values for the Deployment, the CRDs and the PodDisruptionBudget', async () => {
  const rendered = await render(NAMESPACE, {
    'crds.enabled': false,
    'podDisruptionBudget.enabled': false,
    image: { repository: 'a', tag: 'b' },
    replicas: 3,
    args: ['--leader-elect', '--log-level=debug'],
    env: [],
    tolerations: [{ key: 'a', operator: 'Exists' }],
  });
  const kinds = rendered.map(({ kind }) => kind);
  expect(kinds).not.toContain('CustomResourceDefinition');
  expect(kinds).not.toContain('PodDisruptionBudget');
  expect(findOnly(rendered, 'Deployment')).toMatchObject({
    spec: { replicas: 3, template: { spec: { tolerations: [{ key: 'a' }], nodeSelector: { disk: 'ssd' } } } },
  });
  const container = managerContainer(rendered);
  expect(container).toMatchObject({ image: 'a:b', args: ['--leader-elect', '--log-level=debug'] });
  expect(container).not.toHaveProperty('env');
});

test('has values for the ServiceMonitor', async () => {
  const enabled = { enabled: true, labels: { team: 'a' } };
  expect(findOnly(await render(NAMESPACE, { serviceMonitor: enabled }), 'ServiceMonitor').metadata.labels).toEqual({
    release: 'prometheus', // helm merges the values with the defaults
    team: 'a',
  });
  const rendered = await render(NAMESPACE, { 'serviceMonitor.enabled': false });
  expect(rendered.filter(({ kind }) => kind === 'ServiceMonitor')).toEqual([]);
  const { serviceMonitor: _, ...others } = manifests;
  const values = parse(manifestFiles(others).get('charts/site-operator/values.yaml') ?? '');
  expect(values.serviceMonitor).toEqual({ enabled: false, labels: {} });
});

test('is installed and uninstalled by helm', async () => {
  const namespace = await createNamespace(inject('apiServer'), 'chart');
  const flags = ['--namespace', namespace, '--kubeconfig', inject('kubeconfig')];
  const { client } = connect(inject('kubeconfig'));
  const key = { namespace, name: 'site-operator' };
  const values = { 'crds.keep': false, 'serviceMonitor.enabled': false }; // the API server does not have its CRD
  await helm('install', 'sites', CHART, ...flags, ...createFlags(values));
  expect(await client.get(apps.v1.deployments, key)).toMatchObject({ spec: { replicas: 2 } });
  await helm('uninstall', 'sites', ...flags);
  expect(await client.get(apps.v1.deployments, key)).toBeUndefined();
});

test('passes helm lint', async () => {
  expect(await helm('lint', '--strict', CHART)).toContain('1 chart(s) linted, 0 chart(s) failed');
});
