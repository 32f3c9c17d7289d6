/** config/default for a cluster without kubelet and kube-proxy. */
import { type Manifest, parseManifests } from '../../support/manifests.ts';

interface KwokAddresses {
  /** Node that the manager's Pods are bound to. */
  readonly nodeName: string;
  /** Name of the Service of the webhooks. */
  readonly service: string;
  /** Port of this machine that accepts connections for the Service. */
  readonly relayPort: number;
}

/**
 * Binds the manager's Pods to a Node, and makes the API server call the webhooks on this machine: it resolves a Service of type
 * ExternalName itself. It still verifies the certificate against the name of the Service. Selector and ports stay in the Service, for the
 * relay.
 */
export function kwokManifests(manifests: string, addresses: KwokAddresses): string {
  return parseManifests(manifests)
    .map((manifest) => JSON.stringify(adaptManifest(manifest, addresses)))
    .join('\n---\n');
}

function adaptManifest(manifest: Manifest, { nodeName, service, relayPort }: KwokAddresses): object {
  const { kind, metadata } = manifest;
  if (kind === 'Deployment') manifest['spec'].template.spec.nodeName = nodeName;
  if (kind === 'Service' && metadata.name === service) {
    return { ...manifest, spec: { ...manifest['spec'], type: 'ExternalName', externalName: 'localhost' } };
  }
  if (!kind.endsWith('WebhookConfiguration')) return manifest;
  const webhooks = manifest['webhooks'].map(({ clientConfig, ...webhook }: Manifest['spec']) => ({
    ...webhook,
    clientConfig: { service: { ...clientConfig.service, port: relayPort } },
  }));
  return { ...manifest, webhooks };
}
