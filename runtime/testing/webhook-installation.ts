/** Webhooks of this process in a real API server, for the objects of one namespace: other tests in the same API server do not notice. */
import type { LiveClient } from '../client/live-client.ts';
import type { ClusterObject } from '../kubernetes/object.ts';
import { clusterResource, type Resource } from '../kubernetes/resource.ts';
import { servedLocally, type WebhookConfiguration, webhookConfigurations } from '../manifests/webhook-configuration.ts';
import type { WebhookDeclaration } from '../webhook/declaration.ts';

/** Which webhooks, where they are served, and whose objects they are asked about. */
export interface WebhookInstallation {
  /** What the operator registers: `declarationsOf(register)`, or what `manager.webhooks.for` returned. */
  readonly declarations: readonly WebhookDeclaration[];
  /** The API server asks about the objects of this namespace alone. */
  readonly namespace: string;
  /** On 127.0.0.1. */
  readonly port: number;
  /** PEM: the certificates that the API server trusts there. */
  readonly caBundle: string;
  /** Both sorts when absent. */
  readonly only?: WebhookConfiguration['kind'];
}

/**
 * Creates the webhook configurations. The API server follows with a delay: wait with {@link eventually} until an answer shows that it
 * asks.
 */
export async function installWebhooks(client: LiveClient, installation: WebhookInstallation): Promise<void> {
  for (const configuration of adapted(installation)) await client.create(resourceOf(configuration.kind), configuration);
}

/** Changes what the API server trusts of installed webhooks to the `caBundle` given. It takes a moment to notice. */
export async function trustWebhooks(client: LiveClient, installation: WebhookInstallation): Promise<void> {
  for (const { kind, metadata, webhooks } of adapted(installation)) {
    await client.patch(resourceOf(kind), metadata, { kind: 'merge', body: { webhooks } });
  }
}

/** Deletes the webhook configurations that {@link installWebhooks} created. */
export async function uninstallWebhooks(client: LiveClient, installation: WebhookInstallation): Promise<void> {
  for (const { kind, metadata } of adapted(installation)) await client.delete(resourceOf(kind), metadata);
}

function adapted(installation: WebhookInstallation) {
  const { only, declarations, namespace } = installation;
  return webhookConfigurations(declarations)
    .filter(({ kind }) => only === undefined || kind === only)
    .map((configuration) => {
      const { apiVersion, kind, metadata, webhooks } = servedLocally(configuration, installation);
      const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
      return {
        apiVersion,
        kind,
        metadata: { name: `${metadata.name}-${namespace}` },
        webhooks: webhooks.map((webhook) => ({ ...webhook, namespaceSelector })),
      };
    });
}

/** Both sorts, as far as they are alike. */
interface Configuration extends ClusterObject {
  readonly webhooks: readonly object[];
}

function resourceOf(kind: WebhookConfiguration['kind']): Resource<Configuration> {
  return clusterResource<Configuration>('admissionregistration.k8s.io/v1', kind);
}
