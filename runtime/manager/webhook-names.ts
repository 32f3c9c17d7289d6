/** Names of the objects that an operator with webhooks needs. */
import type { ConfigurationRef, WebhookObjectRef } from '../certificates/ca-bundle.ts';
import type { Kind } from '../schema/kind.ts';
import type { ManagedCertificateOptions, WebhookOptions, WebhooksOff } from './manager-options.ts';

export interface WebhookNames {
  /** Name of the Secret that stores the certificates of the manager. */
  readonly secret: string;
  /** Name of the Service through which the API server calls the webhooks. */
  readonly service: string;
  /** `null` if the manager does not set the `caBundle` of a MutatingWebhookConfiguration. */
  readonly mutatingWebhookConfiguration: string | null;
  readonly validatingWebhookConfiguration: string | null;
}

export function getDefaultWebhookNames(name: string) {
  return {
    secret: `${name}-webhook-certificate`,
    service: `${name}-webhook-service`,
    mutatingWebhookConfiguration: `${name}-mutating-webhook-configuration`,
    validatingWebhookConfiguration: `${name}-validating-webhook-configuration`,
  } as const satisfies WebhookNames;
}

export function toWebhookNames(name: string, options: ManagedCertificateOptions = {}): WebhookNames {
  const defaults = getDefaultWebhookNames(name);
  const {
    secret = defaults.secret,
    service = defaults.service,
    mutatingWebhookConfiguration = defaults.mutatingWebhookConfiguration,
    validatingWebhookConfiguration = defaults.validatingWebhookConfiguration,
  } = options;
  return { secret, service, mutatingWebhookConfiguration, validatingWebhookConfiguration };
}

/** Returns the webhook configurations whose `caBundle` the manager sets. */
export function getConfigurationRefs(
  names: Pick<WebhookNames, 'mutatingWebhookConfiguration' | 'validatingWebhookConfiguration'>,
): readonly ConfigurationRef[] {
  const { mutatingWebhookConfiguration: mutatingName, validatingWebhookConfiguration: validatingName } = names;
  return [
    ...(mutatingName === null ? [] : [{ kind: 'MutatingWebhookConfiguration', name: mutatingName } as const]),
    ...(validatingName === null ? [] : [{ kind: 'ValidatingWebhookConfiguration', name: validatingName } as const]),
  ];
}

/** Returns the CRDs of kinds with several versions. The conversion webhook in such a CRD also needs a `caBundle`. */
export function getConversionRefs(kinds: readonly Kind[]): readonly WebhookObjectRef[] {
  return kinds
    .filter(({ versions }) => Object.keys(versions).length > 0)
    .map(({ plural, group }) => ({ kind: 'CustomResourceDefinition', name: `${plural}.${group}` }));
}

/**
 * Returns the options of the certificates that the manager creates, or `undefined` if another program creates the
 * certificates.
 */
export function getManagedCertificateOptions(
  webhooks: WebhookOptions | WebhooksOff | undefined,
): ManagedCertificateOptions | undefined {
  if (webhooks === undefined || 'off' in webhooks) return undefined;
  const { certificates } = webhooks;
  if (certificates === 'own') return {};
  return 'folder' in certificates ? undefined : certificates;
}
