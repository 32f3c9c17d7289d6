/** Our webhooks in a real API server, for the objects of one namespace: other tests in the same API server do not notice. */
import type { KubernetesObject, LiveClient, NewObject, Resource, WebhookDeclaration } from 'controller-runtime';
import { servedLocally, type WebhookConfiguration, webhookConfigurations } from 'controller-runtime/manifests';
import { CRON_JOB_WEBHOOKS } from '../../hack/webhook/cronjob-webhooks.ts';

interface Configuration extends KubernetesObject {
  readonly webhooks: readonly object[];
}

/** Where they are served, and what differs from the manifests. */
export interface Installation {
  readonly namespace: string;
  /** On 127.0.0.1. */
  readonly port: number;
  /** PEM: the certificates that the API server trusts. */
  readonly caBundle: string;
  /** Both sorts when absent. */
  readonly only?: WebhookConfiguration['kind'];
  /** Those of CronJobs as the manager has them when absent. */
  readonly declarations?: readonly WebhookDeclaration[];
}

/**
 * Installs the configurations, those of config/webhook/manifests.yaml unless told otherwise. The API server follows with a delay: wait until an answer
 * shows that it asks.
 */
export async function installWebhooks(client: LiveClient, installation: Installation): Promise<void> {
  for (const configuration of configurations(installation)) {
    await client.create(resourceOf(configuration.kind), adapted(configuration, installation));
  }
}

/** Changes what the API server trusts. */
export async function trust(client: LiveClient, installation: Installation): Promise<void> {
  for (const configuration of configurations(installation)) {
    const { metadata, webhooks } = adapted(configuration, installation);
    await client.patch(resourceOf(configuration.kind), metadata, { kind: 'merge', body: { webhooks } });
  }
}

export async function uninstallWebhooks(client: LiveClient, installation: Installation): Promise<void> {
  for (const configuration of configurations(installation)) {
    await client.delete(resourceOf(configuration.kind), adapted(configuration, installation).metadata);
  }
}

function configurations({ only, declarations = CRON_JOB_WEBHOOKS }: Installation): readonly WebhookConfiguration[] {
  return webhookConfigurations(declarations).filter(({ kind }) => only === undefined || kind === only);
}

function adapted(configuration: WebhookConfiguration, installation: Installation): NewObject<Configuration> {
  const { namespace } = installation;
  const { apiVersion, kind, metadata, webhooks } = servedLocally(configuration, installation);
  return {
    apiVersion,
    kind,
    metadata: { name: `${metadata.name}-${namespace}` },
    webhooks: webhooks.map((webhook) => ({
      ...webhook,
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    })),
  };
}

function resourceOf(kind: string): Resource<Configuration> {
  return {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: false,
  };
}
