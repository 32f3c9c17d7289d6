/** Whom the API server trusts when it calls webhooks: `caBundle` in their configurations. */
import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject, Resource } from '../client/object.ts';

/** As far as it is looked at here; what else it has stays as it is. */
export interface WebhookConfiguration extends KubernetesObject {
  readonly webhooks?: readonly WebhookEntry[];
}

interface WebhookEntry {
  readonly clientConfig: {
    readonly service?: { readonly namespace: string; readonly name: string };
    /** PEM in base64. */
    readonly caBundle?: string;
  };
}

/** One configuration, by its kind and name. */
export interface ConfigurationRef {
  readonly kind: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration';
  readonly name: string;
}

export type Trust =
  /** No webhook in it is served behind the service: none of our business. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'right' }
  /** @prop webhooks As they should be, all of them. */
  | { readonly kind: 'wrong'; readonly webhooks: readonly WebhookEntry[] };

export function resourceOf({ kind }: ConfigurationRef): Resource<WebhookConfiguration> {
  const plural = `${kind.toLowerCase()}s`;
  return { group: 'admissionregistration.k8s.io', version: 'v1', kind, plural, namespaced: false };
}

/**
 * Whether the webhooks of `service` trust `bundle` and nothing else.
 * @param bundle PEM.
 */
export function trustOf(
  { webhooks = [] }: WebhookConfiguration,
  service: { readonly namespace: string; readonly name: string },
  bundle: string,
): Trust {
  const caBundle = Buffer.from(bundle).toString('base64');
  const isOurs = ({ clientConfig }: WebhookEntry) =>
    clientConfig.service?.namespace === service.namespace && clientConfig.service.name === service.name;
  if (!webhooks.some(isOurs)) return { kind: 'foreign' };
  const wanted = webhooks.map((webhook) =>
    isOurs(webhook) ? { ...webhook, clientConfig: { ...webhook.clientConfig, caBundle } } : webhook,
  );
  return isDeepStrictEqual(wanted, webhooks) ? { kind: 'right' } : { kind: 'wrong', webhooks: wanted };
}
