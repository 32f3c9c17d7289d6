/** The declaration of a webhook, from which the manifest generator creates the webhook configuration. */
import type { Resource } from '../kubernetes/resource.ts';

/** A kind whose objects are sent to webhooks. */
export interface AdmittedKind extends Resource {
  /** The parent resource of a subresource. The plural of a subresource is `<resource>/<subresource>`. */
  readonly parent?: Resource;
}

/** A label selector of a webhook configuration. An empty selector selects everything. */
export interface WebhookLabelSelector {
  /** Labels that must have these values. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Conditions that must all be true. The operators `In` and `NotIn` need `values`. */
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
  }[];
}

/** Selects the objects for which the API server calls a webhook. */
export interface WebhookSelectors {
  /**
   * Selects namespaces by their labels. Default: all namespaces. For built-in kinds with `failurePolicy: Fail`, the default
   * excludes `kube-system` and the namespace of the webhook server, so that the webhook cannot block its own start. An empty
   * selector selects all namespaces.
   */
  readonly namespaceSelector?: WebhookLabelSelector;
  /** Selects objects by their labels, which users may change. Default: all objects. */
  readonly objectSelector?: WebhookLabelSelector;
  /**
   * With `Equivalent`, the API server also calls the webhook for other versions of the kind, and converts the objects.
   * Default `Equivalent`.
   */
  readonly matchPolicy?: 'Exact' | 'Equivalent';
}

/** A webhook for the generated webhook configurations. */
export interface WebhookDeclaration extends WebhookSelectors {
  /** A `mutating` webhook sets defaults, and a `validating` webhook validates objects. */
  readonly kind: 'mutating' | 'validating';
  /** Name of the webhook: a domain of at least three parts. The API server's error messages contain the name. */
  readonly name: string;
  /**
   * The resource that the webhook is for. The path of the webhook contains the group, the version and the kind of the
   * resource.
   */
  readonly resource: AdmittedKind;
  /** The writes for which the API server calls the webhook. */
  readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE')[];
  /** Whether the API server rejects (`Fail`) or allows (`Ignore`) the object if the webhook fails. */
  readonly failurePolicy: 'Fail' | 'Ignore';
  /** With `NoneOnDryRun`, the webhook has side effects, but not in dry runs. */
  readonly sideEffects: 'None' | 'NoneOnDryRun';
  /** How long the API server waits for the response, 1 to 30 seconds. */
  readonly timeoutSeconds: number;
  /** The API server calls the webhook only if all conditions are true. Default: no conditions. */
  readonly matchConditions?: readonly MatchCondition[];
  /** Whether the API server calls a mutating webhook again if a later webhook changes the object. Default `Never`. */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

/** A condition in CEL (Common Expression Language), which the API server evaluates before it calls the webhook. */
export interface MatchCondition {
  /** Name of the condition, such as `not-being-deleted`. The name is unique in the webhook. */
  readonly name: string;
  /** CEL expression with the variables `object`, `oldObject` and `request`. */
  readonly expression: string;
}

/**
 * Skips objects that are being deleted, for webhooks without the operation DELETE. Otherwise, an unavailable webhook
 * with `failurePolicy: Fail` would block the removal of finalizers.
 */
export const NOT_BEING_DELETED_CONDITION: MatchCondition = {
  name: 'not-being-deleted',
  expression: '!has(object.metadata.deletionTimestamp)',
};

/**
 * Skips objects that are being deleted, for webhooks with the operation DELETE. For a DELETE, the condition uses
 * `oldObject`, because `object` is null. An error in a condition has the same effect as a failed webhook.
 */
const NOT_ALREADY_BEING_DELETED_CONDITION: MatchCondition = {
  name: NOT_BEING_DELETED_CONDITION.name,
  expression: `!has((request.operation == 'DELETE' ? oldObject : object).metadata.deletionTimestamp)`,
};

/**
 * Users that delete the content of a terminating namespace. In most clusters, the namespace controller has its own service account.
 * If kube-controller-manager runs without `--use-service-account-credentials`, the user is `system:kube-controller-manager`.
 */
const NAMESPACE_DELETERS: readonly string[] = [
  'system:serviceaccount:kube-system:namespace-controller',
  'system:kube-controller-manager',
];

/**
 * Skips objects that are deleted with their namespace, because a rejection would block the deletion of the namespace.
 */
const NOT_DELETED_WITH_NAMESPACE_CONDITION: MatchCondition = {
  name: 'not-deleted-with-its-namespace',
  expression:
    `request.operation != 'DELETE' || ` +
    `!(request.userInfo.username in [${NAMESPACE_DELETERS.map((username) => `'${username}'`).join(', ')}])`,
};

/** Returns whether a DELETE by this user may be part of the deletion of a namespace. */
export function isNamespaceDeleter(username: string): boolean {
  return NAMESPACE_DELETERS.includes(username);
}

/** Returns the match conditions that keep a webhook from blocking deletions. */
export function getDeletionConditions(operations: WebhookDeclaration['operations']): readonly MatchCondition[] {
  return operations.includes('DELETE')
    ? [NOT_ALREADY_BEING_DELETED_CONDITION, NOT_DELETED_WITH_NAMESPACE_CONDITION]
    : [NOT_BEING_DELETED_CONDITION];
}

/** The path of the webhook that converts objects of all kinds, as in Go's controller-runtime. */
export const CONVERSION_PATH = '/convert';

/** Returns the path of a webhook, which is the same as in Go's controller-runtime: `/mutate-batch-v1-job`. */
export function getWebhookPath({ kind, resource }: Pick<WebhookDeclaration, 'kind' | 'resource'>): string {
  return kind === 'mutating' ? `/mutate-${formatPathSuffix(resource)}` : `/validate-${formatPathSuffix(resource)}`;
}

function formatPathSuffix({ group, version, kind, parent }: AdmittedKind): string {
  const suffix = `${group.replaceAll('.', '-')}-${version}-${kind.toLowerCase()}`;
  return parent === undefined ? suffix : `${suffix}-${parent.kind.toLowerCase()}`;
}
