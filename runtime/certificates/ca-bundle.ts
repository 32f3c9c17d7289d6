/** The authorities that the API server trusts when it calls webhooks: `caBundle` in webhook configurations. */
import { isDeepStrictEqual } from 'node:util';
import {
  admissionregistration,
  type MutatingWebhookConfiguration,
  type ValidatingWebhookConfiguration,
} from '../kubernetes/extensions.ts';
import type { Resource } from '../kubernetes/resource.ts';

export type WebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;
type WebhookEntry = NonNullable<WebhookConfiguration['webhooks']>[number];

/** Names one configuration by kind and name. */
export interface ConfigurationRef {
  readonly kind: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration';
  readonly name: string;
}

/** The Service and hosts of the manager's webhooks. */
export interface WebhookEndpoint {
  readonly namespace: string;
  readonly name: string;
  /** Hosts of URLs that lead to the manager without the Service. Default: no hosts. */
  readonly urlHosts?: readonly string[];
}

export type CaBundleState =
  /** The configuration has no webhook of this service. */
  | { readonly kind: 'unrelated' }
  | { readonly kind: 'current' }
  /** @prop webhooks All webhooks, as they should be. */
  | { readonly kind: 'outdated'; readonly webhooks: readonly WebhookEntry[] };

export function getConfigurationResource({ kind }: ConfigurationRef): Resource<WebhookConfiguration> {
  const { mutatingWebhookConfigurations, validatingWebhookConfigurations } = admissionregistration.v1;
  return kind === 'MutatingWebhookConfiguration' ? mutatingWebhookConfigurations : validatingWebhookConfigurations;
}

/**
 * Checks that the webhooks of `service`, and webhooks with a URL of its hosts, trust `bundle` and nothing else.
 * @param bundle PEM.
 */
export function checkCaBundle(
  { webhooks = [] }: WebhookConfiguration,
  service: WebhookEndpoint,
  bundle: string,
): CaBundleState {
  const caBundle = Buffer.from(bundle).toString('base64');
  const callsService = ({ clientConfig }: WebhookEntry) =>
    clientConfig.url === undefined
      ? clientConfig.service?.namespace === service.namespace && clientConfig.service.name === service.name
      : URL.canParse(clientConfig.url) && service.urlHosts?.includes(new URL(clientConfig.url).hostname);
  if (!webhooks.some(callsService)) return { kind: 'unrelated' };
  const desired = webhooks.map((webhook) =>
    callsService(webhook) ? { ...webhook, clientConfig: { ...webhook.clientConfig, caBundle } } : webhook,
  );
  return isDeepStrictEqual(desired, webhooks) ? { kind: 'current' } : { kind: 'outdated', webhooks: desired };
}
