/** Generates webhook configurations in controller-gen's format. */
import { getWebhookPath, type WebhookDeclaration, type WebhookSelectors } from '../webhook/webhook-declaration.ts';

/** A webhook configuration with the fields of `admissionregistration.k8s.io/v1` that the generator uses. */
export interface WebhookConfiguration {
  readonly apiVersion: 'admissionregistration.k8s.io/v1';
  /** Whether the webhooks mutate or validate objects. */
  readonly kind: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration';
  /** The name of the configuration. */
  readonly metadata: { readonly name: string };
  /** The webhooks of all kinds. */
  readonly webhooks: readonly Webhook[];
}

interface Webhook extends WebhookSelectors {
  readonly admissionReviewVersions: readonly ['v1'];
  readonly clientConfig: ClientConfig;
  readonly failurePolicy: WebhookDeclaration['failurePolicy'];
  readonly matchConditions?: NonNullable<WebhookDeclaration['matchConditions']>;
  readonly name: string;
  readonly reinvocationPolicy?: NonNullable<WebhookDeclaration['reinvocationPolicy']>;
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly apiVersions: readonly string[];
    readonly operations: WebhookDeclaration['operations'];
    readonly resources: readonly string[];
  }[];
  readonly sideEffects: WebhookDeclaration['sideEffects'];
  readonly timeoutSeconds: number;
}

/** Address of a webhook: a Service, or a URL that the API server can reach. */
type ClientConfig =
  | { readonly service: WebhookService & { readonly path: string } }
  | { readonly url: string; readonly caBundle?: string };

/** The Service through which the API server calls webhooks. */
export interface WebhookService {
  /** Name of the Service. */
  readonly name: string;
  /** Namespace of the Service. */
  readonly namespace: string;
  /** Default 443. */
  readonly port?: number;
}

/** Names of the webhook configurations and of their Service. */
export interface WebhookConfigurationNames {
  /** Name of the MutatingWebhookConfiguration. */
  readonly mutatingWebhookConfiguration: string;
  /** Name of the ValidatingWebhookConfiguration. */
  readonly validatingWebhookConfiguration: string;
  /** The Service through which the API server calls the webhooks. */
  readonly service: WebhookService;
}

/** Names in kubebuilder projects, without the prefix and the namespace that kustomize adds. */
export const KUSTOMIZE_NAMES: WebhookConfigurationNames = {
  mutatingWebhookConfiguration: 'mutating-webhook-configuration',
  validatingWebhookConfiguration: 'validating-webhook-configuration',
  service: { name: 'webhook-service', namespace: 'system' },
};

/**
 * Returns the MutatingWebhookConfiguration and the ValidatingWebhookConfiguration, but omits a configuration without
 * webhooks.
 * @param names Default: {@link KUSTOMIZE_NAMES}.
 */
export function webhookConfigurations(
  declarations: readonly WebhookDeclaration[],
  names: WebhookConfigurationNames = KUSTOMIZE_NAMES,
): readonly WebhookConfiguration[] {
  const configurationKinds = [
    { kind: 'mutating', configuration: 'MutatingWebhookConfiguration', name: names.mutatingWebhookConfiguration },
    { kind: 'validating', configuration: 'ValidatingWebhookConfiguration', name: names.validatingWebhookConfiguration },
  ] as const;
  return configurationKinds.flatMap(({ kind, configuration, name }) => {
    const declarationsOfKind = declarations.filter((declaration) => declaration.kind === kind);
    const webhooks = declarationsOfKind.map((declaration) => buildWebhook(declaration, names.service));
    if (webhooks.length === 0) return [];
    return [
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: configuration,
        metadata: { name },
        webhooks,
      },
    ];
  });
}

function buildWebhook(declaration: WebhookDeclaration, service: WebhookService): Webhook {
  const { name, resource, operations, failurePolicy, sideEffects, timeoutSeconds, matchConditions } = declaration;
  const { objectSelector, matchPolicy, reinvocationPolicy } = declaration;
  const namespaceSelector = declaration.namespaceSelector ?? getDefaultNamespaceSelector(declaration, service);
  const { group, version } = resource.parent ?? resource;
  return {
    admissionReviewVersions: ['v1'],
    clientConfig: { service: { ...service, path: getWebhookPath(declaration) } },
    failurePolicy,
    ...(matchConditions && { matchConditions }),
    ...(matchPolicy && { matchPolicy }),
    name,
    ...(namespaceSelector && { namespaceSelector }),
    ...(objectSelector && { objectSelector }),
    ...(reinvocationPolicy && { reinvocationPolicy }),
    rules: [{ apiGroups: [group], apiVersions: [version], operations, resources: [resource.plural] }],
    sideEffects,
    timeoutSeconds,
  };
}

/**
 * Returns a selector that excludes kube-system and the namespace of the webhook server. Without the selector, a webhook
 * that does not respond could block Pods in both namespaces, so that the cluster could not recover.
 */
function getDefaultNamespaceSelector(
  { resource, failurePolicy }: WebhookDeclaration,
  { namespace }: WebhookService,
): WebhookSelectors['namespaceSelector'] {
  const { group, namespaced } = resource.parent ?? resource;
  const isBuiltIn = !group.includes('.') || group.endsWith('.k8s.io');
  if (!isBuiltIn || !namespaced || failurePolicy === 'Ignore') return undefined;
  // kustomize does not replace the placeholder for the namespace in a selector.
  const namespaces = namespace === KUSTOMIZE_NAMES.service.namespace ? ['kube-system'] : ['kube-system', namespace];
  return { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: namespaces }] };
}

/** Returns the configuration with `url` instead of the Service. The manager at the URL sets the caBundle. */
export function withWebhookUrl(configuration: WebhookConfiguration, url: string): WebhookConfiguration {
  const { origin } = new URL(url);
  const webhooks = configuration.webhooks.map((webhook) => {
    const { clientConfig } = webhook;
    return 'url' in clientConfig ? webhook : { ...webhook, clientConfig: { url: origin + clientConfig.service.path } };
  });
  return { ...configuration, webhooks };
}

/**
 * Returns the configuration with URLs on 127.0.0.1 instead of the Service.
 * @param caBundle CA certificates in PEM that the API server uses to verify the webhook server.
 */
export function withLocalWebhookUrl(
  configuration: WebhookConfiguration,
  { port, caBundle }: { readonly port: number; readonly caBundle: string },
): WebhookConfiguration {
  const toLocalClientConfig = (clientConfig: ClientConfig): ClientConfig =>
    'url' in clientConfig
      ? clientConfig
      : {
          url: `https://127.0.0.1:${port}${clientConfig.service.path}`,
          caBundle: Buffer.from(caBundle).toString('base64'),
        };
  const webhooks = configuration.webhooks.map((each) => ({
    ...each,
    clientConfig: toLocalClientConfig(each.clientConfig),
  }));
  return { ...configuration, webhooks };
}
