/**
 * Installs webhooks of this process in a real API server, for the objects of one namespace: other tests with the same
 * API server are not affected.
 */
import type { LiveClient } from '../client/live-client.ts';
import type { ClusterObject } from '../kubernetes/object.ts';
import { clusterResource, type Resource } from '../kubernetes/resource.ts';
import {
  type WebhookConfiguration,
  webhookConfigurations,
  withLocalWebhookUrl,
} from '../manifests/webhook-configuration.ts';
import type { WebhookDeclaration } from '../webhook/declaration.ts';

/** Which webhooks to install, where they are served, and for which namespace. */
export interface WebhookInstallation {
  /** The operator's webhooks: `collectDeclarations(register)`, or the result of `manager.webhooks.for`. */
  readonly declarations: readonly WebhookDeclaration[];
  /** The API server calls the webhooks only for objects of this namespace. */
  readonly namespace: string;
  /** Port on 127.0.0.1. */
  readonly port: number;
  /** PEM: the certificates that the API server trusts there. */
  readonly caBundle: string;
  /** Default: both types. */
  readonly only?: WebhookConfiguration['kind'];
}

/**
 * Creates the webhook configurations. They take effect with a delay: wait with {@link eventually} until an answer shows
 * it.
 */
export async function installWebhooks(client: LiveClient, installation: WebhookInstallation): Promise<void> {
  for (const configuration of buildConfigurations(installation))
    await client.create(configurationResource(configuration.kind), configuration);
}

/** Sets the `caBundle` of installed webhooks. It takes effect with a delay. */
export async function trustWebhooks(client: LiveClient, installation: WebhookInstallation): Promise<void> {
  for (const { kind, metadata, webhooks } of buildConfigurations(installation)) {
    await client.patch(configurationResource(kind), metadata, { kind: 'merge', body: { webhooks } });
  }
}

/** Deletes the webhook configurations that {@link installWebhooks} created. */
export async function uninstallWebhooks(client: LiveClient, installation: WebhookInstallation): Promise<void> {
  for (const { kind, metadata } of buildConfigurations(installation))
    await client.delete(configurationResource(kind), metadata);
}

function buildConfigurations(installation: WebhookInstallation) {
  const { only, declarations, namespace } = installation;
  return webhookConfigurations(declarations)
    .filter(({ kind }) => only === undefined || kind === only)
    .map((configuration) => {
      const { apiVersion, kind, metadata, webhooks } = withLocalWebhookUrl(configuration, installation);
      const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
      return {
        apiVersion,
        kind,
        metadata: { name: `${metadata.name}-${namespace}` },
        webhooks: webhooks.map((webhook) => ({ ...webhook, namespaceSelector })),
      };
    });
}

/** The common fields of both types. */
interface Configuration extends ClusterObject {
  readonly webhooks: readonly object[];
}

function configurationResource(kind: WebhookConfiguration['kind']): Resource<Configuration> {
  return clusterResource<Configuration>('admissionregistration.k8s.io/v1', kind);
}
