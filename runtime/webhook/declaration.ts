/** What the API server is told about a webhook. The generator of manifests reads these; the server needs none of it. */
import type { Resource } from '../kubernetes/resource.ts';

export interface WebhookDeclaration {
  readonly kind: 'mutating' | 'validating';
  /** A domain of at least three parts, unique in the cluster: people see it in refusals. */
  readonly name: string;
  /** The kind whose objects it looks at. Its path follows from that. */
  readonly resource: Resource;
  readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE')[];
  /** What becomes of the object when the webhook does not answer. */
  readonly failurePolicy: 'Fail' | 'Ignore';
  /** `NoneOnDryRun`: it has some, and heeds `isDryRun`. */
  readonly sideEffects: 'None' | 'NoneOnDryRun';
  /** How long the API server waits for the answer, 1 to 30. */
  readonly timeoutSeconds: number;
  /** The API server asks only when all of them are true. Default none: it always asks. */
  readonly matchConditions?: readonly MatchCondition[];
}

/** A condition in the Common Expression Language that the API server evaluates itself. */
export interface MatchCondition {
  /** What it says, in a few words with hyphens; unique in the webhook. */
  readonly name: string;
  /** On `object`, `oldObject` and `request`. */
  readonly expression: string;
}

/**
 * Nobody is asked about what is being deleted. With `failurePolicy: Fail` and no webhook that answers, its finalizers could not be
 * removed, and its namespace would never go. For webhooks that are not asked about deletes.
 */
export const NOT_BEING_DELETED: MatchCondition = {
  name: 'not-being-deleted',
  expression: '!has(object.metadata.deletionTimestamp)',
};

/** The same for webhooks that are. On DELETE `object` is null, and a condition that fails counts as a webhook that fails. */
const NOT_BEING_DELETED_YET: MatchCondition = {
  name: NOT_BEING_DELETED.name,
  expression: `!has((request.operation == 'DELETE' ? oldObject : object).metadata.deletionTimestamp)`,
};

/**
 * Who deletes what is in a namespace that is being deleted: the service account in most clusters, the other where
 * kube-controller-manager has no `--use-service-account-credentials`.
 */
const NAMESPACE_DELETERS: readonly string[] = [
  'system:serviceaccount:kube-system:namespace-controller',
  'system:kube-controller-manager',
];

/** Nobody is asked about what is deleted with its namespace: a refusal, or no answer, would keep that for ever. */
const NOT_WITH_ITS_NAMESPACE: MatchCondition = {
  name: 'not-deleted-with-its-namespace',
  expression:
    `request.operation != 'DELETE' || ` +
    `!(request.userInfo.username in [${NAMESPACE_DELETERS.map((each) => `'${each}'`).join(', ')}])`,
};

/** Whether a DELETE by this user may be one of a whole namespace. */
export function isNamespaceDeleter(username: string): boolean {
  return NAMESPACE_DELETERS.includes(username);
}

/** What keeps webhooks for these operations from standing in the way of what is being deleted. */
export function deletionConditions(operations: WebhookDeclaration['operations']): readonly MatchCondition[] {
  return operations.includes('DELETE') ? [NOT_BEING_DELETED_YET, NOT_WITH_ITS_NAMESPACE] : [NOT_BEING_DELETED];
}

/** Where the webhook is served, as controller-runtime has it: `/mutate-batch-v1-job`. */
export function pathOfWebhook({ kind, resource }: Pick<WebhookDeclaration, 'kind' | 'resource'>): string {
  return kind === 'mutating' ? `/mutate-${pathSuffix(resource)}` : validatePath(resource);
}

/** Path of a kind's validating webhook: `/validate-batch-v1-job`. */
export function validatePath(resource: Resource): string {
  return `/validate-${pathSuffix(resource)}`;
}

function pathSuffix({ group, version, kind }: Resource): string {
  return `${group.replaceAll('.', '-')}-${version}-${kind.toLowerCase()}`;
}
