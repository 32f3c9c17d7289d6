/** The Website operator of runtime/examples, installed into a namespace of a real API server as its own manifests say. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { stringify } from 'yaml';
import { run } from '../../hack/control-plane/run.ts';
import { NAME } from '../../runtime/examples/website/website.ts';
import { kubeconfigAs } from './kubeconfig-as.ts';
import { kubectlOn, type Manifest, PROJECT, parseManifests } from './manifests.ts';
import { temporaryFolder } from './temporary-folder.ts';

const EXAMPLE = join(PROJECT, 'runtime/examples/website');
const GENERATE = join(PROJECT, 'runtime/command.ts');
const SERVICE = `${NAME}-webhook-service`;

export interface WebsiteInstallation {
  /** Path of a kubeconfig of the operator's ServiceAccount, which has the generated roles. */
  readonly kubeconfig: string;
  readonly flags: readonly string[];
  /** Takes away all but the CRD and the Websites, which are in nobody's way. */
  readonly uninstall: () => Promise<void>;
}

/** @param webhookPort Where the operator is to listen; the API server asks it about this namespace alone. */
export async function installWebsites(namespace: string, webhookPort: number): Promise<WebsiteInstallation> {
  const folder = temporaryFolder();
  const admin = inject('kubeconfig');
  const kubectl = kubectlOn({ kubectl: inject('kubectl'), kubeconfig: admin, cacheFolder: folder });
  await run('node', [GENERATE, 'generate', join(EXAMPLE, 'manifests.ts'), '--output-dir', folder]);
  const generated = (path: string) => join(folder, 'config', path);
  const read = (path: string) => parseManifests(readFileSync(generated(path), 'utf8'));
  const all = [
    ...[...read('rbac/role.yaml'), ...read('webhook/manifests.yaml')].map((manifest) =>
      adapted(manifest, namespace, webhookPort),
    ),
    ...bindings(namespace),
    // The API server resolves such a Service by itself: there is no kube-proxy here, but the name is the same.
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace, name: SERVICE },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    },
  ];
  const file = join(folder, 'all.yaml');
  writeFileSync(file, all.map((manifest) => stringify(manifest)).join('---\n'));
  await kubectl('apply', '-f', generated('crd/bases/example.com_websites.yaml'), '-f', file);
  await kubectl('wait', '--for=condition=Established', 'crd/websites.example.com');
  return {
    kubeconfig: kubeconfigAs(`system:serviceaccount:${namespace}:${NAME}`, admin),
    flags: [
      ...['--leader-elect', `--leader-election-namespace=${namespace}`, `--namespaces=${namespace}`],
      ...[`--webhook-port=${webhookPort}`, `--webhook-namespace=${namespace}`, '--webhook-shutdown-delay=0s'],
      `--webhook-cert-secret=${NAME}-webhook-certificate`,
    ],
    uninstall: async () => void (await kubectl('delete', '-f', file)),
  };
}

/** As kustomize would: names with the operator's before them, and the namespace. */
function adapted(manifest: Manifest, namespace: string, port: number): Manifest {
  if (manifest.kind === 'Role') return { ...manifest, metadata: { ...manifest.metadata, namespace } };
  if (!manifest.kind.endsWith('WebhookConfiguration')) return manifest;
  const webhooks = manifest['webhooks'].map((webhook: Manifest) => ({
    ...webhook,
    clientConfig: { service: { ...webhook['clientConfig'].service, name: SERVICE, namespace, port } },
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
  }));
  return { ...manifest, metadata: { ...manifest.metadata, name: `${NAME}-${manifest.metadata.name}` }, webhooks };
}

function bindings(namespace: string): readonly object[] {
  const apiGroup = 'rbac.authorization.k8s.io';
  const subjects = [{ kind: 'ServiceAccount', namespace, name: NAME }];
  return ['Role', 'ClusterRole'].map((kind) => ({
    apiVersion: `${apiGroup}/v1`,
    kind: `${kind}Binding`,
    metadata: { name: NAME, ...(kind === 'Role' && { namespace }) },
    roleRef: { apiGroup, kind, name: NAME },
    subjects,
  }));
}
