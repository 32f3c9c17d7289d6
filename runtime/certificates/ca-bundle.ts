/** Compares the `caBundle` of webhook configurations and CRDs with the certificates of the manager. */
import { isDeepStrictEqual } from 'node:util';
import {
  admissionregistration,
  apiextensions,
  type CustomResourceDefinition,
  type MutatingWebhookConfiguration,
  type ValidatingWebhookConfiguration,
} from '../kubernetes/extensions.ts';
import type { Resource } from '../kubernetes/resource.ts';

export type WebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;
/** An object with webhooks. The conversion of a CRD is a webhook too. */
export type WebhookObject = WebhookConfiguration | CustomResourceDefinition;
type ClientConfig = NonNullable<MutatingWebhookConfiguration['webhooks']>[number]['clientConfig'];

/** The kind and name of a webhook configuration. */
export interface ConfigurationRef {
  readonly kind: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration';
  readonly name: string;
}

/** The kind and name of an object with webhooks. */
export type WebhookObjectRef = ConfigurationRef | { readonly kind: 'CustomResourceDefinition'; readonly name: string };

/** The Service and the hosts through which the API server calls the webhooks of the manager. */
export interface WebhookEndpoint {
  readonly namespace: string;
  readonly name: string;
  /** Host names in the URLs of webhooks that the API server calls without the Service. Default: no hosts. */
  readonly urlHosts?: readonly string[];
}

export type CaBundleState =
  /** No webhook of the configuration points to the manager. */
  | { readonly kind: 'unrelated' }
  | { readonly kind: 'current' }
  /** @prop patch A merge patch that sets the `caBundle` of each webhook of the manager. */
  | { readonly kind: 'outdated'; readonly patch: object };

export function getConfigurationResource(ref: ConfigurationRef): Resource<WebhookConfiguration>;
export function getConfigurationResource(ref: WebhookObjectRef): Resource<WebhookObject>;
export function getConfigurationResource({ kind }: WebhookObjectRef): Resource<WebhookObject> {
  const { mutatingWebhookConfigurations, validatingWebhookConfigurations } = admissionregistration.v1;
  if (kind === 'CustomResourceDefinition') return apiextensions.v1.customResourceDefinitions;
  return kind === 'MutatingWebhookConfiguration' ? mutatingWebhookConfigurations : validatingWebhookConfigurations;
}

/**
 * Checks whether `bundle` is the `caBundle` of each webhook that points to `service` or to one of its hosts.
 * @param bundle CA certificates in PEM.
 */
export function checkCaBundle(configuration: WebhookObject, service: WebhookEndpoint, bundle: string): CaBundleState {
  const caBundle = Buffer.from(bundle).toString('base64');
  const isOwn = (clientConfig: ClientConfig | undefined) =>
    clientConfig?.url === undefined
      ? clientConfig?.service?.namespace === service.namespace && clientConfig?.service.name === service.name
      : URL.canParse(clientConfig.url) && service.urlHosts?.includes(new URL(clientConfig.url).hostname);
  if ('spec' in configuration) {
    const clientConfig = configuration.spec.conversion?.webhook?.clientConfig;
    if (!isOwn(clientConfig)) return { kind: 'unrelated' };
    if (clientConfig?.caBundle === caBundle) return { kind: 'current' };
    return { kind: 'outdated', patch: { spec: { conversion: { webhook: { clientConfig: { caBundle } } } } } };
  }
  const { webhooks = [] } = configuration;
  if (!webhooks.some(({ clientConfig }) => isOwn(clientConfig))) return { kind: 'unrelated' };
  const updatedWebhooks = webhooks.map((webhook) =>
    isOwn(webhook.clientConfig) ? { ...webhook, clientConfig: { ...webhook.clientConfig, caBundle } } : webhook,
  );
  return isDeepStrictEqual(updatedWebhooks, webhooks)
    ? { kind: 'current' }
    : { kind: 'outdated', patch: { webhooks: updatedWebhooks } };
}
