/** The operators of runtime/examples, installed into a namespace of a real API server with their own manifests. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { stringify } from 'yaml';
import { run } from '../../../hack/control-plane/run.ts';
import { NAME } from '../../../runtime/examples/website/website.ts';
import { createKubectl, type Manifest, PROJECT, parseManifests } from '../../support/manifests.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { writeKubeconfigAs } from './kubeconfig-as.ts';

const EXAMPLES = join(PROJECT, 'runtime/examples');
const GENERATE = join(PROJECT, 'runtime/command.ts');
const SERVICE = `${NAME}-webhook-service`;
/** The namespace in the manifests. Each test has its own namespace. */
const SYSTEM = `${NAME}-system`;

export interface ExampleInstallation {
  /** Path of a kubeconfig of the operator's ServiceAccount, which has the generated roles. */
  readonly kubeconfig: string;
  readonly flags: readonly string[];
  /** Removes everything except the CRD and its objects, which do not disturb other tests. */
  readonly uninstall: () => Promise<void>;
}

/** Gives the watcher the generated role. */
export async function installPodWatcher(namespace: string): Promise<ExampleInstallation> {
  const name = 'pod-watcher';
  const { folder, kubectl, read } = await generateManifests(name);
  const file = writeManifests(folder, [
    ...read('rbac/role.yaml'),
    ...read('rbac/role_binding.yaml').map((each) => moveBinding(each, namespace)),
  ]);
  await kubectl('apply', '-f', file);
  return {
    kubeconfig: writeKubeconfigAs(`system:serviceaccount:${namespace}:${name}`, inject('kubeconfig')),
    flags: [`--namespaces=${namespace}`],
    uninstall: async () => void (await kubectl('delete', '-f', file)),
  };
}

/** @param webhookPort Port that the operator listens on; the API server calls it only for this namespace. */
export async function installWebsites(namespace: string, webhookPort: number): Promise<ExampleInstallation> {
  const { folder, kubectl, read } = await generateManifests('website');
  const file = writeManifests(folder, [
    ...[...read('rbac/role.yaml'), ...read('webhook/manifests.yaml')].map((manifest) =>
      adaptManifest(manifest, namespace, webhookPort),
    ),
    ...read('rbac/role_binding.yaml').map((each) => moveBinding(each, namespace)),
    // The API server resolves such a Service itself: there is no kube-proxy here, but the name is the same.
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace, name: SERVICE },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    },
  ]);
  await kubectl('apply', '-f', join(folder, 'config/crd/bases/example.com_websites.yaml'), '-f', file);
  await kubectl('wait', '--for=condition=Established', 'crd/websites.example.com');
  return {
    kubeconfig: writeKubeconfigAs(`system:serviceaccount:${namespace}:${NAME}`, inject('kubeconfig')),
    flags: [
      ...['--leader-elect', `--leader-election-namespace=${namespace}`, `--namespaces=${namespace}`],
      ...[`--webhook-port=${webhookPort}`, `--webhook-namespace=${namespace}`, '--webhook-shutdown-delay=0s'],
    ],
    uninstall: async () => void (await kubectl('delete', '-f', file)),
  };
}

/** The objects that the generator makes of an example's manifests. */
async function generateManifests(example: string) {
  const folder = createTemporaryFolder();
  const kubectl = createKubectl({ kubectl: inject('kubectl'), kubeconfig: inject('kubeconfig'), cacheFolder: folder });
  await run('node', [GENERATE, 'generate', join(EXAMPLES, example, 'manifests.ts'), '--output-dir', folder]);
  const read = (path: string) => parseManifests(readFileSync(join(folder, 'config', path), 'utf8'));
  return { folder, kubectl, read };
}

function writeManifests(folder: string, manifests: readonly object[]): string {
  const file = join(folder, 'all.yaml');
  writeFileSync(file, manifests.map((manifest) => stringify(manifest)).join('---\n'));
  return file;
}

/** Webhooks for the namespace of the test only. */
function adaptManifest(manifest: Manifest, namespace: string, port: number): Manifest {
  if (manifest.kind === 'Role') return { ...manifest, metadata: { ...manifest.metadata, namespace } };
  if (!manifest.kind.endsWith('WebhookConfiguration')) return manifest;
  const webhooks = manifest['webhooks'].map((webhook: Manifest) => ({
    ...webhook,
    clientConfig: { service: { ...moveService(webhook['clientConfig'].service, namespace), port } },
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
  }));
  return { ...manifest, webhooks };
}

function moveService(service: { readonly name: string; readonly namespace: string }, namespace: string) {
  if (service.name !== SERVICE || service.namespace !== SYSTEM)
    throw new Error(`unexpected ${JSON.stringify(service)}`);
  return { ...service, namespace };
}

/** Binds to the ServiceAccount of the same name in the namespace of the test. */
function moveBinding(binding: Manifest, namespace: string): Manifest {
  const { metadata, kind } = binding;
  return {
    ...binding,
    metadata: { ...metadata, ...(kind === 'RoleBinding' && { namespace }) },
    subjects: binding['subjects'].map((subject: object) => ({ ...subject, namespace })),
  };
}
