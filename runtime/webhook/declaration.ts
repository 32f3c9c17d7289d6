/** Declaration of a webhook for the API server. The manifest generator reads it; the server does not need it. */
import type { Resource } from '../kubernetes/resource.ts';

export interface WebhookDeclaration {
  readonly kind: 'mutating' | 'validating';
  /** A domain of at least three parts, unique in the cluster; error messages show it. */
  readonly name: string;
  /** The kind of its objects. The path derives from it. */
  readonly resource: Resource;
  readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE')[];
  /** How the API server handles the object when the webhook does not answer. */
  readonly failurePolicy: 'Fail' | 'Ignore';
  /** `NoneOnDryRun`: it has side effects, but respects `isDryRun`. */
  readonly sideEffects: 'None' | 'NoneOnDryRun';
  /** How long the API server waits for the response, 1 to 30 seconds. */
  readonly timeoutSeconds: number;
  /** The API server calls the webhook only when all of them are true. Default: no conditions; it always calls it. */
  readonly matchConditions?: readonly MatchCondition[];
}

/** A condition in the Common Expression Language that the API server evaluates itself. */
export interface MatchCondition {
  /** A short description with hyphens; unique in the webhook. */
  readonly name: string;
  /** CEL over `object`, `oldObject` and `request`. */
  readonly expression: string;
}

/**
 * Skips objects that are being deleted. With `failurePolicy: Fail` and no webhook that answers, their finalizers could
 * not be removed, and their namespace would never go. For webhooks that do not handle deletes.
 */
export const NOT_BEING_DELETED: MatchCondition = {
  name: 'not-being-deleted',
  expression: '!has(object.metadata.deletionTimestamp)',
};

/**
 * The same for webhooks that handle deletes. On DELETE `object` is null, and a condition that fails counts as a webhook
 * that fails.
 */
const NOT_BEING_DELETED_YET: MatchCondition = {
  name: NOT_BEING_DELETED.name,
  expression: `!has((request.operation == 'DELETE' ? oldObject : object).metadata.deletionTimestamp)`,
};

/**
 * Users that delete the content of a terminating namespace: the service account in most clusters, the other user if
 * kube-controller-manager runs without `--use-service-account-credentials`.
 */
const NAMESPACE_DELETERS: readonly string[] = [
  'system:serviceaccount:kube-system:namespace-controller',
  'system:kube-controller-manager',
];

/**
 * Skips objects that are deleted with their namespace: a rejection, or a missing response, would keep the namespace for
 * ever.
 */
const NOT_WITH_ITS_NAMESPACE: MatchCondition = {
  name: 'not-deleted-with-its-namespace',
  expression:
    `request.operation != 'DELETE' || ` +
    `!(request.userInfo.username in [${NAMESPACE_DELETERS.map((each) => `'${each}'`).join(', ')}])`,
};

/** Whether a DELETE by this user may belong to the deletion of a namespace. */
export function isNamespaceDeleter(username: string): boolean {
  return NAMESPACE_DELETERS.includes(username);
}

/** Conditions that keep webhooks for these operations from blocking deletions. */
export function deletionConditions(operations: WebhookDeclaration['operations']): readonly MatchCondition[] {
  return operations.includes('DELETE') ? [NOT_BEING_DELETED_YET, NOT_WITH_ITS_NAMESPACE] : [NOT_BEING_DELETED];
}

/** Path of the webhook, as in controller-runtime: `/mutate-batch-v1-job`. */
export function getWebhookPath({ kind, resource }: Pick<WebhookDeclaration, 'kind' | 'resource'>): string {
  return kind === 'mutating' ? `/mutate-${pathSuffix(resource)}` : getValidatingWebhookPath(resource);
}

/** Path of a kind's validating webhook: `/validate-batch-v1-job`. */
export function getValidatingWebhookPath(resource: Resource): string {
  return `/validate-${pathSuffix(resource)}`;
}

function pathSuffix({ group, version, kind }: Resource): string {
  return `${group.replaceAll('.', '-')}-${version}-${kind.toLowerCase()}`;
}
