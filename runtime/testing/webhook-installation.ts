/**
 * Installs webhooks for the objects of one namespace, so that tests with the same API server do not affect each other.
 * A conversion webhook applies to all namespaces.
 */
import { ignoreNotFound } from '../client/errors.ts';
import type { LiveClient } from '../client/live-client.ts';
import { apiextensions, type CustomResourceDefinition } from '../kubernetes/extensions.ts';
import type { ClusterObject, KubernetesObject } from '../kubernetes/object.ts';
import { clusterResource, type Resource } from '../kubernetes/resource.ts';
import { buildConversion } from '../manifests/custom-resource-definition.ts';
import {
  type WebhookConfiguration,
  webhookConfigurations,
  withLocalWebhookUrl,
} from '../manifests/webhook-configuration.ts';
import type { Kind } from '../schema/kind.ts';
import type { WebhookDeclaration } from '../webhook/webhook-declaration.ts';

/** Webhooks that the test process serves, and that an API server calls. */
export interface WebhookInstallation {
  /**
   * Declarations of the webhooks, from `collectDeclarations(register)` or `manager.webhooks.for`. Default: no webhooks.
   */
  readonly declarations?: readonly WebhookDeclaration[];
  /**
   * Kinds with several versions, from `manager.webhooks.convert`. The conversion applies to objects in all namespaces.
   * The CRDs of the kinds must be installed. Default: no kinds.
   */
  readonly kinds?: readonly Kind[];
  /** The API server calls the webhooks only for objects of this namespace. */
  readonly namespace: string;
  /** Port of the webhook server on 127.0.0.1. */
  readonly port: number;
  /** CA certificates in PEM, with which the API server verifies the webhook server. */
  readonly caBundle: string;
  /**
   * Kind of the webhook configurations to install. Default: MutatingWebhookConfiguration and
   * ValidatingWebhookConfiguration.
   */
  readonly only?: WebhookConfiguration['kind'];
}

/**
 * Creates the webhook configurations, and sets the conversion webhook in the CRDs. The API server starts to call the
 * webhooks after a delay; use {@link eventually} to wait.
 */
export async function installWebhooks(client: LiveClient, installation: WebhookInstallation): Promise<void> {
  for (const configuration of buildConfigurations(installation))
    await client.create(getConfigurationResource(configuration.kind), configuration);
  await installConversions(client, installation);
}

async function installConversions(
  client: LiveClient,
  { kinds = [], port, caBundle }: WebhookInstallation,
): Promise<void> {
  const { strategy, webhook } = buildConversion({ url: `https://127.0.0.1:${port}`, caBundle });
  const clientConfig = { service: null, ...webhook.clientConfig };
  for (const { plural, group } of kinds) {
    const body = { spec: { conversion: { strategy, webhook: { ...webhook, clientConfig } } } };
    const name = `${plural}.${group}`;
    await client.patch<KubernetesObject>(apiextensions.v1.customResourceDefinitions, { name }, { kind: 'merge', body });
  }
}

/** The conversion of a CRD, as the API server stores it. */
export type StoredConversion = NonNullable<CustomResourceDefinition['spec']['conversion']>;

/** Returns the conversion of an installed CRD, or the strategy `None` for a CRD that does not exist. */
export async function readConversion(client: LiveClient, name: string): Promise<StoredConversion> {
  const crd = await client.get(apiextensions.v1.customResourceDefinitions, { name });
  return crd?.spec.conversion ?? { strategy: 'None' };
}

/** Sets the conversion of a CRD to the result of {@link readConversion}. Ignores a CRD that does not exist. */
export async function restoreConversion(client: LiveClient, name: string, value: StoredConversion): Promise<void> {
  const body = [{ op: 'add', path: '/spec/conversion', value }] as const; // replaces the whole conversion
  await ignoreNotFound(client.patch(apiextensions.v1.customResourceDefinitions, { name }, { kind: 'json', body }));
}

/** Deletes the webhook configurations that {@link installWebhooks} created. The CRDs are unchanged. */
export async function uninstallWebhooks(client: LiveClient, installation: WebhookInstallation): Promise<void> {
  for (const { kind, metadata } of buildConfigurations(installation))
    await client.delete(getConfigurationResource(kind), metadata);
}

function buildConfigurations(installation: WebhookInstallation) {
  const { only, declarations = [], namespace } = installation;
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

interface WebhookConfigurationObject extends ClusterObject {
  readonly webhooks: readonly object[];
}

function getConfigurationResource(kind: WebhookConfiguration['kind']): Resource<WebhookConfigurationObject> {
  return clusterResource<WebhookConfigurationObject>('admissionregistration.k8s.io/v1', kind);
}
