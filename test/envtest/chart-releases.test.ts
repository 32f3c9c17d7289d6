/** The Helm chart installs what kustomize does, and a real API server takes all that its values can make of it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { renderManifests } from '../../hack/installer/manifests.ts';
import {
  kubectlOn,
  type Manifest,
  managerContainer,
  managerFlags,
  only,
  PROJECT,
  parseManifests,
  titles,
} from '../support/manifests.ts';
import { temporaryFolderOfFile } from '../support/temporary-folder.ts';
import { CHART, chart, flagsFor, helm, NAMESPACE, RELEASES, template } from './support/chart.ts';

/** Of helm and of kustomize, which differ: whose object it is. */
const LABELS_OF_TOOLS = [
  'app.kubernetes.io/instance',
  'app.kubernetes.io/managed-by',
  'app.kubernetes.io/name',
  'app.kubernetes.io/version',
  'helm.sh/chart',
];

const folder = temporaryFolderOfFile();
const kubectl = kubectlOn({ kubectl: inject('kubectl'), kubeconfig: inject('kubeconfig'), cacheFolder: folder });

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
  await kubectl('apply', '-f', join(PROJECT, 'test/envtest/support/foreign-crds'), '--recursive');
  for (const name of [NAMESPACE, 'ops', 'team-a', 'team-b']) {
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
    await kubectl('apply', '-f', file);
  }
});

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
