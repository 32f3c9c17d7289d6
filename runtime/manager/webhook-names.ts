/** Names of an operator's webhook objects, shared by the manager, its flags, its roles and its manifests. */
import type { ConfigurationRef } from '../certificates/ca-bundle.ts';
import type { OwnCertificateOptions, WebhookOptions, WebhooksOff } from './manager-options.ts';

/** Full names, as in the cluster. */
export interface WebhookNames {
  /** Secret that stores the certificates of the manager. */
  readonly secret: string;
  /** Service through which the API server calls the webhooks. */
  readonly service: string;
  /** `null`: the manager does not set its `caBundle`. */
  readonly mutatingWebhookConfiguration: string | null;
  readonly validatingWebhookConfiguration: string | null;
}

/** The names that begin with the name of the operator. */
export function defaultWebhookNames(name: string) {
  return {
    secret: `${name}-webhook-certificate`,
    service: `${name}-webhook-service`,
    mutatingWebhookConfiguration: `${name}-mutating-webhook-configuration`,
    validatingWebhookConfiguration: `${name}-validating-webhook-configuration`,
  } as const satisfies WebhookNames;
}

/** The names in the options, with defaults for the others. */
export function webhookNames(name: string, options: OwnCertificateOptions = {}): WebhookNames {
  const defaults = defaultWebhookNames(name);
  const {
    secret = defaults.secret,
    service = defaults.service,
    mutatingWebhookConfiguration = defaults.mutatingWebhookConfiguration,
    validatingWebhookConfiguration = defaults.validatingWebhookConfiguration,
  } = options;
  return { secret, service, mutatingWebhookConfiguration, validatingWebhookConfiguration };
}

/** The configurations whose `caBundle` the manager sets. */
export function configurationRefs(
  names: Pick<WebhookNames, 'mutatingWebhookConfiguration' | 'validatingWebhookConfiguration'>,
): readonly ConfigurationRef[] {
  const { mutatingWebhookConfiguration: mutating, validatingWebhookConfiguration: validating } = names;
  return [
    ...(mutating === null ? [] : [{ kind: 'MutatingWebhookConfiguration', name: mutating } as const]),
    ...(validating === null ? [] : [{ kind: 'ValidatingWebhookConfiguration', name: validating } as const]),
  ];
}

/** The options of certificates that the manager creates itself; `undefined` when it does not create certificates. */
export function ownCertificateOptions(
  webhooks: WebhookOptions | WebhooksOff | undefined,
): OwnCertificateOptions | undefined {
  if (webhooks === undefined || 'off' in webhooks) return undefined;
  const { certificates } = webhooks;
  if (certificates === 'own') return {};
  return 'folder' in certificates ? undefined : certificates;
}
