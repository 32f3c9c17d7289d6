/** What the API server is told about a webhook. The generator of manifests reads these; the server needs none of it. */
import type { Resource } from '../client/object.ts';
import { mutatePath, validatePath } from './admission.ts';

export interface WebhookDeclaration {
  readonly kind: 'mutating' | 'validating';
  /** A domain of at least three parts, unique in the cluster: people see it in refusals. */
  readonly name: string;
  /** The kind whose objects it looks at. Its path follows from that. */
  readonly resource: Resource;
  readonly operations: readonly ('CREATE' | 'UPDATE')[];
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
 * removed, and its namespace would never go.
 */
export const NOT_BEING_DELETED: MatchCondition = {
  name: 'not-being-deleted',
  expression: '!has(object.metadata.deletionTimestamp)',
};

/** Where the webhook is served. */
export function pathOfWebhook({ kind, resource }: Pick<WebhookDeclaration, 'kind' | 'resource'>): string {
  return kind === 'mutating' ? mutatePath(resource) : validatePath(resource);
}
