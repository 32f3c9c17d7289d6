/** Compares the `caBundle` of webhook configurations with the certificates of the manager. */
import { isDeepStrictEqual } from 'node:util';
import {
  admissionregistration,
  type MutatingWebhookConfiguration,
  type ValidatingWebhookConfiguration,
} from '../kubernetes/extensions.ts';
import type { Resource } from '../kubernetes/resource.ts';

export type WebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;
type WebhookEntry = NonNullable<WebhookConfiguration['webhooks']>[number];

/** The kind and name of a webhook configuration. */
export interface ConfigurationRef {
  readonly kind: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration';
  readonly name: string;
}

/** The Service and the hosts through which the API server calls the webhooks of the manager. */
export interface WebhookEndpoint {
  readonly namespace: string;
  readonly name: string;
  /** Hosts of webhook URLs that bypass the Service. Default: no hosts. */
  readonly urlHosts?: readonly string[];
}

export type CaBundleState =
  /** No webhook of the configuration calls the manager. */
  | { readonly kind: 'unrelated' }
  | { readonly kind: 'current' }
  /** @prop webhooks All webhooks of the configuration, with the new `caBundle`. */
  | { readonly kind: 'outdated'; readonly webhooks: readonly WebhookEntry[] };

export function getConfigurationResource({ kind }: ConfigurationRef): Resource<WebhookConfiguration> {
  const { mutatingWebhookConfigurations, validatingWebhookConfigurations } = admissionregistration.v1;
  return kind === 'MutatingWebhookConfiguration' ? mutatingWebhookConfigurations : validatingWebhookConfigurations;
}

/**
 * Checks that `bundle` is the `caBundle` of each webhook that calls `service` or one of its hosts.
 * @param bundle Certificates of authorities in PEM.
 */
export function checkCaBundle(
  { webhooks = [] }: WebhookConfiguration,
  service: WebhookEndpoint,
  bundle: string,
): CaBundleState {
  const caBundle = Buffer.from(bundle).toString('base64');
  const isOwnWebhook = ({ clientConfig }: WebhookEntry) =>
    clientConfig.url === undefined
      ? clientConfig.service?.namespace === service.namespace && clientConfig.service.name === service.name
      : URL.canParse(clientConfig.url) && service.urlHosts?.includes(new URL(clientConfig.url).hostname);
  if (!webhooks.some(isOwnWebhook)) return { kind: 'unrelated' };
  const updatedWebhooks = webhooks.map((webhook) =>
    isOwnWebhook(webhook) ? { ...webhook, clientConfig: { ...webhook.clientConfig, caBundle } } : webhook,
  );
  return isDeepStrictEqual(updatedWebhooks, webhooks)
    ? { kind: 'current' }
    : { kind: 'outdated', webhooks: updatedWebhooks };
}
